import { z } from 'zod';
import { VoicebotError } from '../../../base/errors.js';
import { END_REASONS } from '../../../call/call.js';
import { asCallId } from '../../../call/call-id.js';
import type { Handover } from '../../../call/consult.js';
import type { CallLife, CallPhase, PendingDocument, TimerName } from './phase.js';

/** Timers that run, and when they run out: milliseconds since the Unix epoch. */
export type RunningTimers = Readonly<Partial<Record<TimerName, number>>>;

/** The life of a call: what another runner needs to go on with it. */
export interface PortableLife {
  readonly life: CallLife;
  readonly timers: RunningTimers;
}

/** Times by this machine's monotonic clock mean nothing elsewhere, and are left out. */
export function packLife(life: CallLife, timers: RunningTimers): PortableLife {
  const { stream, phase } = life;
  return {
    life: { ...life, stream: { ...stream, waitingSince: undefined, requests: [] }, phase: withResumedAt(phase, 0) },
    timers,
  };
}

/** What JSON has left out is undefined again. */
export const maybe = <Schema extends z.ZodType>(schema: Schema) => schema.optional().transform((value) => value);
const ID = z.string().max(256);
/** A number that a call goes to, E.164, or an address; empty where only the provider knows it. */
const TARGET = z.string().max(256);
const COUNT = z.int().min(0);
const MS = z.number().min(0);
const REASON = z.enum(END_REASONS);
const OUTCOME = z.enum(['bot_ended', 'far_end', 'stream_lost', 'bot_crashed', 'bot_timeout', 'transferring']);
const FAILED_TRANSFER = z.object({ status: z.enum(['busy', 'no_answer', 'rejected', 'failed']), detail: z.string() });
const HANDOVER = z.object({
  to: TARGET,
  legId: ID,
  phase: z.enum(['ringing', 'briefing', 'bridged']),
  warm: maybe(
    z.object({
      brief: z.string(),
      accept: z.enum(['key', 'yes', 'answer']),
      key: maybe(z.string().max(1)),
      hold: maybe(z.string()),
    }),
  ),
}) satisfies z.ZodType<Handover>;
const TIMERS = z.enum([
  'length',
  'goodbye',
  'beside',
  'tone',
  'entry',
  'dial_news',
  'last_word',
  'outcome',
  'problem',
  'transfer_news',
  'connect',
  'answer',
  'parted',
]) satisfies z.ZodType<TimerName>;

const bare = <Name extends 'dialling' | 'ringing' | 'opening_room'>(is: Name) => z.object({ is: z.literal(is) });
const withBot = <Name extends 'joined' | 'talking'>(is: Name) => z.object({ is: z.literal(is), bot: COUNT });

const PHASE: z.ZodType<CallPhase> = z.discriminatedUnion('is', [
  bare('dialling'),
  bare('ringing'),
  bare('opening_room'),
  z.object({ is: z.literal('waiting_for_stream'), resumes: COUNT, resumedAt: MS }),
  z.object({ is: z.literal('returning'), bot: COUNT, outcome: FAILED_TRANSFER, resumes: COUNT, resumedAt: MS }),
  z.object({
    is: z.literal('starting'),
    entry: COUNT,
    bots: z.array(z.object({ bot: COUNT, attempt: COUNT })),
    attempt: COUNT,
    isAssigning: z.boolean(),
  }),
  withBot('joined'),
  withBot('talking'),
  z.object({ is: z.literal('between_streams'), outcome: OUTCOME, hadBot: z.boolean(), isAssumed: maybe(z.boolean()) }),
  z.object({
    is: z.literal('transferring'),
    no: COUNT,
    to: TARGET,
    step: z.enum(['accepted', 'answered']),
    bot: maybe(COUNT),
    hasStream: z.boolean(),
  }),
  z.object({ is: z.literal('ending'), bot: maybe(COUNT) }),
  z.object({ is: z.literal('ended'), reason: REASON }),
]);

const LIFE: z.ZodType<CallLife> = z.object({
  terms: z.object({
    id: ID.min(1).transform(asCallId),
    media: z.enum(['stream', 'room']),
    isDialled: z.boolean(),
    isTunnelled: z.boolean(),
    lengthMs: MS,
    ringMs: MS,
    endsOnMachine: z.boolean(),
    operatorNumber: maybe(TARGET),
    phoneNumber: maybe(TARGET),
    linkedTo: maybe(ID.min(1).transform(asCallId)),
  }),
  facts: z.object({
    attempt: COUNT,
    reconnects: COUNT,
    decided: maybe(REASON),
    seen: maybe(REASON),
    isAnswered: z.boolean(),
    isMachine: z.boolean(),
    isAskedToEnd: z.boolean(),
    hasBotEnded: z.boolean(),
    isHopeless: z.boolean().default(false),
    handover: maybe(HANDOVER),
    isBridged: z.boolean().default(false),
    entries: COUNT,
    timers: z.array(TIMERS),
  }),
  stream: z.object({
    streamNo: COUNT,
    outcome: maybe(OUTCOME),
    problem: maybe(z.string()),
    waitingSince: maybe(z.undefined()),
    isNextCounted: z.boolean(),
    requests: z.array(z.unknown()).transform((): PendingDocument[] => []), // these requests wait at the other runner
    lastWord: maybe(z.object({ reason: REASON, ms: MS })),
    isRecovering: z.boolean(),
    isLinkLost: z.boolean(),
    transfers: COUNT,
    asked: maybe(z.object({ no: COUNT, to: TARGET, bot: maybe(COUNT), isAtCarrier: z.boolean() })),
    refused: maybe(COUNT),
    failedTransfer: maybe(FAILED_TRANSFER.extend({ toEndPoint: TARGET })),
  }),
  room: z.object({
    isForwarded: z.boolean(),
    dialout: maybe(z.object({ sessionId: ID, isAnswered: z.boolean() })),
    isDialling: z.boolean().default(false),
    transfer: maybe(
      z.object({
        to: TARGET,
        leg: z.object({ sessionId: ID, kind: z.enum(['dial-in', 'dial-out']) }),
        destination: ID.optional(),
        isRinging: z.boolean(),
      }),
    ),
    targets: COUNT,
  }),
  phase: PHASE,
});

const PORTABLE = z.object({ life: LIFE, timers: z.partialRecord(TIMERS, z.number()) });

/**
 * Reads the life of a call that comes from another runner.
 * @param value JSON, of any form
 * @throws VoicebotError VB_CLUSTER_UNSUITABLE, which names the fields and not what is in them
 */
export function unpackLife(value: unknown): PortableLife {
  const { life, timers } = readPortable(PORTABLE, value);
  const running = Object.keys(timers) as TimerName[];
  const phase = withResumedAt(life.phase, Number.NEGATIVE_INFINITY);
  return { life: { ...life, facts: { ...life.facts, timers: running }, phase }, timers };
}

/**
 * Reads a part of a live call that comes from another runner.
 * @throws VoicebotError VB_CLUSTER_UNSUITABLE, which names the fields and not what is in them
 */
export function readPortable<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const fields = [...new Set(read.error.issues.map(({ path }) => path.join('.') || 'all of it'))];
  throw new VoicebotError('VB_CLUSTER_UNSUITABLE', `a call of another runner cannot be read: ${fields.join(', ')}`, {
    hint: 'Run the same version of voicebot on all machines of the cluster',
  });
}

function withResumedAt(phase: CallPhase, resumedAt: number): CallPhase {
  return phase.is === 'waiting_for_stream' || phase.is === 'returning' ? { ...phase, resumedAt } : phase;
}
