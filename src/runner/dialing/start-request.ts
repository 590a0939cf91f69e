import { z } from 'zod';
import { VoicebotError } from '../../base/errors.js';
import type { CallId, ProviderCallId } from '../../call/call-id.js';
import { readPhoneNumber } from '../../call/phone-number.js';
import { timeZoneProblem } from './time-zone-problem.js';

/** A checked request to place a call. */
export interface StartRequest {
  /** E.164 where it can be read as a number with its country, otherwise as it was sent; whether it may be called the dialler decides. */
  readonly phoneNumber: string;
  /** Where the callee is, as IANA names the zone. Default: where the number may be. */
  readonly timeZone?: string | undefined;
  /** Custom data for the bot, `{}` when there is none. */
  readonly body: Record<string, unknown>;
  /** The query of the request: custom parameters of the call's media stream. */
  readonly parameters: Readonly<Record<string, string>>;
  /** What the call is to be named; of no other call. Default: a new name. */
  readonly callId?: CallId | undefined;
  /** The span that those of the call are to hang below, as the W3C's Trace Context has it. */
  readonly traceparent?: string | undefined;
}

export interface StartedCall {
  readonly callId: CallId;
  /** The carrier's identifier, where it has told it yet. */
  readonly providerCallId: ProviderCallId | undefined;
}

/** Largest request to start a call, in bytes. */
export const MAX_START_BYTES = 1_024 * 1_024;
/** Largest custom data of a call, in bytes of its JSON in UTF-8: it travels in the addresses the carrier is given. */
export const MAX_BODY_BYTES = 8 * 1_024;
/** Custom parameters one call may have. */
export const MAX_PARAMETERS = 20;
/** Longest value of a custom parameter, in characters. */
export const MAX_PARAMETER_LENGTH = 256;
/** Longest query of custom parameters, in characters as they are encoded: every address the carrier is given has them. */
export const MAX_QUERY_LENGTH = 4_096;
/** What a custom parameter may be called, unless the name is reserved. */
export const PARAMETER_NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Says what was probably meant by one that is not known. */
export const timeZoneName = z.string('time_zone must be a string').superRefine((name, context) => {
  const problem = timeZoneProblem(name);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: `time_zone ${problem}` });
});

const startRequest = z.strictObject(
  {
    phone_number: z.string({
      error: ({ input }) =>
        input === undefined ? 'phone_number is missing' : 'phone_number must be a string such as "+12025550101"',
    }),
    time_zone: timeZoneName.optional(),
    body: z.record(z.string(), z.unknown(), { error: 'body must be a JSON object' }).optional(),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `${issue.keys.slice(0, 5).map(shown).join(', ')} not known`
        : 'the request must be a JSON object with phone_number and, if wanted, body and time_zone',
  },
);

/** What `POST /start` is sent. */
export type SentStart = z.input<typeof startRequest>;

/**
 * Reads a request to start a call: `{ "phone_number": "+…", "body": { … }, "time_zone": "…" }`, all but the number optional. A number with its "+" may be
 * written as people write it, such as `+1 (202) 555-0123`. Members of `body` named `__proto__` are left out at every
 * depth. Whether the number may be called is not decided here.
 * @throws VoicebotError VB_REQUEST_INVALID naming every field that is wrong, VB_BODY_TOO_LARGE
 */
export function parseStartRequest(raw: Buffer): Pick<StartRequest, 'phoneNumber' | 'timeZone' | 'body'> {
  if (raw.length > MAX_START_BYTES) throw startTooLarge();
  const parsed = startRequest.safeParse(parseJson(raw));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ message }) => message);
    throw new VoicebotError('VB_REQUEST_INVALID', problems.join('; '));
  }
  const { phone_number: written, time_zone: timeZone, body = {} } = parsed.data;
  const read = readPhoneNumber(written);
  const phoneNumber = 'number' in read ? read.number : written;
  return { phoneNumber, ...(timeZone !== undefined && { timeZone }), body: checkBody(body) };
}

function checkBody(body: Record<string, unknown>): Record<string, unknown> {
  const json = attempt('body is nested too deeply', () => JSON.stringify(body));
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_BODY_BYTES) {
    throw new VoicebotError('VB_BODY_TOO_LARGE', `body has ${bytes} bytes as JSON, the limit is ${MAX_BODY_BYTES}`, {
      hint: 'send an identifier instead, and let the bot fetch the rest with it',
    });
  }
  return attempt('body is nested too deeply', () =>
    JSON.parse(json, (key, value) => (key === '__proto__' ? undefined : value)),
  );
}

/** A request that is larger than {@link MAX_START_BYTES}. */
export function startTooLarge(): VoicebotError {
  return new VoicebotError('VB_BODY_TOO_LARGE', `the request has more than ${MAX_START_BYTES} bytes`, {
    hint: `the custom data of a call is limited to ${MAX_BODY_BYTES} bytes`,
  });
}

/** @throws VoicebotError VB_REQUEST_INVALID */
export function parseJson(raw: Buffer): unknown {
  return attempt('the request is not JSON in UTF-8', () =>
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw)),
  );
}

function attempt<T>(problem: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new VoicebotError('VB_REQUEST_INVALID', problem, { cause });
  }
}

function shown(key: string): string {
  return JSON.stringify(key.slice(0, 64));
}
