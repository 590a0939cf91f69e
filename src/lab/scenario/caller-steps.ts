import { z } from 'zod';
import { parseDtmfScript } from '../../base/audio/dtmf-script.js';
import { byField, count, duration, spoken, text, words, yes } from './fields.js';

export const keys = z.string({ error: 'must be keys in quotes, such as "1 w2 #"' }).transform((script, context) => {
  try {
    return parseDtmfScript(script);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

const MOST_TIMES = 1_000;
const timing = {
  during: words.optional(),
  after: duration.optional(),
  talkOver: z.boolean().optional(),
  orFinished: z.boolean().optional(),
};

/** Checked by the field that says what the step does, so that a problem is told of that step and not of all kinds. */
const ACTIONS = {
  say: z
    .strictObject({ say: spoken, ...timing })
    .transform(({ say, ...when }) => ({ kind: 'say' as const, words: say, ...when })),
  play: z
    .strictObject({ play: text, words: spoken.optional(), ...timing })
    .transform(({ play, ...rest }) => ({ kind: 'play' as const, file: play, ...rest })),
  press: z
    .strictObject({ press: keys, ...timing })
    .transform(({ press, ...when }) => ({ kind: 'press' as const, keys: press, ...when })),
  hangUp: z
    .strictObject({ hangUp: yes, ...timing })
    .transform(({ hangUp: _, ...when }) => ({ kind: 'hang_up' as const, ...when })),
  wait: z.strictObject({ wait: duration }).transform(({ wait }) => ({ kind: 'wait' as const, ms: wait })),
  hear: z
    .strictObject({ hear: words, within: duration.default(15_000) })
    .transform(({ hear, within }) => ({ kind: 'hear' as const, words: hear, withinMs: within })),
};
/** Every field that a step may have, of whichever kind it is. */
export const STEP_FIELDS: readonly string[] = [
  ...new Set([...Object.values(ACTIONS).flatMap((action) => Object.keys(action.in.shape)), 'repeat', 'times']),
];
type Action = z.output<(typeof ACTIONS)[keyof typeof ACTIONS]>;
/** Steps that are done again and again: `times` times, or to the end of the call. */
interface Repetition {
  readonly kind: 'repeat';
  readonly steps: readonly CallerStep[];
  readonly times: number | undefined;
}
/** One thing that the caller does, checked. Times are milliseconds. */
export type CallerStep = Action | Repetition;

const repetition: z.ZodType<Repetition> = z
  .strictObject({
    repeat: z.array(z.lazy((): z.ZodType<CallerStep> => step)).min(1),
    times: count(1, MOST_TIMES).optional(),
  })
  .transform(({ repeat, times }) => ({ kind: 'repeat', steps: repeat, times }));

/** A step as a scenario has it. */
export const step: z.ZodType<CallerStep> = byField<CallerStep>(
  { ...ACTIONS, repeat: repetition } as Readonly<Record<string, z.ZodType<CallerStep>>>,
  'a step',
);
