import fc from 'fast-check';
import type { EndReason } from '../../../../src/call/call.js';
import type { CallEffect, CallEvent } from '../../../../src/runner/calls/life/call-events.js';
import { isLegal } from '../../../../src/runner/calls/life/legal-events.js';
import {
  type CallLife,
  type CallPhase,
  type CallTerms,
  MAX_ATTEMPTS,
  type TimerName,
} from '../../../../src/runner/calls/life/phase.js';
import { carrierCall, EVENTS, LifeUnderTest, OPERATOR, roomCall } from './call-lives.js';

/** A sequence of events, legal and not: of each its kind, what it is about, and the time until then in milliseconds. */
type Step = readonly [kind: number, about: number, which: number, ms: number];

const steps = fc.array(
  fc.tuple(fc.nat({ max: 99 }), fc.nat({ max: 3 }), fc.nat({ max: 9 }), fc.constantFrom(0, 1, 700, 1_500, 30_000)),
  { minLength: 1, maxLength: 40 },
);
const terms = fc.record({
  isDialled: fc.boolean(),
  isTunnelled: fc.boolean(),
  endsOnMachine: fc.boolean(),
  media: fc.constantFrom<CallTerms['media'][]>('stream', 'stream', 'room'),
  linkedTo: fc.constantFrom<CallTerms['linkedTo'][]>(undefined, undefined, 'call-0'),
});

/** Kinds of events; those that lead on are there more than once, so that calls get far. */
const KINDS: readonly CallEvent['type'][] = [
  ...(Object.keys(EVENTS) as CallEvent['type'][]),
  ...Array<CallEvent['type']>(4).fill('stream_connected'),
  ...Array<CallEvent['type']>(8).fill('bot_assigned'),
  ...Array<CallEvent['type']>(8).fill('bot_reading'),
  ...Array<CallEvent['type']>(10).fill('room_event'),
  ...Array<CallEvent['type']>(4).fill('room_opened'),
  ...Array<CallEvent['type']>(4).fill('answer_asked'),
  ...Array<CallEvent['type']>(4).fill('resume_asked'),
  ...Array<CallEvent['type']>(4).fill('transfer_wanted'),
  ...Array<CallEvent['type']>(4).fill('transfer_checked'),
  ...Array<CallEvent['type']>(4).fill('transfer_agreed'),
  ...Array<CallEvent['type']>(3).fill('stream_over'),
  ...Array<CallEvent['type']>(3).fill('timer_ran_out'),
];
/** Events that end calls are rarer than the others. */
const ENDINGS: readonly CallEvent['type'][] = [
  'provider_says_over',
  'not_placed',
  'runner_leaves',
  'unknown_at_carrier',
];

const OUTCOMES = ['bot_ended', 'far_end', 'stream_lost', 'bot_crashed', 'bot_timeout', 'transferring'] as const;
const TRANSFER_OUTCOMES = ['completed', 'caller_left', 'busy', 'no_answer', 'failed'] as const;
const SETTLED = ['returned', 'threw', 'lost', 'hung'] as const;
const NEWS = [
  'joined',
  'joined',
  'joined',
  'forwarded',
  'dialled',
  'ringing',
  'connected',
  'transferring',
  'over',
  'silent',
] as const;
const PROBLEM = { code: 'VB_TRANSFER_FAILED', message: 'no' } as const;

/** What a call has opened, as seen from outside. */
class Obligations {
  readonly asked = new Set<number>();
  readonly answered = new Map<number, number>();
  readonly timers = new Set<TimerName>();
  /** Streams that were let in and that nobody has. */
  readonly streams = new Set<number>();
  /** Bots that were started and know nothing of the end of their part. */
  readonly bots = new Set<number>();
  /** Transfers that bots have asked for and were not answered, by bot. */
  readonly wishes = new Map<number, number>();
  /** Those of them whose stream the carrier has closed, and that wait for its answer to a transfer. */
  readonly unanswered = new Set<number>();
  isRecovering = false;
  isHungUp = false;
  hasRoom = false;
  ends: EndReason[] = [];
  /** What the call has ended with. */
  last: CallEvent | undefined;
  wasTransferred = false;
  readonly wrong: string[] = [];

  take(effects: readonly CallEffect[]): void {
    for (const effect of effects) {
      if (this.ends.length > 0 && effect.do !== 'answer' && effect.do !== 'log')
        this.wrong.push(`${effect.do} after the end`);
      this.#take(effect);
    }
  }

