import { z } from 'zod';
import { SCRIPT_URL_VARIABLE } from '../../bot/services/llm/model-script.js';
import { END_REASONS } from '../../call/call.js';
import { FUNCTIONS_URL_VARIABLE } from '../../call/lab-address.js';
import { MUTATION_VARIABLE } from '../../call/mutation.js';
import { TALK_FIGURES } from '../../call/view/talk-figures.js';
import { CARRIER_NAMES } from '../../providers/registry/carrier-names.js';
import { checkOf, type NamedCheck } from './call-check.js';
import type { ExpectedFunction } from './called-functions.js';
import type { CallerPlayer } from './caller-player.js';
import { type CallerStep, leafSteps, step } from './caller-steps.js';
import {
  byField,
  count,
  decibels,
  duration,
  oneOf,
  oneOrMore,
  percentage,
  phoneNumber,
  picked,
  text,
  wordList,
  words,
  yes,
} from './fields.js';
import type { Judge } from './judge.js';
import type { ModelScript } from './model-script.js';
import { SHORTEST_SECRET } from './nowhere.js';
import { playedFunctions } from './played-functions.js';
import { placesProblem } from './spoken-result.js';
import type { WordPattern } from './words.js';

const MAX_JITTER_MS = 200;
/** After 5 s the network takes a telephone for gone. */
const MAX_STALL_MS = 4_000;
/** Longest a call may last where its scenario says nothing else, in milliseconds. */
export const CALL_LIMIT_MS = 60_000;
const MOST_RUNS = 1_000;
const MOST_TIMES = 1_000;
const TRANSFER_OUTCOMES = [
  'answered',
  'busy',
  'no_answer',
  'rejected',
  'failed',
  'voicemail',
  'declined',
  'hung_up',
  'caller_left',
  'refused',
] as const;

const faultTiming = { after: duration.optional(), during: words.optional() };
const FAULTS = {
  killBot: z
    .strictObject({ killBot: yes, ...faultTiming })
    .transform(({ killBot: _, ...when }) => ({ kind: 'kill_bot' as const, ...when })),
  breakTunnel: z
    .strictObject({ breakTunnel: duration, ...faultTiming })
    .transform(({ breakTunnel, ...when }) => ({ kind: 'break_tunnel' as const, forMs: breakTunnel, ...when })),
  breakApi: z
    .strictObject({ breakApi: duration, ...faultTiming })
    .transform(({ breakApi, ...when }) => ({ kind: 'break_api' as const, forMs: breakApi, ...when })),
};
/** Every field that a fault may have, of whichever kind it is. */
export const FAULT_FIELDS: readonly string[] = [
  ...new Set(Object.values(FAULTS).flatMap((one) => Object.keys(one.in.shape))),
];
/** Something that breaks, checked. Times are milliseconds. */
export type Fault = z.output<(typeof FAULTS)[keyof typeof FAULTS]>;
const fault = byField<Fault>(FAULTS as Readonly<Record<string, z.ZodType<Fault>>>, 'a fault').refine(
  ({ after, during }) => (after === undefined) !== (during === undefined),
  {
    error: 'says when: after or during, one of both',
  },
);

const reply = {
  say: text.optional(),
  call: z
    .record(z.string(), z.unknown(), {
      error: 'must be functions with their inputs, such as { opening_hours: { day: Sunday } }',
    })
    .optional(),
  thinks: duration.optional(),
};
const saysSomething = ({ say, call }: { say?: unknown; call?: unknown }) => say !== undefined || call !== undefined;
/** What a {@link ModelScript} gives. */
export const replySchema = z.strictObject(reply).refine(saysSomething, { error: 'needs say or call' });
const rule = z
  .strictObject({ ...reply, when: words.optional(), after: text.optional(), once: z.boolean().default(false) })
  .refine(saysSomething, { error: 'needs say or call' })
  .superRefine(({ say = '', after }, context) => {
    const message = placesProblem(say, after);
    if (message) context.addIssue({ code: 'custom', path: ['say'], message });
  });

/** Every field of a rule. */
export const RULE_FIELDS: readonly string[] = Object.keys(rule.shape);

/** What the scripted model answers. */
export const modelRules = z.array(rule, { error: 'must be a list of rules' });

const secret = z
  .string({ error: 'must be a text in quotes, such as "4711"' })
  .min(SHORTEST_SECRET, { error: `must have at least ${SHORTEST_SECRET} characters: fewer are found anywhere` });

