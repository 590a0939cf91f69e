import type { EventType } from './call-events.js';
import type { CallLife, PhaseName } from './phase.js';

interface Legal {
  /** Which calls have it. Default: all. */
  readonly media?: 'stream' | 'room';
  readonly in: readonly PhaseName[];
}

/** A call whose document the carrier may ask for. */
const ON_THE_LINE = [
  'dialling',
  'ringing',
  'waiting_for_stream',
  'returning',
  'starting',
  'talking',
  'between_streams',
  'transferring',
  'ending',
] as const;
const IN_A_ROOM = ['opening_room', 'starting', 'joined', 'talking', 'transferring'] as const;
const ALIVE = [...ON_THE_LINE, 'opening_room', 'joined'] as const;
/** A transfer may have been asked for, and not agreed on yet. */
const WITH_REQUEST = ON_THE_LINE.slice(2);
/** The carrier may be asked to come. */
const WITHOUT_STREAM = ['waiting_for_stream', 'returning', 'between_streams', 'ending'] as const;

/**
 * The phases in which an event means something. In any other it changes nothing and is logged: a copy, or an event that another one
 * has overtaken. A request for a document is answered all the same, with a hang-up.
 */
export const LEGAL_EVENTS: Readonly<Record<EventType, Legal>> = {
  answer_asked: { media: 'stream', in: ON_THE_LINE },
  resume_asked: { media: 'stream', in: ON_THE_LINE },
  transfer_document_asked: { media: 'stream', in: ON_THE_LINE },
  transfer_ended: { media: 'stream', in: ON_THE_LINE },
  destination_answered: { media: 'stream', in: WITH_REQUEST },
  placed: { media: 'stream', in: ['dialling', 'ringing'] },
  dialled_looked_up: { media: 'stream', in: ['dialling', 'ringing'] },
  rang: { media: 'stream', in: ['dialling'] },
  machine_detected: { media: 'stream', in: ON_THE_LINE },
  provider_says_over: { in: ALIVE },
  stream_connected: {
    media: 'stream',
    in: ['waiting_for_stream', 'returning', 'starting', 'talking', 'between_streams'],
  },
  stream_closed: { media: 'stream', in: ['starting'] },
  stream_problem: { media: 'stream', in: ON_THE_LINE },
  transfer_adopted: { media: 'stream', in: ['ringing'] },
  transfer_checked: { media: 'stream', in: WITH_REQUEST },
  transfer_agreed: { media: 'stream', in: WITH_REQUEST },
  transfer_refused: { media: 'stream', in: WITH_REQUEST },
  destination_looked_up: { media: 'stream', in: ['transferring'] },
  transfer_lost: { media: 'stream', in: ['transferring'] },
  link_lost: { media: 'stream', in: WITHOUT_STREAM },
  carrier_agreed: { media: 'stream', in: WITHOUT_STREAM },
  unknown_at_carrier: { media: 'stream', in: WITHOUT_STREAM },
  reached_again: { media: 'stream', in: ['dialling', 'ringing', 'transferring'] },
  bot_assigned: { in: ['starting'] },
  bot_missing: { in: ['starting'] },
  bot_reading: { media: 'stream', in: ['starting'] },
  socket_received: { media: 'stream', in: ['talking'] },
  stream_over: { media: 'stream', in: ['starting', 'talking', 'transferring'] },
  bot_ends_for: { media: 'stream', in: ['starting', 'talking', 'transferring'] },
  bot_is_hopeless: { in: ['starting', 'joined', 'talking', 'transferring'] },
  bot_cannot_read: { in: ['starting', 'joined', 'talking', 'transferring'] },
  transfer_wanted: { media: 'stream', in: ON_THE_LINE },
  consult_wanted: { in: ALIVE },
  consulted: { in: ALIVE },
  handover_told: { in: ['starting', 'joined', 'talking', 'transferring'] },
  leg_over: { in: ALIVE },
  leg_bridged: { in: ALIVE },
  leg_unwanted: { in: ALIVE },
  bot_silent: { media: 'stream', in: ['talking'] },
  bot_done: { in: [...ON_THE_LINE.slice(2), 'joined'] },
  room_event: { media: 'room', in: IN_A_ROOM.slice(1) },
  target_asked: { media: 'room', in: IN_A_ROOM },
  target_checked: { media: 'room', in: IN_A_ROOM },
  caller_held: { media: 'room', in: ['opening_room'] },
  room_opened: { media: 'room', in: ['opening_room'] },
  room_failed: { media: 'room', in: ['opening_room'] },
  timer_ran_out: { in: ALIVE },
  not_placed: { media: 'stream', in: ON_THE_LINE },
  runner_lost: { in: ALIVE },
  runner_stops: { in: ALIVE },
  runner_leaves: { in: ALIVE },
};

/** Whether a media stream may be let in. */
export function takesStream(life: CallLife): boolean {
  return life.facts.decided === undefined && isLegal(life, 'stream_connected');
}

export function isLegal({ terms, phase }: CallLife, type: EventType): boolean {
  const legal = LEGAL_EVENTS[type];
  return legal.in.includes(phase.is) && (legal.media ?? terms.media) === terms.media;
}
