import { loadParts } from './load-parts.js';
import type { BotPart } from './part.js';

/** A part that is made of others: it lacks the keys that any of them lacks, and is ready when all are. */
export function joinedPart<Made>(parts: readonly BotPart<unknown>[], make: () => Made | undefined): BotPart<Made> {
  return { keys: parts.flatMap(({ keys }) => keys), make, load: () => loadParts(parts) };
}
