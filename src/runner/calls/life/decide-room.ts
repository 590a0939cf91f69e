import { type ErrorCode, type ErrorFields, VoicebotError } from '../../../base/errors.js';
import { whyNobodyAnswers } from '../../../call/operator-number.js';
import type { EventOf } from './call-events.js';
import { askToEnd, end, onLimit, startLength, tell } from './decide-ending.js';
import { abandonBots, botLost, claim, isStarting, startBots } from './decide-starting.js';
import type { Decision } from './decision.js';
import { hasMoreBots, reasonOf } from './phase.js';

/**
 * How long a bot that is in its room may take until the caller is there, in milliseconds: the provider holds a caller for half
 * a minute, and a bot gives up earlier on one whom it fetches.
 */
const CONNECT_LIMIT_MS = 45_000;
/** The same once the caller has been forwarded, and hears no music any more. */
const FORWARDED_LIMIT_MS = 15_000;
/** How long a bot that is in its room may take until the phone rings, in milliseconds. */
const DIAL_SLACK_MS = 30_000;
/** Numbers one call's bots may ask to call, beside the one they were started for. */
const MAX_TARGETS = 5;

export function onRoomOpened(d: Decision): void {
  if (!d.terms.isDialled) d.do({ do: 'record', change: { state: 'starting' } });
  startBots(d, d.facts.attempt);
}

export function onRoomEvent(d: Decision, { bot, news }: EventOf<'room_event'>): void {
  if (news.type === 'joined') {
    onJoined(d, bot);
    return;
  }
  if (news.type === 'over' && news.reason === 'room_closed' && isStarting(d, bot)) {
    onRoomClosed(d, bot);
    return;
  }
  if (botInRoom(d) !== bot) return;
  switch (news.type) {
    case 'forwarded':
      d.learnOfRoom({ isForwarded: true });
      if (d.phase.is === 'joined') d.setTimer('connect', FORWARDED_LIMIT_MS);
      break;
    case 'dialled':
      d.learn({ seen: undefined }); // what was seen was the end of an earlier call out of the same room
      d.learnOfRoom({ dialout: { sessionId: news.sessionId, isAnswered: false }, isDialling: false });
      d.setTimer('answer', d.terms.ringMs + DIAL_SLACK_MS);
      break;
    case 'ringing':
      if (!isUnanswered(d)) break; // late, or of another leg
      d.do({ do: 'record', change: { state: 'ringing' } });
      d.setTimer('answer', d.terms.ringMs);
      break;
    case 'connected':
      onConnected(d, bot);
      break;
    case 'transferring':
      d.learnOfRoom({ transfer: news.transfer });
      d.clearTimers('connect', 'answer');
      d.go({ is: 'transferring', no: 0, to: news.transfer?.to ?? '', step: 'accepted', bot, hasStream: true });
      d.do({ do: 'record', change: { state: 'transferring' } });
      break;
    case 'transfer_failed':
      d.learnOfRoom({ transfer: undefined });
      d.go({ is: 'talking', bot });
      d.do({ do: 'record', change: { state: 'connected' } });
      break;
    case 'over':
      d.learn({ seen: d.facts.seen ?? news.reason });
      break;
    case 'silent':
      onLimit(d, 'silence');
      break;
  }
}

/** A bot was not let into the room, since it is gone: no other one would be. */
function onRoomClosed(d: Decision, bot: number): void {
  abandonBots(d, bot);
  if (d.phase.is === 'starting') d.go({ ...d.phase, bots: d.phase.bots.filter((other) => other.bot === bot) });
  end(d, reasonOf(d.facts) ?? 'room_closed');
}

/** The callee has not answered in time. */
export function onNoAnswer(d: Decision): void {
  if (d.room.dialout) askToEnd(d, 'no_answer');
  else onNotConnected(d);
}

/** Another bot would do the same: the caller was never fetched, or no number was called. */
export function onNotConnected(d: Decision): void {
  const missing = d.terms.isDialled ? 'startDialout' : 'dialinSettings';
  d.log('warn', 'the bot has joined its room and has not connected the other party', { missing });
  askToEnd(d, 'not_connected');
}

