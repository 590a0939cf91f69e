import { z } from 'zod';
import { END_REASONS } from '../../call/call.js';
import { CARRIER_NAMES } from '../../providers/registry/carrier-names.js';
import type { CallerPlayer } from './caller-player.js';
import { type CallerStep, step } from './caller-steps.js';
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

const MAX_JITTER_MS = 200;
/** After 5 s the network takes a telephone for gone. */
const MAX_STALL_MS = 4_000;
const MOST_RUNS = 1_000;
const TRANSFER_OUTCOMES = ['answered', 'busy', 'no_answer', 'rejected', 'failed', 'caller_left', 'refused'] as const;

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
  .refine(saysSomething, { error: 'needs say or call' });

/** What the scripted model answers. */
export const modelRules = z.array(rule, { error: 'must be a list of rules' });

const expectation = z.strictObject({
  heard: wordList.default([]),
  notHeard: wordList.default([]),
  understood: wordList.default([]),
  sound: oneOrMore(text).default([]),
  tools: z
    .array(
      picked<{ name: string; input?: Record<string, unknown> | undefined }>((value) =>
        typeof value === 'string'
          ? text.transform((name) => ({ name }))
          : z.strictObject({ name: text, input: z.record(z.string(), z.unknown()).optional() }),
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
  nothingTwice: z.boolean().default(false),
  contextAsHeard: z.boolean().default(false),
  judge: z
    .custom<Judge>((value) => typeof value === 'function', {
      error: 'must be a judge, which only a scenario in TypeScript can have',
    })
    .optional(),
});
/** What must hold, checked. Times are milliseconds. */
export type Expectation = z.output<typeof expectation>;

const isPlayer = (value: unknown): value is CallerPlayer => typeof Object(value).next === 'function';

/** Everything that a scenario may say. */
export const scenarioSchema = z
  .strictObject({
    name: text,
    bot: text.optional(),
    transport: oneOf(['carrier', 'rooms']).optional(),
    carrier: oneOf([...CARRIER_NAMES, 'all']).optional(),
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
    caller: picked<CallerPlayer | CallerStep[]>((value) =>
      isPlayer(value) ? z.custom<CallerPlayer>() : z.array(step, { error: 'must be a list of steps' }),
    ).default([]),
    network: z
      .strictObject({
        loss: percentage.optional(),
        jitter: duration
          .refine((ms) => ms <= MAX_JITTER_MS, { error: `must be at most ${MAX_JITTER_MS}ms` })
          .optional(),
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
    limit: duration.default(60_000),
    runs: count(1, MOST_RUNS).default(1),
    passRate: percentage.default(1),
    realTime: z.boolean().optional(),
  })
  .superRefine((scenario, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (scenario.carrier && scenario.transport === 'rooms')
      refuse('carrier', 'means nothing in rooms: leave one of the two out');
    if (scenario.services === 'real' && scenario.model) refuse('model', 'is asked only where services are scripted');
    if (scenario.services === 'real' && scenario.expect.contextAsHeard)
      refuse('expect', 'contextAsHeard needs scripted services');
  });

/** A scenario, checked. Times are milliseconds, shares 0 to 1. */
export type CheckedScenario = z.output<typeof scenarioSchema>;
/** A rule of the scripted model, checked. */
export type CheckedRule = z.output<typeof rule>;