  #take(effect: CallEffect): void {
    switch (effect.do) {
      case 'answer':
        this.answered.set(effect.request, (this.answered.get(effect.request) ?? 0) + 1);
        break;
      case 'set_timer':
        if (!(effect.ms >= 0)) this.wrong.push(`timer ${effect.name} of ${effect.ms} ms`);
        this.timers.add(effect.name);
        break;
      case 'clear_timer':
        if (!this.timers.delete(effect.name)) this.wrong.push(`clears ${effect.name}, which does not run`);
        break;
      case 'end':
        this.ends.push(effect.reason);
        break;
      case 'serve_bot':
        if (effect.attempt > MAX_ATTEMPTS) this.wrong.push(`attempt ${effect.attempt}`);
        this.bots.add(effect.bot);
        break;
      case 'abandon_bot':
        this.bots.delete(effect.bot);
        break;
      case 'tell_bot':
        if (effect.message.type === 'call_over') this.bots.delete(effect.bot);
        if (effect.message.type === 'call_over') this.wishes.delete(effect.bot);
        if (effect.message.type === 'transfer_answer') this.#answerWish(effect.bot);
        if (effect.message.type === 'transfer_answer' && this.unanswered.delete(effect.bot) && effect.message.problem)
          this.bots.delete(effect.bot);
        break;
      case 'give_stream':
      case 'end_stream':
      case 'drop_stream':
        if (!this.streams.delete(effect.entry)) this.wrong.push(`${effect.do} of a stream that is not there`);
        break;
      case 'recover':
        this.isRecovering = true;
        break;
      case 'stop_recovering':
        this.isRecovering = false;
        break;
      case 'hang_up':
        this.isHungUp = true;
        break;
      case 'close_room':
      case 'leave_room':
        if (!this.hasRoom) this.wrong.push(`${effect.do} of no room`);
        this.hasRoom = false;
        break;
    }
  }

  #answerWish(bot: number): void {
    const open = this.wishes.get(bot) ?? 0;
    if (open === 0) this.wrong.push('an answer to no wish');
    this.wishes.set(bot, open - 1);
  }

  /** What is still open when the call is over. */
  get open(): string[] {
    return [
      ...[...this.asked].filter((request) => this.answered.get(request) !== 1).map((request) => `request ${request}`),
      ...[...this.timers].map((name) => `timer ${name}`),
      ...[...this.streams].map((entry) => `stream ${entry}`),
      ...[...this.bots].map((bot) => `bot ${bot}`),
      ...[...this.wishes].filter(([, count]) => count > 0).map(([bot]) => `wish of bot ${bot}`),
      ...(this.isRecovering ? ['recovery'] : []),
      ...(this.hasRoom ? ['room'] : []),
      ...(this.ends.length === 1 ? [] : [`${this.ends.length} ends`]),
    ];
  }
}

/** Lets random events happen to random calls, and each call end at last; throws what was wrong. */
export function checkRandomCalls(numRuns: number): void {
  fc.assert(
    fc.property(terms, steps, (of, sequence) => {
      const { problems, trail } = liveThrough(of, sequence);
      if (problems.length > 0) throw new Error(`${problems.join(', ')}\n${trail.map(told).join('\n')}`);
    }),
    { numRuns },
  );
}

/** What an event made of a call. */
interface Happened {
  readonly from: CallPhase;
  readonly event: CallEvent;
  readonly to: CallPhase;
  readonly effects: readonly CallEffect[];
}

function told({ from, event, to, effects }: Happened): string {
  return `${from.is} ${JSON.stringify(event)} -> ${to.is} ${JSON.stringify(effects)}`;
}

