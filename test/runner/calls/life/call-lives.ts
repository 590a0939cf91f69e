import type { CallEffect, CallEvent, EventType } from '../../../../src/runner/calls/life/call-events.js';
import { decide } from '../../../../src/runner/calls/life/decide.js';
import { type CallLife, type CallPhase, type CallTerms, newCall } from '../../../../src/runner/calls/life/phase.js';

export const OPERATOR = '+12025550101';

const TERMS: CallTerms = {
  id: 'call-1',
  media: 'stream',
  isDialled: false,
  isTunnelled: false,
  lengthMs: 3_600_000,
  ringMs: 30_000,
  endsOnMachine: false,
  operatorNumber: OPERATOR,
  phoneNumber: undefined,
};

export const carrierCall = (terms: Partial<CallTerms> = {}) =>
  newCall({ ...TERMS, ...terms }, { is: terms.isDialled ? 'dialling' : 'ringing' });

export const roomCall = (terms: Partial<CallTerms> = {}) =>
  newCall({ ...TERMS, media: 'room', ...terms }, { is: 'opening_room' });

/** A call that events happen to, one after the other, and all that was to be done for it. */
export class LifeUnderTest {
  readonly effects: CallEffect[] = [];
  /** Of the latest event. */
  latest: readonly CallEffect[] = [];

  constructor(
    public life: CallLife,
    public now = 0,
  ) {}

  happen(...events: CallEvent[]): this {
    for (const event of events) {
      const { call, effects } = decide(deepFreeze(this.life), event, this.now);
      this.life = call;
      this.latest = effects;
      this.effects.push(...effects);
    }
    return this;
  }

  get phase(): CallPhase {
    return this.life.phase;
  }

