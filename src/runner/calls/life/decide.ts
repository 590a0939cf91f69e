import type { CallEffect, CallEvent, EventOf, EventType } from './call-events.js';
import { onAnswerAsked, onNoOutcome, onResumeAsked } from './decide-documents.js';
import { end, giveUp, isOver, onLimit, startLength } from './decide-ending.js';
import { onConsulted, onConsultWanted, onHandoverTold, onLegOver, onLegUnwanted, onParted } from './decide-legs.js';
import { onRunnerLost } from './decide-lost-runner.js';
import {
  onNoAnswer,
  onNotConnected,
  onRoomBotDone,
  onRoomEvent,
  onRoomOpened,
  onTargetAsked,
  onTargetChecked,
} from './decide-room.js';
import { isStarting, onBotAssigned, onBotMissing, onEntryTimeout, onSlow } from './decide-starting.js';
import {
  HANG_UP_GRACE_MS,
  onBotReading,
  onCarrierAgreed,
  onNoLastWord,
  onSocketReceived,
  onStreamClosed,
  onStreamConnected,
  onStreamOver,
  onStreamProblem,
  onUnknownAtCarrier,
  tellProblem,
} from './decide-stream.js';
import {
  onBotDone,
  onDestinationAnswered,
  onDestinationLookedUp,
  onNoTransferNews,
  onReachedAgain,
  onTransferAdopted,
  onTransferAgreed,
  onTransferChecked,
  onTransferDocumentAsked,
  onTransferEnded,
  onTransferLost,
  onTransferRefused,
  onTransferWanted,
} from './decide-transfer.js';
import { Decision } from './decision.js';
import { isLegal } from './legal-events.js';
import { type CallLife, reasonOf, type TimerName } from './phase.js';

/** How much longer than its ringing a dialled call may go without an event of the carrier, in milliseconds: it may queue there. */
const DIAL_NEWS_SLACK_MS = 60_000;

export interface Decided {
  readonly call: CallLife;
  readonly effects: readonly CallEffect[];
}

/**
 * What becomes of a call when something happens to it. Pure: the same call, event and time give the same decision, which is frozen.
 * An event that means nothing in the call's phase changes nothing and is logged (see `legal-events.ts`).
 * @param now monotonic time in milliseconds
 */
export function decide(call: CallLife, event: CallEvent, now: number): Decided {
  if (!isLegal(call, event.type)) return ignored(call, event);
  const decision = new Decision(call, now);
  (HANDLERS[event.type] as (d: Decision, event: CallEvent) => void)(decision, event);
  const { call: next, effects } = decision.result();
  Object.freeze(next.facts);
  Object.freeze(next.phase);
  return { call: Object.freeze(next), effects: Object.freeze(effects) };
}

function ignored(call: CallLife, event: CallEvent): Decided {
  const { type } = event;
  const message = 'an event means nothing in the phase of its call';
  const log: CallEffect = { do: 'log', level: 'debug', message, fields: { event: type, phase: call.phase.is } };
  if (!isDocumentRequest(event)) return { call, effects: [log] };
  return { call, effects: [{ do: 'answer', request: event.request, document: { is: 'hangup' } }, log] };
}

type DocumentRequestType = 'answer_asked' | 'resume_asked' | 'transfer_document_asked' | 'transfer_ended';

const DOCUMENT_REQUESTS: readonly string[] = [
  'answer_asked',
  'resume_asked',
  'transfer_document_asked',
  'transfer_ended',
] satisfies DocumentRequestType[];

function isDocumentRequest(event: CallEvent): event is EventOf<DocumentRequestType> {
  return DOCUMENT_REQUESTS.includes(event.type);
}

/** What each event does, in a phase in which it means something. */
/** Why a call is given no other bot. */
const HOPELESS: Readonly<Record<EventOf<'bot_is_hopeless'>['why'], string>> = {
  fails_alike: 'two bots of a call have failed alike',
  misconfigured: 'the bot of a call has failed over its own options',
};