function liveThrough(of: Partial<CallTerms>, sequence: readonly Step[]): { problems: string[]; trail: Happened[] } {
  const under = new LifeUnderTest(of.media === 'room' ? roomCall(of) : carrierCall(of));
  const seen = new Obligations();
  seen.hasRoom = of.media === 'room';
  const trail: Happened[] = [];
  const happen = (event: CallEvent) => {
    const { phase, facts } = under.life;
    before(under, seen, event);
    under.happen(event);
    const isNew = under.life.facts.entries > facts.entries;
    if (isNew && of.media === 'stream') seen.streams.add(under.life.facts.entries);
    seen.take(under.latest);
    if (seen.ends.length > 0) seen.last ??= event;
    const { decided } = under.life.facts;
    if (decided === 'transferred') seen.wasTransferred = true;
    if (seen.wasTransferred && decided === 'runner_stopped') seen.wrong.push('the transfer is forgotten');
    const { asked } = under.life.stream;
    // One that has lost its bot may: another bot takes the caller, and a transfer that comes all the same takes it from that.
    const hasBot = event.type !== 'stream_over' || event.outcome === 'far_end' || event.outcome === 'stream_lost';
    if (seen.isRecovering && asked?.isAtCarrier && phase.is === 'talking' && hasBot)
      seen.wrong.push('the carrier is asked to come while it may transfer the call');
    if (under.life.facts.attempt > MAX_ATTEMPTS) seen.wrong.push(`attempt ${under.life.facts.attempt}`);
    trail.push({ from: phase, event, to: under.phase, effects: under.latest });
  };
  sequence.forEach((step, index) => {
    under.now += step[3];
    const event = eventOf(under, step, index);
    if (!event) return;
    const before = under.life;
    happen(event);
    if (under.life === before) return;
    // From every state the provider can end the call.
    const ended = new LifeUnderTest(under.life, under.now).happen(EVENTS.provider_says_over);
    if (ended.phase.is !== 'ended') seen.wrong.push(`${under.phase.is} does not end when the provider says so`);
  });
  happen(EVENTS.provider_says_over);
  happen(EVENTS.answer_asked);
  const isKnownToProvider = ['provider_says_over', 'unknown_at_carrier'].includes(seen.last?.type ?? '');
  const isOwed = of.media === 'stream' && !isKnownToProvider && !seen.isHungUp && seen.ends[0] !== 'transferred';
  return { problems: [...seen.wrong, ...seen.open, ...(isOwed ? ['nobody hangs up'] : [])], trail };
}

/** What the event opens or settles by itself. */
function before(under: LifeUnderTest, seen: Obligations, event: CallEvent): void {
  const { phase } = under;
  if ('request' in event && event.type !== 'target_asked' && event.type !== 'target_checked')
    seen.asked.add(event.request);
  if (event.type === 'runner_lost' && phase.is !== 'ended') runnerLost(under, seen);
  if (event.type === 'timer_ran_out') seen.timers.delete(event.name);
  if (event.type === 'stream_closed' && phase.is === 'starting' && phase.entry === event.entry)
    seen.streams.delete(event.entry);
  if (event.type === 'stream_over' && mayBeTransferring(under, event)) seen.unanswered.add(event.bot);
  else if (event.type === 'stream_over' && !isLetGo(phase, event) && !seen.unanswered.has(event.bot))
    seen.bots.delete(event.bot);
  if (event.type === 'bot_done') {
    seen.bots.delete(event.bot);
    seen.wishes.delete(event.bot);
  }
  if (event.type === 'transfer_wanted' && under.life.terms.media === 'stream' && phase.is !== 'ended')
    seen.wishes.set(event.bot, (seen.wishes.get(event.bot) ?? 0) + 1);
}

/** What was open there is gone with the runner. */
function runnerLost({ life }: LifeUnderTest, seen: Obligations): void {
  seen.streams.clear();
  seen.bots.clear();
  seen.wishes.clear();
  seen.unanswered.clear();
  seen.isRecovering = false;
  for (const { no } of life.stream.requests) seen.answered.set(no, 1);
}

/** Whether the carrier closes the stream of a bot before it answers whether it transfers the call. */
function mayBeTransferring(
  { phase, life: { stream } }: LifeUnderTest,
  { bot, outcome }: Extract<CallEvent, { type: 'stream_over' }>,
): boolean {
  const isTheirs = phase.is === 'talking' && phase.bot === bot && stream.asked?.bot === bot;
  return isTheirs && stream.asked?.isAtCarrier === true && (outcome === 'far_end' || outcome === 'stream_lost');
}

/** Whether the bot goes on to wait for what becomes of its caller. */
function isLetGo({ is }: CallPhase, { outcome }: Extract<CallEvent, { type: 'stream_over' }>): boolean {
  return outcome === 'transferring' && (is === 'transferring' || is === 'returning' || is === 'ending');
}