  done<Kind extends CallEffect['do']>(kind: Kind): Array<Extract<CallEffect, { do: Kind }>> {
    return this.effects.filter((effect): effect is Extract<CallEffect, { do: Kind }> => effect.do === kind);
  }
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

/** Of each kind one event that fits a call in its usual course. */
export const EVENTS: { readonly [Type in EventType]: Extract<CallEvent, { type: Type }> } = {
  answer_asked: { type: 'answer_asked', request: 1, botProblem: undefined },
  resume_asked: { type: 'resume_asked', request: 2, streamNo: 1, botProblem: undefined },
  transfer_document_asked: { type: 'transfer_document_asked', request: 3, no: 1, to: OPERATOR, botProblem: undefined },
  destination_answered: { type: 'destination_answered', no: 1, to: OPERATOR, legId: 'leg-1' },
  transfer_ended: {
    type: 'transfer_ended',
    request: 4,
    no: 1,
    to: OPERATOR,
    outcome: 'busy',
    cause: 'busy',
    legId: undefined,
    botProblem: undefined,
  },
  placed: { type: 'placed' },
  dialled_looked_up: { type: 'dialled_looked_up', isThere: false },
  rang: { type: 'rang' },
  machine_detected: { type: 'machine_detected', isMachine: true },
  provider_says_over: { type: 'provider_says_over', reason: 'caller_hung_up' },
  stream_connected: { type: 'stream_connected' },
  stream_closed: { type: 'stream_closed', entry: 1 },
  stream_problem: { type: 'stream_problem', problem: 'StreamTimeout' },
  transfer_adopted: { type: 'transfer_adopted', no: 1, to: OPERATOR },
  transfer_checked: { type: 'transfer_checked', no: 1, to: OPERATOR },
  transfer_agreed: { type: 'transfer_agreed', no: 1 },
  transfer_refused: { type: 'transfer_refused', no: 1, problem: { code: 'VB_TRANSFER_FAILED', message: 'no' } },
  destination_looked_up: { type: 'destination_looked_up', no: 1, step: 'accepted', isThere: false, isCheck: false },
  transfer_lost: { type: 'transfer_lost', no: 1 },
  link_lost: { type: 'link_lost' },
  carrier_agreed: { type: 'carrier_agreed' },
  unknown_at_carrier: { type: 'unknown_at_carrier', isTooLate: false },
  reached_again: { type: 'reached_again', hasMoved: true },
  bot_assigned: { type: 'bot_assigned', entry: 1, bot: 1 },
  bot_missing: { type: 'bot_missing', entry: 1, error: 'none' },
  bot_reading: { type: 'bot_reading', bot: 1 },
  socket_received: { type: 'socket_received', bot: 1 },
  stream_over: { type: 'stream_over', bot: 1, outcome: 'far_end' },
  bot_ends_for: { type: 'bot_ends_for', bot: 1, reason: 'bot_ended' },
  bot_is_hopeless: { type: 'bot_is_hopeless', bot: 1, why: 'misconfigured' },
  bot_cannot_read: {
    type: 'bot_cannot_read',
    bot: 1,
    error: { code: 'VB_STREAM_UNREADABLE', message: 'it carries G722' },
  },
  transfer_wanted: { type: 'transfer_wanted', bot: 1, to: OPERATOR },
  consult_wanted: { type: 'consult_wanted', bot: 1, request: 1, to: OPERATOR, ringSeconds: 30 },
  consulted: { type: 'consulted', bot: 1, request: 1, problem: { code: 'VB_DIAL_LIMIT', message: 'no' } },
  handover_told: {
    type: 'handover_told',
    bot: 1,
    handover: { to: OPERATOR, legId: 'leg-1', phase: 'bridged' },
  },
  leg_over: { type: 'leg_over', leg: 'leg-1', reason: 'busy' },
  leg_bridged: { type: 'leg_bridged', isBridged: true },
  leg_unwanted: { type: 'leg_unwanted' },
  bot_silent: { type: 'bot_silent', bot: 1 },
  bot_done: { type: 'bot_done', bot: 1, outcome: 'returned' },
  room_event: { type: 'room_event', bot: 1, news: { type: 'joined' } },
  target_asked: { type: 'target_asked', bot: 1, request: 1, to: OPERATOR },
  target_checked: { type: 'target_checked', bot: 1, request: 1, to: OPERATOR },
  caller_held: { type: 'caller_held' },
  room_opened: { type: 'room_opened' },
  room_failed: { type: 'room_failed', reason: 'telephony_error' },
  timer_ran_out: { type: 'timer_ran_out', name: 'length' },
  not_placed: { type: 'not_placed', reason: 'telephony_error' },
  runner_lost: { type: 'runner_lost' },
  runner_stops: { type: 'runner_stops' },
  runner_leaves: { type: 'runner_leaves', reason: 'runner_stopped' },
};

const { answer_asked, stream_connected, bot_assigned, bot_reading, room_opened, room_event } = EVENTS;
const TO_TALKING: CallEvent[] = [answer_asked, stream_connected, bot_assigned, bot_reading];
const TO_TRANSFERRING: CallEvent[] = [
  ...TO_TALKING,
  EVENTS.transfer_wanted,
  EVENTS.transfer_checked,
  EVENTS.transfer_agreed,
];
const LET_GO: CallEvent = { type: 'stream_over', bot: 1, outcome: 'transferring' };
const OVER: CallEvent = EVENTS.provider_says_over;

/** What leads a call there by the shortest way. */
export const WAYS: Readonly<Record<string, { readonly call: CallLife; readonly events: readonly CallEvent[] }>> = {
  dialling: { call: carrierCall({ isDialled: true }), events: [] },
  ringing: { call: carrierCall(), events: [] },
  waiting_for_stream: { call: carrierCall(), events: [answer_asked] },
  starting: { call: carrierCall(), events: [answer_asked, stream_connected, bot_assigned] },
  talking: { call: carrierCall(), events: TO_TALKING },
  between_streams: { call: carrierCall(), events: [...TO_TALKING, EVENTS.stream_over] },
  transferring: { call: carrierCall(), events: [...TO_TRANSFERRING, LET_GO] },
  returning: { call: carrierCall(), events: [...TO_TRANSFERRING, LET_GO, EVENTS.transfer_ended] },
  ending: { call: carrierCall(), events: [...TO_TALKING, { type: 'stream_over', bot: 1, outcome: 'bot_ended' }] },
  ended: { call: carrierCall(), events: [...TO_TALKING, OVER] },
  opening_room: { call: roomCall(), events: [] },
  'starting in a room': { call: roomCall(), events: [room_opened, bot_assigned] },
  joined: { call: roomCall(), events: [room_opened, bot_assigned, room_event] },
  'talking in a room': {
    call: roomCall(),
    events: [room_opened, bot_assigned, room_event, { type: 'room_event', bot: 1, news: { type: 'connected' } }],
  },
  'transferring in a room': {
    call: roomCall(),
    events: [room_opened, bot_assigned, room_event, { type: 'room_event', bot: 1, news: { type: 'transferring' } }],
  },
  'ended in a room': { call: roomCall(), events: [room_opened, OVER] },
};

/** A call in this phase. */
export function callIn(way: keyof typeof WAYS): LifeUnderTest {
  const { call, events } = WAYS[way] as (typeof WAYS)[string];
  const under = new LifeUnderTest(call).happen(...events);
  under.effects.length = 0;
  return under;
}
