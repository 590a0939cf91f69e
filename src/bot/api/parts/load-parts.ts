import { ERROR_SUMMARIES, VoicebotError } from '../../../base/errors.js';
import type { BotPart } from './part.js';

/** A part that is made of others. @param make what one call needs of it */
export function partOf<Made>(parts: readonly BotPart<unknown>[], make: () => Made): BotPart<Made> {
  return { keys: parts.flatMap(({ keys }) => keys), make, load: () => loadParts(parts) };
}

/**
 * Gets all parts of a bot ready for the first call.
 * @throws VoicebotError with everything that any of them lacks, with the code of the first
 */
export async function loadParts(parts: readonly BotPart<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(parts.map((part) => part.load()));
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
  const [first, ...others] = failures;
  if (!first) return;
  const known = failures.filter((failure) => failure instanceof VoicebotError);
  if (others.length === 0 || known.length < failures.length) throw first;
  const words = known.map(({ code, message }) => message.replace(`${ERROR_SUMMARIES[code]}: `, ''));
  const hints = known.flatMap(({ hint }) => hint ?? []);
  const hint = [...new Set(hints)].join('; ') || undefined;
  throw new VoicebotError(known[0]?.code ?? 'VB_CONFIG_INVALID', [...new Set(words)].join('; '), {
    hint,
    cause: first,
  });
}