export function onRoomBotDone(d: Decision, { bot, outcome }: EventOf<'bot_done'>): void {
  const isOnItsWay = isStarting(d, bot) !== undefined;
  if (!isOnItsWay && botInRoom(d) !== bot) return;
  const reason = reasonOf(d.facts) ?? (outcome === 'returned' ? 'bot_ended' : undefined);
  const failure = outcome === 'hung' ? 'bot_timeout' : 'bot_crashed';
  if (reason) end(d, reason);
  else if (isOnItsWay) botLost(d, bot, failure);
  else replace(d, failure);
}

/** A bot wants to call a number out of its room. */
export function onTargetAsked(d: Decision, { bot, request, to }: EventOf<'target_asked'>): void {
  if (botInRoom(d) !== bot) {
    refuse(d, bot, request, problemOf('VB_TARGET_REFUSED', 'this bot does not have the call'));
    return;
  }
  const nobody = whyNobodyAnswers(to, d.terms.operatorNumber);
  if (nobody && to !== d.terms.phoneNumber) d.log('warn', 'transfer to an unassigned number', { reason: nobody });
  d.do({ do: 'check_target', bot, request, to });
}

export function onTargetChecked(d: Decision, { bot, request, to, problem }: EventOf<'target_checked'>): void {
  const targets = d.room.targets + (to !== undefined && to !== d.terms.phoneNumber ? 1 : 0);
  d.learnOfRoom({ targets });
  if (problem) refuse(d, bot, request, problem);
  else if (targets > MAX_TARGETS) {
    refuse(d, bot, request, problemOf('VB_DIAL_LIMIT', `a call's bot can call ${MAX_TARGETS} numbers`));
  } else {
    if (to !== undefined && to === d.terms.phoneNumber && !d.room.dialout) d.learnOfRoom({ isDialling: true });
    tell(d, [bot], { type: 'target_answer', requestId: request, ...(to !== undefined && { to }) });
  }
}

/** The first of the call's bots that is in the room has the call. */
function onJoined(d: Decision, bot: number): void {
  const { attempt } = d.facts;
  if (!claim(d, bot)) return;
  if (d.facts.attempt !== attempt) d.do({ do: 'record', change: { attempt: d.facts.attempt } });
  d.go({ is: 'joined', bot });
  if (isUnanswered(d)) d.setTimer('answer', d.terms.ringMs + (d.room.dialout ? 0 : DIAL_SLACK_MS));
  else d.setTimer('connect', CONNECT_LIMIT_MS);
}

/** The other party is there and hears the bot. */
function onConnected(d: Decision, bot: number): void {
  const { dialout } = d.room;
  const { isAnswered } = d.facts;
  d.clearTimers('connect', 'answer');
  if (dialout) d.learnOfRoom({ dialout: { ...dialout, isAnswered: true } });
  d.go({ is: 'talking', bot });
  d.do({ do: 'record', change: { state: 'connected' } });
  d.do({ do: 'record_answer' });
  if (!isAnswered) startLength(d);
}

/** Another bot goes on in the same room; `reason` is why the one before could not. */
export function replace(d: Decision, reason: 'bot_crashed' | 'bot_timeout'): void {
  const attempt = d.facts.attempt + 1;
  d.clearTimers('connect', 'answer');
  if (!hasMoreBots(d.facts, d.facts.attempt)) {
    end(d, reason);
    return;
  }
  d.log('warn', 'the bot of a call has failed, starting another one in the same room', { attempt });
  d.learn({ attempt });
  const isTalking = !isUnanswered(d) && !d.room.transfer;
  d.do({ do: 'record', change: { attempt, ...(isTalking && { state: 'starting' }) } });
  startBots(d, attempt);
}

/** The bot that has the call. */
function botInRoom({ phase }: Decision): number | undefined {
  return phase.is === 'joined' || phase.is === 'talking' || phase.is === 'transferring' ? phase.bot : undefined;
}

/** Whether the call goes out and the callee is not there yet. */
function isUnanswered({ terms, room }: Decision): boolean {
  return terms.isDialled && !room.dialout?.isAnswered;
}

function refuse(d: Decision, bot: number, requestId: number, problem: ErrorFields): void {
  d.log('warn', 'the bot may not call a number', { error: problem });
  tell(d, [bot], { type: 'target_answer', requestId, problem });
}

function problemOf(code: ErrorCode, detail: string): ErrorFields {
  return VoicebotError.fieldsOf(new VoicebotError(code, detail), code);
}
