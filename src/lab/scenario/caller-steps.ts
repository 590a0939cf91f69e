import { basename } from 'node:path';
import { z } from 'zod';
import { parseDtmfScript } from '../../base/audio/dtmf-script.js';
import { byField, count, duration, spoken, text, words, yes } from './fields.js';
import type { WordPattern } from './words.js';

export const keys = z.string({ error: 'must be keys in quotes, such as "1 w2 #"' }).transform((script, context) => {
  try {
    return parseDtmfScript(script);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

const MOST_TIMES = 1_000;
/** Words that a caller waits for come within this time, in milliseconds. */
export const HEAR_LIMIT_MS = 15_000;
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
    .strictObject({ hear: words, within: duration.default(HEAR_LIMIT_MS) })
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
/** A caller who waits for one of several words, and goes on as those want it. */
interface Branching {
  readonly kind: 'either';
  readonly branches: ReadonlyArray<{ readonly words: WordPattern; readonly steps: readonly CallerStep[] }>;
  readonly withinMs: number;
}
/** One thing that the caller does, checked. Times are milliseconds. */
export type CallerStep = Action | Repetition | Branching;

const steps = z.lazy((): z.ZodType<CallerStep[]> => z.array(step, { error: 'must be a list of steps' }));
const branching: z.ZodType<Branching> = z
  .strictObject({
    either: z
      // biome-ignore lint/suspicious/noThenProperty: a list; only a function would make a promise of it
      .array(z.strictObject({ hear: words, then: steps.default([]) }), {
        error: 'must be a list of branches, such as { hear: yes, then: [{ press: "1" }] }',
      })
      .min(2, { error: 'needs two branches or more: one alone is hear' }),
    within: duration.default(HEAR_LIMIT_MS),
  })
  .transform(({ either, within }) => ({
    kind: 'either',
    branches: either.map(({ hear, then }) => ({ words: hear, steps: then })),
    withinMs: within,
  }));

const repetition: z.ZodType<Repetition> = z
  .strictObject({
    repeat: z.array(z.lazy((): z.ZodType<CallerStep> => step)).min(1),
    times: count(1, MOST_TIMES).optional(),
  })
  .transform(({ repeat, times }) => ({ kind: 'repeat', steps: repeat, times }));

/** A step as a scenario has it. */
export const step: z.ZodType<CallerStep> = byField<CallerStep>(
  { ...ACTIONS, repeat: repetition, either: branching } as Readonly<Record<string, z.ZodType<CallerStep>>>,
  'a step',
);

/** Whether a call may end before a step is done: it waits, or hangs up, with no words of the bot that must come first. */
export function doneByItself(step: CallerStep): boolean {
  if (step.kind === 'repeat') return step.steps.every(doneByItself);
  return step.kind === 'wait' || (step.kind === 'hang_up' && (step.during === undefined || step.orFinished === true));
}

/** The steps that do something themselves, those within others too. */
export const leafSteps = (steps: readonly CallerStep[]): Array<Exclude<CallerStep, { kind: 'repeat' | 'either' }>> =>
  steps.flatMap((step) => {
    if (step.kind === 'repeat') return leafSteps(step.steps);
    return step.kind === 'either' ? step.branches.flatMap((branch) => leafSteps(branch.steps)) : [step];
  });

/** `caller[2].hear` */
export const fieldOf = ({ kind }: CallerStep, place: string): string =>
  `${place}.${kind === 'hang_up' ? 'hangUp' : kind}`;

/** What the caller does, for people: `hear "Your balance"`. */
export function wordsOfStep(step: CallerStep): string {
  switch (step.kind) {
    case 'say':
      return `say "${step.words}"${timingWords(step)}`;
    case 'play':
      return `play ${basename(step.file)}${timingWords(step)}`;
    case 'press':
      return `press ${step.keys.map(({ digit }) => digit).join('')}${timingWords(step)}`;
    case 'hang_up':
      return `hang up${timingWords(step)}`;
    case 'wait':
      return `wait ${step.ms / 1_000} s`;
    case 'hear':
      return `hear ${step.words}`;
    case 'either':
      return step.branches.map(({ words }) => `hear ${words}`).join(' or ');
    case 'repeat':
      return `repeat ${step.steps.map(wordsOfStep).join(', ')}`;
  }
}

const timingWords = ({ during }: { readonly during?: WordPattern | undefined }) => (during ? ` during ${during}` : '');

/** What a caller may say of these steps. */
export const textsIn = (steps: readonly CallerStep[]): string[] =>
  steps.flatMap((step) => {
    if (step.kind === 'say') return [step.words];
    if (step.kind === 'repeat') return textsIn(step.steps);
    return step.kind === 'either' ? step.branches.flatMap((branch) => textsIn(branch.steps)) : [];
  });
