import type { Request } from 'express';

/** How runs and commands that ask whether a number's address is served name themselves. */
export const PROBE_AGENT = 'voicebot';

/**
 * Whether a request without a signature only asks whether an address is served: it says nothing of a call, so refusing it is all that
 * there is to do. @param signatureHeader in lower case
 */
export const isProbe = ({ method, headers, query }: Request, signatureHeader: string): boolean =>
  method === 'GET' &&
  headers['user-agent'] === PROBE_AGENT &&
  headers[signatureHeader] === undefined &&
  Object.keys(query).length === 0;
