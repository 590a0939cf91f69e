import { z } from 'zod';
import type { ErrorCode } from '../../base/errors.js';
import { didYouMean } from '../../base/names/did-you-mean.js';
import type { PlayedFunction } from '../../bot/services/llm/played-function.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { allOf } from '../../call/view/events.js';
import type { Failure } from './call-story.js';
import { duration, text } from './fields.js';
import { resultText } from './spoken-result.js';

const playedFunction = z
  .strictObject(
    {
      returns: z.unknown().optional(),
      fails: text.optional(),
      takes: duration.optional(),
    },
    { error: 'must say what it gives, such as { returns: 5 } or { fails: the database is down }' },
  )
  .superRefine((one, context) => {
    const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', path, message });
    // What is undefined in code would be lost on its way to the bot, and the bot's own function run.
    const returns = 'returns' in one;
    if (returns && !isJson(one.returns)) refuse('is no JSON: write null for nothing', ['returns']);
    if (returns && one.fails !== undefined) refuse('has returns or fails, not both');
    if (!returns && one.fails === undefined && one.takes === undefined) refuse('needs returns, fails or takes');
  });

/** What the bot's functions give in a scenario, by their names. */
export const playedFunctions = z.record(text, playedFunction, {
  error: 'must be functions with what they give, such as { balance: { returns: 5 } }',
});
/** The same, checked; `takes` in milliseconds. */
export type CheckedFunctions = z.output<typeof playedFunctions>;

/** The fields that one of them may have. */
export const PLAYED_FIELDS: readonly string[] = Object.keys(playedFunction.shape);

/** Of a function for which the bot could not ask the lab. */
const NOT_PLAYED: ErrorCode = 'VB_FUNCTION_NOT_PLAYED';

/** Plays the functions of one call, and knows which of them were asked for. */
export class PlayedFunctions {
  readonly #asked = new Set<string>();

  /** @param wanted those that must be played. Default: all */
  constructor(
    private readonly functions: CheckedFunctions,
    private readonly wanted: readonly string[] = Object.keys(functions),
  ) {}

  /** @returns undefined for one that the bot runs by itself */
  answer(name: string): PlayedFunction | undefined {
    if (!Object.hasOwn(this.functions, name)) return undefined;
    this.#asked.add(name);
    const { takes, fails, ...gives } = this.functions[name] ?? {};
    return { ...gives, ...(fails !== undefined && { fails }), ...(takes !== undefined && { takesMs: takes }) };
  }

  /**
   * Those that were not played, once the call is over: they have shown nothing. And all that have neither been played nor run.
   * @param offered the names of the functions that the model was offered; none: not known
   */
  failuresIn(events: readonly TimelineEvent[], offered: readonly string[] = []): Failure[] {
    const unasked = this.wanted.filter((name) => !this.#asked.has(name));
    const lost = allOf(events, 'tool_returned').filter(({ errorType }) => errorType === NOT_PLAYED);
    const others = lost.filter(({ name }) => !unasked.includes(name));
    return [
      ...unasked.map((name) => [name, 'that the model calls it', whyNot(name, events, offered)] as const),
      ...others.map(({ name, output }) => [name, 'that it is played, or runs', resultText(output)] as const),
    ].map(([name, expected, happened]) => ({ field: `tools.${name}`, expected, happened }));
  }
}

function whyNot(name: string, events: readonly TimelineEvent[], offered: readonly string[]): string {
  if (!allOf(events, 'tool_called').some((one) => one.name === name)) {
    const isUnknown = offered.length > 0 && !offered.includes(name);
    return `it was never called${isUnknown ? `, and the bot has no such function: ${didYouMean(name, offered)}` : ''}`;
  }
  const returned = allOf(events, 'tool_returned').findLast((one) => one.name === name);
  if (!returned) return 'it was called, and had not begun when the call was over';
  if (returned.isError) return `it was called, and not played: ${resultText(returned.output)}`;
  return 'it was called, and the bot ran its own: it uses another copy of voicebot than this one';
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
