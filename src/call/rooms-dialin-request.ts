import { inspect } from 'node:util';
import { VoicebotError } from '../base/errors.js';
import type { JsonFields } from '../base/http/json-fields.js';

/** What a bot gets as `body` for a call that came in at the room provider. */
export interface RoomsDialinRequest {
  readonly dialin_settings: {
    readonly call_id: string;
    readonly call_domain: string;
    /** The caller's number as the provider gave it: E.164, a `sip:` address, or empty. */
    readonly From: string;
    readonly To?: string;
    /** Set by the caller's side: not to be trusted. */
    readonly sip_headers?: Readonly<Record<string, string>>;
  };
  readonly daily_api_key: string;
  readonly daily_api_url: string;
}

/** The held call that a bot fetches into its room. */
export interface RoomsDialinSettings {
  readonly callId: string;
  readonly callDomain: string;
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';

/**
 * Reads the `body` of a room call that came in. The result hides its key: logged, inspected or written as JSON
 * it reads `[redacted]`.
 * @throws VoicebotError VB_REQUEST_INVALID naming every field that is missing or wrong
 */
export function parseRoomsDialinRequest(body: unknown): RoomsDialinRequest {
  const problems = problemsOf(body);
  if (problems.length === 0) return withHiddenKey(body as RoomsDialinRequest);
  throw new VoicebotError('VB_REQUEST_INVALID', `not a dial-in request: ${problems.join(', ')} must be there as text`);
}

export function isRoomsDialinRequest(body: unknown): body is RoomsDialinRequest {
  return problemsOf(body).length === 0;
}

function problemsOf(body: unknown): string[] {
  const request: JsonFields = Object(body);
  const settings: JsonFields = Object(request.dialin_settings);
  return [
    ...['call_id', 'call_domain'].filter((name) => !isText(settings[name])).map((name) => `dialin_settings.${name}`),
    ...(typeof settings.From === 'string' ? [] : ['dialin_settings.From']),
    ...['daily_api_key', 'daily_api_url'].filter((name) => !isText(request[name])),
  ];
}

/** The same request, with a key that only code reads. */
export function withHiddenKey(request: RoomsDialinRequest): RoomsDialinRequest {
  const shown = () => ({ ...request, daily_api_key: '[redacted]' });
  return Object.defineProperties(
    { ...request },
    {
      [inspect.custom]: { value: shown },
      toJSON: { value: shown },
    },
  );
}
