import { VoicebotError } from '../../../base/errors.js';
import type { BotPart } from './part.js';
import { refuseAll } from './refusals.js';

/** A part that is made of others. @param make what one call needs of it */
export function partOf<Made>(parts: readonly BotPart<unknown>[], make: () => Made): BotPart<Made> {
  return {
    keys: parts.flatMap(({ keys }) => keys),
    check: () => parts.flatMap((part) => part.check()),
    make,
    load: () => loadParts(parts),
  };
}

/**
 * Gets all parts of a bot ready for the first call.
 * @throws VoicebotError with everything that any of them lacks, with the code of the first
 */
export async function loadParts(parts: readonly BotPart<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(parts.map((part) => part.load()));
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
  const known = failures.filter((failure) => failure instanceof VoicebotError);
  if (known.length < failures.length) throw failures[0];
  refuseAll(known);
}
