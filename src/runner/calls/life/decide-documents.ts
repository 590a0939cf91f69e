import type { EndReason } from '../../../call/call.js';
import { explained, whyNobodyAnswers } from '../../../call/operator-number.js';
import type { TransferFailure } from '../../../call/transfer-outcome.js';
import type { StreamOutcome } from '../../bots/messages.js';
import { PASS_VALID_MS } from '../carrier/stream-pass.js';
import type { EventOf } from './call-events.js';
import { startLength } from './decide-ending.js';
import type { Decision } from './decision.js';
import { hasMoreBots, type PendingDocument, type PhaseOf } from './phase.js';

/** How long the carrier may be ahead of what our bot tells of its stream's end, in milliseconds. */
export const OUTCOME_LIMIT_MS = 2_000;
/** How long a call without a stream waits for the carrier's next word before it counts as ended, in milliseconds. */
export const LAST_WORD_LIMIT_MS = PASS_VALID_MS;
/**
 * How long a carrier without a tunnel may take to come for the next document, to connect the stream again or to say that the call is
 * over, in milliseconds. Then it is asked to come: some do nothing by themselves.
 */
const COME_BY_ITSELF_MS = 2_000;
/** How long the carrier may take to connect a stream before it is asked to come again, in milliseconds. */
const CONNECT_LIMIT_MS = 5_000;
/** Fetches of the continuation that may find the stream never connected. */
const MAX_FRUITLESS_RESUMES = 3;
/** Fetches that follow one of those this closely are copies of it, in milliseconds. */
const COPY_LIMIT_MS = 1_000;
/** Lost streams of one call that count for nothing; those beyond use up bots. */
const MAX_RECONNECTS = 10;
/** Ends that are no fault of the caller, who hears the recorded line. */
const FAILURES: readonly EndReason[] = ['no_bot', 'bot_crashed', 'bot_timeout', 'telephony_error', 'audio_unreadable'];
/** The carrier has not come for the continuation yet. */
const WAITING: PhaseOf<'waiting_for_stream'> = {
  is: 'waiting_for_stream',
  resumes: 0,
  resumedAt: Number.NEGATIVE_INFINITY,
};

/** The document of a new call. Asking again gives the same one. */
export function onAnswerAsked(d: Decision, { request: no, botProblem }: EventOf<'answer_asked'>): void {
  const request = { no, botProblem };
  const isNew = d.phase.is === 'dialling' || d.phase.is === 'ringing';
  answered(d);
  if (!isNew) answerAgain(d, request);
  else if (d.facts.decided) conclude(d, request, d.facts.decided);
  else if (botProblem) concludeWithoutBot(d, request);
  else {
    d.go(WAITING);
    answerStream(d, request);
  }
}

/** The document after a stream has ended: hang up after a bot that was done, another bot after one that was not. */
export function onResumeAsked(
  d: Decision,
  { request: no, streamNo, botProblem }: Omit<EventOf<'resume_asked'>, 'type'>,
): void {
  const request = { no, botProblem };
  if (streamNo !== undefined && streamNo < d.stream.streamNo) {
    answerAgain(d, request);
    return;
  }
  carrierHasCome(d);
  if (hasOpenStream(d)) {
    if (d.stream.requests.length === 0) d.setTimer('outcome', OUTCOME_LIMIT_MS);
    d.learnOfStream({ requests: [...d.stream.requests, request] });
  } else goOn(d, request);
}

/** The stream of the call is over: requests for what comes next are answered. @returns whether there were any */
export function settleRequests(d: Decision): boolean {
  const [first, ...twins] = d.stream.requests;
  d.learnOfStream({ requests: [] });
  d.clearTimers('outcome');
  if (!first) return false;
  goOn(d, first);
  for (const twin of twins) answerAgain(d, twin);
  return true;
}

/**
 * The bot's process has not said how the stream ended: it was lost on the way, and another bot is to have the caller. Should the carrier
 * have come by mistake, the bots that are there go on; they lose the call when another stream is connected.
 */
export function onNoOutcome(d: Decision): void {
  const { phase } = d;
  if (phase.is !== 'starting' && phase.is !== 'talking') {
    if (phase.is === 'transferring') d.go({ ...phase, hasStream: false });
    settleRequests(d);
    return;
  }
  const [first] = d.stream.requests;
  d.learnOfStream({ requests: d.stream.requests.slice(1) });
  if (first && d.facts.decided) answerAgain(d, first);
  else if (first) followStream(d, first, 'far_end', phase);
  answerWaiting(d);
}

/** A stream is there, or its document is: each request that waits for the next document gets the one of this. */
export function answerWaiting(d: Decision): void {
  const { requests } = d.stream;
  d.learnOfStream({ requests: [] });
  d.clearTimers('outcome');
  for (const request of requests) answerAgain(d, request);
}

