import { VoicebotError } from './errors.js';

/** Inner errors that are looked at for one with words, at most: errors may be each other's causes. */
const MOST_DEEP = 5;

/**
 * What an error says, in one line with the error that it comes from: `fetch failed (caused by connect ECONNREFUSED 127.0.0.1:9)`. One of
 * ours says all by itself.
 */
export function errorText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return `${thrown.message || thrown.name}${causeText(thrown)}`;
}

/** ` (caused by no ledger)`: the first error with words that an error comes from, its cause or the first of several; empty where it has none. */
export function causeText(thrown: unknown): string {
  let inner = innerOf(thrown);
  for (let depth = 1; inner?.message === '' && depth < MOST_DEEP; depth += 1) inner = innerOf(inner) ?? inner;
  const said = thrown instanceof Error ? thrown.message : '';
  if (!inner || inner.message === '' || said.includes(inner.message)) return '';
  const [first] = inner.message.split('\n', 1);
  return ` (caused by ${inner.name === 'Error' ? first : `${inner.name}: ${first}`})`;
}

/** A bot may have another copy of this package. */
const isOurs = (error: Error) => error instanceof VoicebotError || error.name === 'VoicebotError';

function innerOf(error: unknown): Error | undefined {
  if (!(error instanceof Error) || isOurs(error)) return undefined;
  const inner = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
  return inner instanceof Error ? inner : undefined;
}