const expectedFunction = z
  .strictObject({
    name: text,
    input: z.record(z.string(), z.unknown()).optional(),
    result: z.unknown().optional(),
    fails: picked<true | WordPattern>((value) => (typeof value === 'boolean' ? yes : words)).optional(),
  })
  .refine(({ result, fails }) => result === undefined || fails === undefined, {
    path: ['fails'],
    error: 'means nothing beside result: a function that fails has none',
  });

/** How often something may happen. */
const times = count(0, MOST_TIMES);

const expectation = z.strictObject({
  heard: wordList.default([]),
  notHeard: wordList.default([]),
  understood: wordList.default([]),
  sound: oneOrMore(text).default([]),
  tools: z
    .array(
      picked<ExpectedFunction>((value) =>
        typeof value === 'string' ? text.transform((name) => ({ name })) : expectedFunction,
      ),
      { error: 'must be a list of functions' },
    )
    .optional(),
  keys: z.string({ error: 'must be keys in quotes, such as "12#"' }).optional(),
  keysReceived: z.string({ error: 'must be keys in quotes, such as "12#"' }).optional(),
  transfer: picked<'none' | { to?: string | undefined; outcome?: (typeof TRANSFER_OUTCOMES)[number] | undefined }>(
    (value) =>
      value === 'none'
        ? z.literal('none')
        : z.strictObject(
            { to: phoneNumber.optional(), outcome: oneOf(TRANSFER_OUTCOMES).optional() },
            { error: 'must be none, or { to, outcome }' },
          ),
  ).optional(),
  disclosed: z.boolean({ error: 'must be true or false' }).optional(),
  end: oneOrMore(oneOf(END_REASONS)).optional(),
  firstWordWithin: duration.optional(),
  answerWithin: picked<{ median?: number | undefined; worst?: number | undefined }>((value) =>
    typeof value === 'string'
      ? duration.transform((worst) => ({ worst }))
      : z.strictObject(
          { median: duration.optional(), worst: duration.optional() },
          { error: 'must be a time such as 2s, or { median, worst }' },
        ),
  ).optional(),
  stopsWithin: duration.optional(),
  silentAtMost: duration.optional(),
  endsWithin: duration.optional(),
  cutOffs: times.optional(),
  talkOver: picked<{ times: number } | { ms: number }>((value) =>
    typeof value === 'string' ? duration.transform((ms) => ({ ms })) : times.transform((most) => ({ times: most })),
  ).optional(),
  falseStops: times.optional(),
  resumes: times.optional(),
  hole: duration.optional(),
  nothingTwice: z.boolean().default(false),
  contextAsHeard: z.boolean().default(false),
  nowhere: oneOrMore(secret).default([]),
  check: oneOrMore(picked<NamedCheck>(checkOf)).default([]),
  judge: z
    .custom<Judge>((value) => typeof value === 'function', {
      error: 'must be a judge, which only a scenario in TypeScript can have',
    })
    .optional(),
});
/** What must hold, checked. Times are milliseconds. */
export type Expectation = z.output<typeof expectation>;

/** How a test tells its bots where to ask, and how they are broken. */
const LAB_VARIABLES: readonly string[] = [SCRIPT_URL_VARIABLE, FUNCTIONS_URL_VARIABLE, MUTATION_VARIABLE];

const command = text.max(2_000, { error: 'must be a command of at most 2000 characters' });
const TAG = { error: 'must be a tag of letters, digits, "-", "_" and "."' };
const tag = z.string(TAG).regex(/^[A-Za-z0-9._-]+$/, TAG);
const WHY = { error: 'must say why it is not run, or be true' };
const skipReason = z.string(WHY).trim().min(1, WHY);

const isPlayer = (value: unknown): value is CallerPlayer => typeof Object(value).next === 'function';

