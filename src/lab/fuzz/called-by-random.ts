import { allOf } from '../../call/view/events.js';
import { calledFunctions } from '../scenario/called-functions.js';
import type { FuzzedCall } from './fuzz-calls.js';

/** Which functions of a bot random callers have come to. */
export interface FunctionsCalled {
  /** Absolute path of its file. */
  readonly bot: string;
  /** In how many calls, by name. */
  readonly called: Readonly<Record<string, number>>;
  /** Those that no call has called. */
  readonly never: readonly string[];
}

/**
 * @param calls to one bot
 * @param written functions that its files have; those that its model was told of count as well
 */
export function functionsCalled(
  bot: string,
  calls: ReadonlyArray<{ readonly run: Pick<FuzzedCall['run'], 'events'> }>,
  written: readonly string[],
): FunctionsCalled {
  const called: Record<string, number> = {};
  const known = new Set(written);
  for (const { events } of calls.map(({ run }) => run)) {
    for (const name of new Set(calledFunctions(events).map((one) => one.name))) called[name] = (called[name] ?? 0) + 1;
    for (const { functions = {} } of allOf(events, 'model_asked'))
      for (const name of Object.keys(functions)) known.add(name);
  }
  return { bot, called, never: [...known].filter((name) => called[name] === undefined).sort() };
}

/** `functions called: balance in 12 calls; never: block_card, end_call`; empty for a bot that has none. */
export function functionWordsOf({ called, never }: FunctionsCalled): string {
  const names = Object.entries(called)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, calls]) => `${name} in ${calls === 1 ? '1 call' : `${calls} calls`}`);
  if (names.length + never.length === 0) return '';
  return `functions called: ${names.join(', ') || 'none'}${never.length === 0 ? '' : `; never: ${never.join(', ')}`}`;
}