/** @param about which of the bots, transfers and starts of the call it is about: of those there are, or another one */
function eventOf({ life }: LifeUnderTest, [kind, about, which]: Step, index: number): CallEvent | undefined {
  // Most of them mean something in the phase, so that calls get far.
  const legal = about === 0 ? [] : legalKindsOf(life);
  const kinds = legal.length > 0 ? legal : KINDS;
  const type = kinds[kind % kinds.length] as CallEvent['type'];
  if (ENDINGS.includes(type) && which > 0) return undefined;
  const { phase, facts, stream } = life;
  const request = index + 10;
  const pick = <Of>(of: readonly Of[]) => of[which % of.length] as Of;
  const known =
    phase.is === 'starting' ? phase.bots.map(({ bot }) => bot) : 'bot' in phase && phase.bot ? [phase.bot] : [];
  const bot = about > 0 && known.length > 0 ? pick(known) : which;
  const entry = about > 0 ? facts.entries : which;
  const no = about > 0 ? stream.transfers : which;
  const botProblem = which === 9 ? 'none' : undefined;
  switch (type) {
    case 'answer_asked':
      return { type, request, botProblem };
    case 'resume_asked':
      return { type, request, botProblem, streamNo: about === 0 ? which : about === 1 ? undefined : stream.streamNo };
    case 'transfer_document_asked':
      return { type, request, no, to: OPERATOR, botProblem };
    case 'destination_answered':
      return { type, no, to: OPERATOR, legId: undefined };
    case 'transfer_ended':
      return {
        type,
        request,
        no,
        to: OPERATOR,
        outcome: pick(TRANSFER_OUTCOMES),
        cause: '',
        legId: undefined,
        botProblem,
      };
    case 'machine_detected':
      return { type, isMachine: which > 4 };
    case 'stream_closed':
      return { type, entry };
    case 'transfer_checked':
      return { type, no, to: OPERATOR };
    case 'transfer_agreed':
    case 'transfer_lost':
      return { type, no };
    case 'transfer_refused':
      return { type, no, problem: PROBLEM };
    case 'destination_looked_up': {
      const step = phase.is === 'transferring' && about > 0 ? phase.step : 'accepted';
      return { type, no, step, isThere: which > 3, isCheck: which % 2 === 0 };
    }
    case 'unknown_at_carrier':
      return { type, isTooLate: about > 1 };
    case 'reached_again':
      return { type, hasMoved: which > 4 };
    case 'bot_assigned':
      return { type, entry, bot: 100 + index };
    case 'bot_missing':
      return { type, entry, error: 'none' };
    case 'bot_reading':
    case 'socket_received':
    case 'bot_silent':
      return { type, bot };
    case 'bot_is_hopeless':
      return { type, bot, why: pick(['fails_alike', 'misconfigured'] as const) };
    case 'stream_over':
      return { type, bot, outcome: pick(OUTCOMES) };
    case 'bot_ends_for':
      return { type, bot, reason: 'bot_ended' };
    case 'bot_cannot_read':
      return { ...EVENTS.bot_cannot_read, bot };
    case 'transfer_wanted':
      return { type, bot, to: OPERATOR };
    case 'bot_done':
      return { type, bot, outcome: pick(SETTLED) };
    case 'room_event':
      return { type, bot, news: newsOf(pick(NEWS)) };
    case 'target_asked':
      return { type, bot, request, to: OPERATOR };
    case 'target_checked':
      return { type, bot, request, to: OPERATOR };
    case 'timer_ran_out':
      return timerEvent(facts.timers, about, which);
    default:
      return EVENTS[type];
  }
}

const legalKinds = new Map<string, readonly CallEvent['type'][]>();

/** The kinds that mean something in the phase of the call. */
function legalKindsOf(life: CallLife): readonly CallEvent['type'][] {
  const state = `${life.terms.media} ${life.phase.is}`;
  const known = legalKinds.get(state) ?? KINDS.filter((kind) => isLegal(life, kind));
  legalKinds.set(state, known);
  return known;
}

function newsOf(type: (typeof NEWS)[number]): Extract<CallEvent, { type: 'room_event' }>['news'] {
  if (type === 'dialled') return { type, sessionId: 'leg-1' };
  if (type === 'over') return { type, reason: 'caller_hung_up' };
  return { type };
}

function timerEvent(running: readonly TimerName[], about: number, which: number): CallEvent | undefined {
  const name = running[which % Math.max(1, running.length)];
  if (about === 0) return { type: 'timer_ran_out', name: 'tone' };
  return name && { type: 'timer_ran_out', name };
}