/** A scenario of one call. */
const oneCall = z.strictObject({
  name: text,
  tags: z.array(tag, { error: 'must be a list of tags, such as [menu, slow]' }).default([]),
  skip: picked<string | true>((value) => (value === true ? z.literal(true) : skipReason)).optional(),
  only: yes.optional(),
  bot: text.optional(),
  transport: oneOf(['carrier', 'rooms']).optional(),
  carrier: z.lazy(() => oneOf([...CARRIER_NAMES, 'all'])).optional(), // those of extensions are there by then
  from: phoneNumber.default('+12025550199'),
  dialout: z
    .strictObject({
      to: phoneNumber.optional(),
      body: z.record(z.string(), z.unknown()).default({}),
      outcome: oneOf(['answered', 'busy', 'declined', 'no_answer', 'failed']).default('answered'),
      rings: duration.default(1_000),
      machine: z.boolean().default(false),
    })
    .optional(),
  environment: z.record(z.string(), z.string({ error: 'must be a text, in quotes' })).default({}),
  services: oneOf(['scripted', 'real']).optional(),
  model: picked<ModelScript | CheckedRule[]>((value) =>
    typeof value === 'function' ? z.custom<ModelScript>() : modelRules,
  ).optional(),
  tools: playedFunctions.default({}),
  caller: picked<CallerPlayer | CallerStep[]>((value) =>
    isPlayer(value) ? z.custom<CallerPlayer>() : z.array(step, { error: 'must be a list of steps' }),
  ).default([]),
  network: z
    .strictObject({
      loss: percentage.optional(),
      jitter: duration.refine((ms) => ms <= MAX_JITTER_MS, { error: `must be at most ${MAX_JITTER_MS}ms` }).optional(),
      noise: decibels.optional(),
      stalls: z
        .array(
          z.strictObject({
            after: duration,
            for: duration.refine((ms) => ms <= MAX_STALL_MS, { error: `must be at most ${MAX_STALL_MS / 1_000}s` }),
          }),
        )
        .default([]),
    })
    .optional(),
  faults: z.array(fault).default([]),
  expect: expectation.prefault({}),
  limit: duration.default(CALL_LIMIT_MS),
  runs: count(1, MOST_RUNS).default(1),
  passRate: percentage.default(1),
  before: command.optional(),
  after: command.optional(),
  realTime: z.boolean().optional(),
});

/** A call after the first: all of it is its own, but for `from`, `model` and `tools`, which are those of the first where it does not say. */
const followingCall = oneCall
  .pick({ dialout: true, model: true, caller: true, network: true, faults: true, expect: true, limit: true })
  .extend({ wait: duration.default(0), from: phoneNumber.optional(), tools: playedFunctions.optional() })
  .strict();

/** Expectations of how the two sides get on, of a call whose caller does other things than to speak. A telephone that acts by itself may speak. */
function needsCallerWhoSpeaks({
  caller,
  dialout,
  expect,
}: Pick<z.output<typeof oneCall>, 'caller' | 'dialout' | 'expect'>) {
  if (!Array.isArray(caller) || (dialout && caller.length === 0)) return [];
  const speaks = leafSteps(caller).some(({ kind }) => kind === 'say' || kind === 'play');
  return speaks ? [] : TALK_FIGURES.filter((field) => expect[field] !== undefined);
}

/** Everything that a scenario may say. */
export const scenarioSchema = oneCall
  // biome-ignore lint/suspicious/noThenProperty: a list; only a function would make a promise of it
  .extend({ then: oneOrMore(followingCall).default([]) })
  .superRefine((scenario, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    for (const name of LAB_VARIABLES)
      if (name in scenario.environment)
        context.addIssue({ code: 'custom', path: ['environment', name], message: 'is set by the test itself' });
    if (scenario.carrier && scenario.transport === 'rooms')
      refuse('carrier', 'means nothing in rooms: leave one of the two out');
    if (scenario.only && scenario.skip) refuse('only', 'cannot be of a scenario that is skipped');
    if (scenario.services === 'real' && scenario.model) refuse('model', 'is asked only where services are scripted');
    for (const [at, call] of [scenario, ...scenario.then].entries())
      for (const field of needsCallerWhoSpeaks(call))
        context.addIssue({
          code: 'custom',
          path: [...(at === 0 ? [] : ['then', at - 1]), 'expect', field],
          message: 'measures nothing where the caller says nothing: give it a step say or play',
        });
    if (scenario.services === 'real' && scenario.expect.contextAsHeard)
      refuse('expect', 'contextAsHeard needs scripted services');
  });

/** A scenario, checked. Times are milliseconds, shares 0 to 1. */
export type CheckedScenario = z.output<typeof scenarioSchema>;
/** A rule of the scripted model, checked. */
export type CheckedRule = z.output<typeof rule>;
