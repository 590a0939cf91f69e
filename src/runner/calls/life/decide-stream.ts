import type { StreamOutcome } from '../../bots/messages.js';
import type { EventOf } from './call-events.js';
import {
  answerWaiting,
  awaitLastWord,
  carrierHasCome,
  hasOpenStream,
  isCarrierSide,
  isReplaceable,
  LAST_WORD_LIMIT_MS,
  nextAttempt,
  OUTCOME_LIMIT_MS,
  recover,
  recoverAnyhow,
  settleRequests,
} from './decide-documents.js';
import { giveUp, isOver } from './decide-ending.js';
import { abandonBots, botLost, claim, isStarting, startBots } from './decide-starting.js';
import type { Decision } from './decision.js';

/** How long the carrier may take to say that it is over after a bot behind a tunnel has ended the call: our address may be dead. */
const TUNNELLED_LAST_WORD_LIMIT_MS = 3_000;
/** How long a carrier whose media stream has died may take to come for another document, in milliseconds. */
const LOST_STREAM_LIMIT_MS = 8_000;
/** How long a bot that has ended its call may take to hang up by itself, in milliseconds. */
export const HANG_UP_GRACE_MS = 2_000;
/** The same behind a tunnel, where the document after the stream keeps the caller on the line. */
const TUNNELLED_HANG_UP_GRACE_MS = 500;
/** How long after the end of the stream the carrier may tell that the caller has hung up, in milliseconds. */
const HANG_UP_NEWS_MS = 300;

/** The carrier says that it lost a stream. That it did is worth telling only when it was not our bot that let go. */
export function onStreamProblem(d: Decision, { problem }: EventOf<'stream_problem'>): void {
  d.learnOfStream({ problem });
  if (hasOpenStream(d)) d.setTimer('problem', OUTCOME_LIMIT_MS);
  else tellProblem(d);
}

export function tellProblem(d: Decision): void {
  const { problem: streamProblem, outcome } = d.stream;
  d.clearTimers('problem');
  d.learnOfStream({ problem: undefined });
  if (streamProblem === undefined || (outcome !== undefined && !isCarrierSide(outcome))) return;
  d.log('warn', 'the carrier lost the media stream', { streamProblem });
}

/** A stream has been let in; it is the newest, and an earlier one is lost. */
export function onStreamConnected(d: Decision): void {
  const { phase } = d;
  const isAgain = phase.is === 'between_streams' && phase.hadBot && !d.stream.isNextCounted;
  const attempt = isAgain ? (nextAttempt(d, phase.outcome) ?? d.facts.attempt) : d.facts.attempt;
  d.learnOfStream({ outcome: undefined, isNextCounted: false, ...(isAgain && { waitingSince: undefined }) });
  carrierHasCome(d);
  answerWaiting(d);
  if (phase.is === 'starting') {
    abandonBots(d);
    d.do({ do: 'drop_stream', entry: phase.entry });
  }
  if (phase.is === 'talking') d.do({ do: 'abandon_bot', bot: phase.bot });
  const { reconnects } = d.facts;
  d.do({ do: 'record', change: { state: 'starting', ...(isAgain && reconnects > 0 && { reconnects }) } });
  d.learnOfStream({ waitingSince: d.stream.waitingSince ?? d.now });
  startBots(d, attempt, phase.is === 'returning' ? phase : undefined);
}

/** The carrier has closed a stream that no bot has read. */
export function onStreamClosed(d: Decision, { entry }: EventOf<'stream_closed'>): void {
  if (d.phase.is !== 'starting' || d.phase.entry !== entry) return;
  abandonBots(d);
  d.learnOfStream({ waitingSince: undefined });
  streamEnded(d, 'far_end', false);
}

/** The first of the call's bots that listens gets the stream. */
export function onBotReading(d: Decision, { bot }: EventOf<'bot_reading'>): void {
  const { phase } = d;
  if (phase.is !== 'starting' || !claim(d, bot)) return;
  d.learnOfStream({ waitingSince: undefined, failedTransfer: undefined });
  d.go({ is: 'talking', bot });
  d.do({ do: 'record', change: { state: 'connected', attempt: d.facts.attempt } });
  d.do({ do: 'give_stream', entry: phase.entry, bot });
}

export function onSocketReceived(d: Decision, { bot }: EventOf<'socket_received'>): void {
  if (d.phase.is === 'talking' && d.phase.bot === bot) d.do({ do: 'use_pass' });
}

