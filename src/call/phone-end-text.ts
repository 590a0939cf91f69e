import type { CallRecord } from './call-record.js';
import { endWords } from './end-text.js';
import type { PhoneCallEnd } from './phone-messages.js';

/** Codes of calls that ended as calls do: hung up by either side, in person or through the API. */
export const NORMAL_CODES: readonly number[] = [1000, 4000];

/** Who ends calls that end as calls do, by the carrier's word for them. */
const ENDED_BY: Readonly<Record<string, string>> = {
  Caller: 'the caller hung up',
  Callee: 'the other side hung up',
  'API Request': 'the server hung up through the API',
  'Answer XML': "the server's document hung up",
  Room: 'the room was closed',
};

/**
 * Why a call ended: as the runner has it, where it is known, else as far as a phone is told, when only a failure needs the carrier's
 * own words.
 */
export function phoneEndText(
  { cause, code, source }: PhoneCallEnd,
  known: { readonly [Name in 'endReason' | 'direction']?: CallRecord[Name] | undefined } = {},
): string {
  if (known.endReason) return endWords(known.endReason, known.direction);
  const isNormal = NORMAL_CODES.includes(code);
  return (isNormal && ENDED_BY[source]) || `${cause} (code ${code}, by ${source})`;
}
