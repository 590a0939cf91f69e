import type { IncomingMessage } from 'node:http';
import type { PassSigner } from '../../runner/calls/carrier/stream-pass.js';

/** Tells one runner of a cluster that a request comes from another: `<runner>.<milliseconds since the Unix epoch>.<signature>`. */
export const PEER_HEADER = 'x-voicebot-peer';
/** Longest that a request may be on its way, and the clocks apart, in milliseconds. */
const FRESH_MS = 15_000;

const textOf = (runnerId: string, at: number, method: string, target: string) =>
  `peer request\n${runnerId}\n${at}\n${method}\n${target}`;

/** @param target path and query */
export function signPeerRequest(signer: PassSigner, runnerId: string, method: string, target: string): string {
  const at = Date.now();
  return `${runnerId}.${at}.${signer.sign(textOf(runnerId, at, method, target))}`;
}

/** The runner of this cluster that has sent the request; undefined for one that comes from elsewhere. */
export function peerOf(
  signer: PassSigner,
  { headers, method = '', url = '' }: Pick<IncomingMessage, 'headers' | 'method' | 'url'>,
): string | undefined {
  const header = headers[PEER_HEADER];
  const [, runnerId, at, signature] =
    /^([0-9a-f]{1,32})\.(\d{1,15})\.([\w.-]{1,128})$/.exec(String(header ?? '')) ?? [];
  if (runnerId === undefined || signature === undefined) return undefined;
  if (Math.abs(Date.now() - Number(at)) > FRESH_MS) return undefined;
  return signer.verifies(textOf(runnerId, Number(at), method, url), signature) ? runnerId : undefined;
}