export function onStreamOver(d: Decision, { bot, outcome }: EventOf<'stream_over'>): void {
  const { phase } = d;
  if (phase.is === 'starting') {
    if (!isStarting(d, bot)) return;
    if (outcome !== 'bot_ended') {
      botLost(d, bot, outcome === 'bot_timeout' ? outcome : 'bot_crashed');
      return;
    }
    abandonBots(d, bot); // this one has ended the call and heard nothing of it
    d.do({ do: 'end_stream', entry: phase.entry });
    streamEnded(d, outcome);
  } else if (phase.is === 'talking' && phase.bot === bot) streamEnded(d, outcome);
  else if (phase.is === 'transferring' && phase.bot === bot && phase.hasStream) {
    // The bot has let go as agreed, or has failed: the caller is on the way to the destination all the same.
    if (outcome === 'bot_ended') streamEnded(d, outcome);
    else {
      d.go({ ...phase, hasStream: false });
      ended(d, 'transferring');
    }
  }
}

/** Its bot has ended the call: it has most likely hung up; when that did not reach the carrier, we do. */
export function endedByBot(d: Decision, bot?: number): void {
  d.clearTimers('transfer_news');
  d.learn({ decided: d.facts.decided ?? 'bot_ended' });
  d.go({ is: 'ending', bot });
  const { isTunnelled } = d.terms;
  awaitLastWord(d, 'bot_ended', isTunnelled ? TUNNELLED_LAST_WORD_LIMIT_MS : LAST_WORD_LIMIT_MS);
  d.do({ do: 'hang_up', graceMs: isTunnelled ? TUNNELLED_HANG_UP_GRACE_MS : HANG_UP_GRACE_MS });
  ended(d, 'bot_ended');
}

/** Nothing more was heard of the call. */
export function onNoLastWord(d: Decision): void {
  const { lastWord, isLinkLost } = d.stream;
  giveUp(d, isLinkLost ? 'tunnel_lost' : (lastWord?.reason ?? 'telephony_error'));
}

export function onCarrierAgreed(d: Decision): void {
  const { lastWord } = d.stream;
  if (lastWord) awaitLastWord(d, lastWord.reason, lastWord.ms); // the call gets its full time once more
}

export function onUnknownAtCarrier(d: Decision, { isTooLate }: EventOf<'unknown_at_carrier'>): void {
  isOver(d, d.stream.isLinkLost && isTooLate ? 'tunnel_lost' : 'caller_hung_up');
}

/** @returns whether the carrier has come already */
function ended(d: Decision, outcome: StreamOutcome): boolean {
  d.learnOfStream({ outcome });
  if (d.stream.problem !== undefined) tellProblem(d);
  return settleRequests(d);
}

/** No bot has the stream any more. A carrier that knows nothing of that, or has lost it by itself, may connect another at once. */
function streamEnded(d: Decision, told: StreamOutcome, hadBot = true): void {
  const outcome = told === 'transferring' ? 'far_end' : told; // of a transfer that the carrier has not agreed to
  if (outcome === 'bot_ended') {
    endedByBot(d);
    return;
  }
  if (!isCarrierSide(outcome)) d.learnOfStream({ waitingSince: d.now });
  if (outcome === 'stream_lost') d.log('warn', 'the media stream of a call has fallen silent');
  d.go({ is: 'between_streams', outcome, hadBot });
  if (hadBot && isReplaceable(d, outcome)) d.do({ do: 'renew_pass' });
  if (!ended(d, outcome)) awaitCarrier(d, outcome);
}

/** No bot has the stream, and the carrier has not said what becomes of the call. */
export function awaitCarrier(d: Decision, outcome: Exclude<StreamOutcome, 'transferring'>): void {
  const { isTunnelled } = d.terms;
  if (d.stream.asked?.isAtCarrier && isCarrierSide(outcome)) {
    // It ends the stream of a call whose transfer it takes, some before they answer: asked to come, it would drop the transfer.
    awaitLastWord(d, 'caller_hung_up');
  } else if (outcome === 'stream_lost') {
    // The carrier may not know: it is asked to come, and a call that does not is ended there.
    awaitLastWord(d, 'telephony_error', isTunnelled ? LAST_WORD_LIMIT_MS : LOST_STREAM_LIMIT_MS);
    recoverAnyhow(d, 0);
  } else if (outcome === 'far_end') {
    // The caller has hung up, or the link to the carrier has broken: without a tunnel the carrier says which.
    awaitLastWord(d, isTunnelled ? 'telephony_error' : 'caller_hung_up');
    recover(d, HANG_UP_NEWS_MS);
  } else {
    awaitLastWord(d, outcome);
    recover(d, 0);
  }
}