const HANDLERS: { readonly [Type in EventType]: (d: Decision, event: EventOf<Type>) => void } = {
  answer_asked: onAnswerAsked,
  resume_asked: onResumeAsked,
  transfer_document_asked: onTransferDocumentAsked,
  transfer_ended: onTransferEnded,
  destination_answered: onDestinationAnswered,
  placed: (d) => d.setTimer('dial_news', d.terms.ringMs + DIAL_NEWS_SLACK_MS),
  dialled_looked_up: (d, { isThere }) => {
    if (isThere) d.setTimer('dial_news', d.terms.ringMs + DIAL_NEWS_SLACK_MS);
    else giveUp(d, 'no_answer');
  },
  rang: (d) => {
    d.go({ is: 'ringing' });
    d.do({ do: 'record', change: { state: 'ringing' } });
  },
  machine_detected: onMachineDetected,
  provider_says_over: (d, { reason }) => isOver(d, reason),
  stream_connected: onStreamConnected,
  stream_closed: onStreamClosed,
  stream_problem: onStreamProblem,
  transfer_adopted: onTransferAdopted,
  transfer_checked: onTransferChecked,
  transfer_agreed: onTransferAgreed,
  transfer_refused: onTransferRefused,
  destination_looked_up: onDestinationLookedUp,
  transfer_lost: onTransferLost,
  link_lost: (d) => {
    d.learnOfStream({ isLinkLost: true });
    d.log('warn', 'the carrier cannot reach us, a caller waits');
  },
  carrier_agreed: onCarrierAgreed,
  unknown_at_carrier: onUnknownAtCarrier,
  reached_again: onReachedAgain,
  bot_assigned: onBotAssigned,
  bot_missing: onBotMissing,
  bot_reading: onBotReading,
  socket_received: onSocketReceived,
  stream_over: onStreamOver,
  bot_ends_for: (d, { bot, reason }) => {
    if (isItsBot(d, bot)) d.learn({ hasBotEnded: true, decided: d.facts.decided ?? reason });
  },
  bot_is_hopeless: (d, { bot, why }) => {
    if (!isItsBot(d, bot)) return;
    d.log('warn', `${HOPELESS[why]}, no other one is tried`);
    d.learn({ isHopeless: true });
  },
  bot_cannot_read: (d, { bot, error }) => {
    if (!isItsBot(d, bot)) return;
    d.log('error', 'the bot of a call has failed over audio that no other bot can read', { error });
    const { phase } = d;
    const isOnTheWay = phase.is === 'transferring' || d.stream.asked !== undefined;
    const hasOthers = phase.is === 'starting' && (phase.bots.length > 1 || phase.isAssigning);
    if (isOnTheWay || hasOthers) return; // the destination, or another bot, has the caller
    d.learn({ decided: d.facts.decided ?? 'audio_unreadable' });
  },
  transfer_wanted: onTransferWanted,
  consult_wanted: onConsultWanted,
  consulted: onConsulted,
  handover_told: (d, event) => {
    if (isItsBot(d, event.bot)) onHandoverTold(d, event);
  },
  leg_over: onLegOver,
  leg_bridged: (d, { isBridged }) => d.learn({ isBridged }),
  leg_unwanted: onLegUnwanted,
  bot_silent: (d, { bot }) => {
    if (isItsBot(d, bot)) onLimit(d, 'silence');
  },
  bot_done: (d, event) => (d.terms.media === 'room' ? onRoomBotDone(d, event) : onBotDone(d, event)),
  room_event: onRoomEvent,
  target_asked: onTargetAsked,
  target_checked: onTargetChecked,
  caller_held: startLength,
  room_opened: onRoomOpened,
  room_failed: (d, { reason }) => end(d, reasonOf(d.facts) ?? reason),
  timer_ran_out: (d, { name }) => {
    if (!d.facts.timers.includes(name)) return; // it was cleared when it was about to run out
    d.timerIsOver(name);
    ON_TIMER[name](d);
  },
  not_placed: (d, { reason }) => giveUp(d, reason),
  runner_lost: onRunnerLost,
  runner_stops: (d) => d.learn({ decided: d.facts.decided ?? d.facts.seen ?? 'runner_stopped' }),
  runner_leaves: (d, { reason }) => {
    if (reasonOf(d.facts) === 'transferred') end(d, 'transferred');
    else giveUp(d, reason);
  },
};

const ON_TIMER: Readonly<Record<TimerName, (d: Decision) => void>> = {
  length: (d) => onLimit(d, 'length'),
  goodbye: (d) => giveUp(d, 'limit_reached'),
  beside: onSlow,
  tone: (d) => {
    if (d.phase.is === 'starting') d.do({ do: 'play_tone', entry: d.phase.entry });
  },
  entry: onEntryTimeout,
  dial_news: (d) => {
    if (d.phase.is === 'dialling' || d.phase.is === 'ringing') d.do({ do: 'look_up_dialled' });
  },
  last_word: onNoLastWord,
  outcome: onNoOutcome,
  problem: tellProblem,
  transfer_news: onNoTransferNews,
  connect: onNotConnected,
  answer: onNoAnswer,
  parted: onParted,
};

/** The carrier has found out what answered. */
function onMachineDetected(d: Decision, { isMachine }: EventOf<'machine_detected'>): void {
  d.learn({ isMachine });
  d.do({ do: 'record', change: { answeredBy: isMachine ? 'machine' : 'person' } });
  if (!isMachine || !d.terms.endsOnMachine) return;
  d.learn({ decided: d.facts.decided ?? 'voicemail' });
  d.do({ do: 'hang_up', graceMs: HANG_UP_GRACE_MS }); // the carrier was asked to, and some cannot
}

/** Whether this bot has the call, or is on the way to it. */
function isItsBot(d: Decision, bot: number): boolean {
  const { phase } = d;
  if (phase.is === 'starting') return isStarting(d, bot) !== undefined;
  return (phase.is === 'joined' || phase.is === 'talking' || phase.is === 'transferring') && phase.bot === bot;
}