/** The carrier is there: it need not be asked to come, and the call does not end for want of its word. */
export function carrierHasCome(d: Decision): void {
  d.clearTimers('last_word');
  if (d.stream.isRecovering) d.do({ do: 'stop_recovering' });
  d.learnOfStream({ isRecovering: false, lastWord: undefined });
}

/** The document of the call as it is, for a copy of a request that comes late. */
export function answerAgain(d: Decision, request: PendingDocument): void {
  if (d.facts.decided) answerLast(d, request, d.facts.decided);
  else answerStream(d, request);
}

/** The end is decided, whatever was decided before: hangs up, or plays the recorded line first. */
export function conclude(d: Decision, request: PendingDocument, decided: EndReason): void {
  d.learn({ decided });
  d.clearTimers('transfer_news');
  const { is } = d.phase;
  if (is !== 'starting' && is !== 'talking') d.go({ is: 'ending', bot: waitingBot(d) });
  answerLast(d, request, decided);
}

/** A webhook may get lost: without a word from the carrier the call ends by what we know. */
export function awaitLastWord(d: Decision, reason: EndReason, ms = LAST_WORD_LIMIT_MS): void {
  d.clearTimers('last_word');
  d.learnOfStream({ lastWord: undefined });
  if (d.phase.is === 'transferring') return; // what the carrier does then has time limits of its own
  d.learnOfStream({ lastWord: { reason, ms } });
  d.setTimer('last_word', ms);
}

/**
 * No stream is there any more. Behind a tunnel the carrier may have come in vain, and is asked to come again.
 * @param graceMs of a tunnel; otherwise the carrier has time to do by itself what it does
 */
export function recover(d: Decision, graceMs: number): void {
  recoverAnyhow(d, d.terms.isTunnelled ? graceMs : COME_BY_ITSELF_MS);
}

export function recoverAnyhow(d: Decision, graceMs: number): void {
  d.learnOfStream({ isRecovering: true });
  d.do({ do: 'recover', graceMs, hadStream: !isWaitingForStream(d) });
}

/**
 * A transfer came to nothing: the caller goes back to the bot that asked for it, or to another one.
 * @param cause in the carrier's words
 */
export function comeBack(d: Decision, request: PendingDocument, status: TransferFailure, cause: string): void {
  if (d.phase.is !== 'transferring') throw new Error(`no caller comes back while a call is ${d.phase.is}`);
  const { to, bot } = d.phase;
  const detail = explained(cause, whyNobodyAnswers(to, d.terms.operatorNumber));
  d.log('warn', 'transfer failed', { status, detail });
  d.clearTimers('transfer_news');
  d.learnOfStream({ failedTransfer: { toEndPoint: to, status, detail } });
  const { attempt } = d.facts;
  if (bot !== undefined) {
    nextStream(d, request, attempt, { ...WAITING, is: 'returning', bot, outcome: { status, detail } });
  } else if (!hasMoreBots(d.facts, attempt)) conclude(d, request, 'bot_crashed');
  else nextStream(d, request, attempt + 1);
}

/** Whether the carrier's end of the stream went away, rather than the bot's. */
export function isCarrierSide(outcome: StreamOutcome): outcome is 'far_end' | 'stream_lost' {
  return outcome === 'far_end' || outcome === 'stream_lost';
}

export function answered(d: Decision): void {
  if (d.facts.isAnswered) return;
  startLength(d);
  d.do({ do: 'record_answer' });
  if (d.terms.linkedTo === undefined) d.do({ do: 'expect_bot' }); // the bot of the other call is there
}

/** No stream is open: decides what comes next. */
function goOn(d: Decision, request: PendingDocument): void {
  const { phase, facts } = d;
  if (facts.decided && phase.is === 'transferring') answerAgain(d, request);
  else if (facts.decided) conclude(d, request, facts.decided);
  else if (phase.is === 'between_streams') followStream(d, request, phase.outcome);
  else if (phase.is === 'transferring') comeBack(d, request, 'failed', 'the carrier did not follow the transfer');
  else if (phase.is === 'waiting_for_stream' || phase.is === 'returning') resumeUnconnected(d, request, phase);
  else {
    answered(d); // the carrier has gone on without the first document
    d.go(WAITING);
    answerStream(d, request);
  }
}

function followStream(d: Decision, request: PendingDocument, outcome: StreamOutcome, phase?: OpenPhase): void {
  const attempt = nextAttempt(d, outcome);
  if (attempt === undefined) conclude(d, request, outcome === 'bot_timeout' ? outcome : 'bot_crashed');
  else nextStream(d, request, attempt, phase);
}

