import { timeLimit } from '../../base/async/time-limit.js';
import { VoicebotError } from '../../base/errors.js';
import type { CallRecord } from '../../call/call-record.js';
import { endWords, FAILURES, whereToLook } from '../../call/end-text.js';
import { NORMAL_CODES } from '../../call/phone-end-text.js';
import type { PhoneCallEnd, PhoneProgress } from '../../call/phone-messages.js';

/** The document had no more steps. */
const END_OF_DOCUMENT = 4010;
/** Close codes of a stream whose bot has ended it in order: normal closure, and a close without a code (RFC 6455 section 7.4.1). */
const CLOSED_IN_ORDER: readonly (number | undefined)[] = [1000, 1005];

/** What a runner knows of a call that has ended. */
export type EndedCall = Partial<Pick<CallRecord, 'endReason' | 'answeredAt' | 'connectedAt' | 'endedAt'>>;

/** The carrier tells the runner about the end at about the time it tells the phone. */
const RUNNER_DEADLINE_MS = 3_000;
const RUNNER_POLL_MS = 50;

/**
 * Asks a runner how a call ended.
 * @param token of the runner
 * @returns undefined when it does not know the call, is gone, or has not noticed the end within three seconds
 */
export async function endedCallAt(
  runnerUrl: string,
  callId: string,
  token?: string | undefined,
): Promise<EndedCall | undefined> {
  const url = `${runnerUrl}/calls/${encodeURIComponent(callId)}`;
  const signal = timeLimit(RUNNER_DEADLINE_MS);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    while (!signal.aborted) {
      const response = await fetch(url, { headers, signal });
      if (!response.ok) return undefined;
      const call = (await response.json()) as Partial<CallRecord>;
      if (call.state === 'ended') return call;
      await new Promise((resolve) => setTimeout(resolve, RUNNER_POLL_MS));
    }
  } catch {
    // Gone or silent: then the carrier's word is all there is.
  }
  return undefined;
}

/** Whether a line about a media stream says that the bot has ended it in order. */
export const saysClosedInOrder = ({ ok, status }: PhoneProgress): boolean => ok && CLOSED_IN_ORDER.includes(status);

/**
 * The error of a call that did not succeed; undefined for one that was answered and ended as calls do. The end of the document
 * is a failure when its media stream has not ended in order before.
 */
export function failureOf(
  end: PhoneCallEnd,
  isAnswered: boolean,
  { endReason, connectedAt }: EndedCall = {},
  isStreamInOrder = false,
): VoicebotError | undefined {
  const said = `${end.cause} (${end.code}, by ${end.source})`;
  const failed = (detail: string) => new VoicebotError('VB_CALL_FAILED', detail, { hint: hintFor(end.code) });
  if (endReason && FAILURES.includes(endReason)) {
    return new VoicebotError('VB_CALL_FAILED', `${endWords(endReason)} (${endReason})`, {
      hint: whereToLook(end.callId),
    });
  }
  if (!isAnswered) return failed(`not answered: ${said}`);
  if (endReason === 'caller_hung_up' && connectedAt === undefined) {
    return new VoicebotError('VB_CALL_FAILED', 'no bot was connected before the caller hung up', {
      hint: whereToLook(end.callId),
    });
  }
  const isNormal = NORMAL_CODES.includes(end.code) || (end.code === END_OF_DOCUMENT && isStreamInOrder);
  return isNormal ? undefined : failed(said);
}

/** @see carrier reference 2.5 */
function hintFor(code: number): string | undefined {
  if (code === END_OF_DOCUMENT)
    return 'The stream ended and the document had nothing after it: did the bot crash or refuse the socket?';
  if (code >= 7011 && code <= 7014)
    return 'The carrier could not fetch a document: is the server running, and at this address?';
  if (code >= 8011 && code <= 8014) return 'The server answered, but not with a document the carrier accepts.';
  return undefined;
}