/** Whether another bot may have the call when a bot has lost it like that. */
export function isReplaceable(d: Decision, outcome: StreamOutcome): boolean {
  if (d.facts.decided) return false;
  return hasMoreBots(d.facts, d.facts.attempt) || (isCarrierSide(outcome) && isFreeOfCharge(d));
}

/**
 * A bot has lost the call, and another one is to have it.
 * @returns which of the call's that is; undefined when it has used up all
 */
export function nextAttempt(d: Decision, outcome: StreamOutcome): number | undefined {
  if (!isReplaceable(d, outcome)) return undefined;
  const isFree = isCarrierSide(outcome) && isNobodysFault(d);
  const attempt = isFree ? d.facts.attempt : d.facts.attempt + 1;
  if (isCarrierSide(outcome)) d.log('warn', 'a call has lost its media stream, starting another bot', { attempt });
  else d.log('warn', 'the bot of a call has failed, starting another one', { outcome, attempt });
  return attempt;
}

/** The carrier goes on although no stream was ever connected: it gets the same one again, but not forever. */
function resumeUnconnected(
  d: Decision,
  request: PendingDocument,
  phase: PhaseOf<'waiting_for_stream' | 'returning'>,
): void {
  if (d.stream.isLinkLost && isNobodysFault(d)) {
    nextStream(d, request, d.facts.attempt, phase); // its pass may have expired
    return;
  }
  if (d.now - phase.resumedAt < COPY_LIMIT_MS) {
    answerStream(d, request);
    return;
  }
  const resumes = phase.resumes + 1;
  d.go({ ...phase, resumes, resumedAt: d.now });
  d.log('warn', 'the carrier did not connect its media stream', { times: resumes });
  if (resumes > MAX_FRUITLESS_RESUMES) conclude(d, request, 'telephony_error');
  else answerStream(d, request);
}

type OpenPhase = PhaseOf<'starting' | 'talking'>;

/** Another stream for the same call. */
function nextStream(
  d: Decision,
  request: PendingDocument,
  attempt: number,
  phase: PhaseOf<'waiting_for_stream' | 'returning'> | OpenPhase = WAITING,
): void {
  if (request.botProblem && phase.is !== 'returning') {
    concludeWithoutBot(d, request);
    return;
  }
  const { reconnects } = d.facts;
  d.learn({ attempt });
  const isNextCounted = phase.is === 'starting' || phase.is === 'talking';
  d.learnOfStream({ streamNo: d.stream.streamNo + 1, refused: undefined, isLinkLost: false, isNextCounted });
  d.do({ do: 'record', change: { attempt, state: 'starting', ...(reconnects > 0 && { reconnects }) } });
  d.go(phase);
  answerStream(d, request);
}

/** A stream would lead to no bot: the caller hears so at once. */
function concludeWithoutBot(d: Decision, request: PendingDocument): void {
  d.do({ do: 'forget_bot' });
  d.log('error', 'no bot can be loaded for a call', { error: request.botProblem });
  conclude(d, request, 'no_bot');
}

function answerStream(d: Decision, { no }: PendingDocument): void {
  if (isWaitingForStream(d) || d.phase.is === 'between_streams') {
    awaitLastWord(d, 'telephony_error');
    if (d.terms.isTunnelled && !d.stream.isRecovering) recover(d, CONNECT_LIMIT_MS);
  }
  d.answer(no, { is: 'stream', streamNo: d.stream.streamNo });
}

function answerLast(d: Decision, { no }: PendingDocument, reason: EndReason): void {
  awaitLastWord(d, reason);
  d.answer(no, { is: FAILURES.includes(reason) && !d.facts.hasBotEnded ? 'apology' : 'hangup' });
}

/** A lost stream uses up no bot, unless it happens again and again. */
function isNobodysFault(d: Decision): boolean {
  if (!isFreeOfCharge(d)) return false;
  d.learn({ reconnects: d.facts.reconnects + 1 });
  return true;
}

function isFreeOfCharge({ terms, facts }: Decision): boolean {
  return terms.isTunnelled && facts.reconnects < MAX_RECONNECTS;
}

function isWaitingForStream({ phase }: Decision): boolean {
  return phase.is === 'waiting_for_stream' || phase.is === 'returning';
}

/** Whether a stream is there of whose end nothing is known. */
export function hasOpenStream({ phase }: Decision): boolean {
  return phase.is === 'starting' || phase.is === 'talking' || (phase.is === 'transferring' && phase.hasStream);
}

/** The bot that waits for what becomes of its caller. */
function waitingBot({ phase }: Decision): number | undefined {
  return phase.is === 'transferring' || phase.is === 'returning' || phase.is === 'ending' ? phase.bot : undefined;
}
