import { type ErrorFields, VoicebotError } from '../../../base/errors.js';
import { whyNobodyAnswers } from '../../../call/operator-number.js';
import type { EventOf } from './call-events.js';
import {
  answerAgain,
  answered,
  carrierHasCome,
  comeBack,
  conclude,
  isCarrierSide,
  onResumeAsked,
  settleRequests,
} from './decide-documents.js';
import { giveUp, isOver, tell } from './decide-ending.js';
import { abandonBots } from './decide-starting.js';
import { awaitCarrier, endedByBot } from './decide-stream.js';
import type { Decision } from './decision.js';
import type { PhaseOf } from './phase.js';

/** Transfers one call may ask for, cold and warm ones. */
const MAX_TRANSFERS = 5;
/** How long the destination of a transfer may ring, in seconds. */
export const TRANSFER_RING_S = 30;
/** Longest from the carrier's agreement to its event about the dialled call, the ringing included, in milliseconds. */
const NEWS_LIMIT_MS = TRANSFER_RING_S * 1_000 + 20_000;

export const ASKED_FOR_ALL = `a call can be transferred ${MAX_TRANSFERS} times`;
export const hasAskedForAll = ({ stream }: Decision): boolean => stream.transfers >= MAX_TRANSFERS;

/** The call's bot wants the caller connected to another number. */
export function onTransferWanted(d: Decision, { bot, to }: EventOf<'transfer_wanted'>): void {
  const { phase, facts, stream } = d;
  if (phase.is !== 'talking' || phase.bot !== bot || facts.decided || stream.asked) {
    refuse(d, bot, failure('the call is ending or already being transferred'));
    return;
  }
  if (facts.handover) {
    refuse(d, bot, failure('another transfer is going on, or the caller is joined with others'));
    return;
  }
  if (hasAskedForAll(d)) {
    refuse(d, bot, failure(ASKED_FOR_ALL));
    return;
  }
  const no = stream.transfers + 1;
  d.learnOfStream({ transfers: no, asked: { no, to, bot, isAtCarrier: false } });
  const nobody = whyNobodyAnswers(to, d.terms.operatorNumber);
  if (nobody) d.log('warn', 'transfer to an unassigned number', { reason: nobody });
  d.do({ do: 'check_transfer', no, to });
}

export function onTransferChecked(d: Decision, { no, to }: EventOf<'transfer_checked'>): void {
  const { asked } = d.stream;
  if (asked?.no !== no) return;
  if (d.phase.is === 'talking' && d.phase.bot === asked.bot) {
    d.learnOfStream({ asked: { ...asked, isAtCarrier: true } });
    d.do({ do: 'ask_transfer', no, to });
  } else onTransferRefused(d, { no, problem: failure('the bot has lost its stream') });
}

export function onTransferAgreed(d: Decision, { no }: EventOf<'transfer_agreed'>): void {
  const { asked } = d.stream;
  if (asked?.no !== no) return;
  const { phase } = d;
  const hasStream = phase.is === 'talking' && phase.bot === asked.bot;
  // Meanwhile the bot may have failed: another one talks to the caller then, and knows nothing of this.
  if (hasStream || (phase.is === 'between_streams' && isCarrierSide(phase.outcome))) accept(d);
  else onTransferRefused(d, { no, problem: failure('the bot has lost its stream') });
}

export function onTransferRefused(d: Decision, { no, problem }: Omit<EventOf<'transfer_refused'>, 'type'>): void {
  const { asked } = d.stream;
  if (asked?.no !== no) return;
  d.learnOfStream({ asked: undefined, refused: no });
  refuse(d, asked.bot, problem);
  const { phase } = d;
  if (asked.isAtCarrier && phase.is === 'between_streams' && isCarrierSide(phase.outcome)) {
    awaitCarrier(d, phase.outcome);
  }
}

/** The carrier asks for the document of a transfer that it agreed to. */
export function onTransferDocumentAsked(d: Decision, event: EventOf<'transfer_document_asked'>): void {
  const { no, to, request, botProblem } = event;
  const { decided } = d.facts;
  const isRefused = d.phase.is !== 'transferring' && !d.stream.asked && d.stream.refused === no;
  if (decided) answerAgain(d, { no: request, botProblem });
  // Its bot was told that it failed, and the carrier took it all the same: the stream ends, and the carrier comes here.
  else if (isRefused) onResumeAsked(d, { request, streamNo: undefined, botProblem });
  else if (follow(d, no)) {
    carrierHasCome(d);
    d.answer(request, { is: 'dial', to, no });
  } else answerAgain(d, { no: request, botProblem });
}

/** The destination has answered: the call is out of our hands. */
export function onDestinationAnswered(d: Decision, { no, to, legId }: EventOf<'destination_answered'>): void {
  const phase = follow(d, no);
  if (phase) connectParties(d, phase, to, legId);
}

/** The carrier has finished dialling the destination, or the talk with it is over. */
export function onTransferEnded(d: Decision, event: EventOf<'transfer_ended'>): void {
  const { no, to, outcome, cause, legId, botProblem } = event;
  const request = { no: event.request, botProblem };
  const phase = follow(d, no);
  if (!phase) answerAgain(d, request);
  else if (outcome === 'caller_left') conclude(d, request, 'caller_hung_up');
  else if (outcome === 'completed' || phase.step === 'answered') {
    connectParties(d, phase, to, legId);
    conclude(d, request, 'transferred');
  } else if (d.facts.decided) conclude(d, request, d.facts.decided);
  else comeBack(d, request, outcome, cause);
}

/** An event may get lost: when none has come in time, the carrier is asked whether the destination's call is there. */
export function onNoTransferNews(d: Decision): void {
  const { phase } = d;
  if (phase.is === 'transferring') lookUp(d, phase, false);
}

/**
 * The tunnel is back. Meanwhile the carrier may have come in vain: for the document that dials, or when the dialled
 * call was over; and that the caller is gone may not have been told.
 */
export function onReachedAgain(d: Decision, { hasMoved }: EventOf<'reached_again'>): void {
  const { phase } = d;
  if (phase.is === 'transferring' && !phase.hasStream) {
    d.setTimer('transfer_news', NEWS_LIMIT_MS);
    lookUp(d, phase, true);
  } else if (hasMoved && d.terms.isDialled && (phase.is === 'dialling' || phase.is === 'ringing')) {
    // A callee who picks up would be cut off: the carrier has the former address for the answer.
    d.log('warn', 'the tunnel has moved, ending a call that is not answered yet');
    giveUp(d, 'tunnel_lost');
  }
}

export function onDestinationLookedUp(d: Decision, event: EventOf<'destination_looked_up'>): void {
  const { no, step, isThere, isCheck } = event;
  const { phase } = d;
  if (phase.is !== 'transferring' || phase.no !== no || phase.step !== step) return;
  if (!isCheck) d.log('warn', 'the carrier has sent no event about a transfer', { isThere });
  if (isThere) {
    if (!isCheck) d.setTimer('transfer_news', NEWS_LIMIT_MS);
  } else if (step === 'answered' && d.facts.decided === 'transferred') isOver(d, 'transferred');
  // A call that has to end otherwise may have its caller still.
  else if (step === 'answered') giveUp(d, 'transferred');
  else if (isCheck) d.do({ do: 'bring_back', no });
  else giveUp(d, 'telephony_error');
}

export function onTransferLost(d: Decision, { no }: EventOf<'transfer_lost'>): void {
  if (d.phase.is === 'transferring' && d.phase.no === no) giveUp(d, 'tunnel_lost');
}

/** A bot that returns while its caller is being transferred has hung up; one that failed is replaced if need be. */
export function onBotDone(d: Decision, { bot, outcome }: EventOf<'bot_done'>): void {
  const { phase } = d;
  const { asked } = d.stream;
  if (asked?.bot === bot) d.learnOfStream({ asked: { ...asked, bot: undefined } });
  if ((phase.is === 'returning' || phase.is === 'ending') && phase.bot === bot) withoutBot(d, phase);
  if (phase.is !== 'transferring' || phase.bot !== bot) return;
  if (phase.step === 'accepted' && outcome === 'returned') endedByBot(d);
  else {
    d.go({ ...phase, bot: undefined, hasStream: false });
    settleRequests(d);
  }
}

/** A runner that is gone had begun to transfer the call. */
export function onTransferAdopted(d: Decision, { no, to }: EventOf<'transfer_adopted'>): void {
  answered(d);
  d.learnOfStream({ transfers: no });
  startTransfer(d, { no, to, bot: undefined, hasStream: false });
}

function withoutBot(d: Decision, phase: PhaseOf<'returning' | 'ending'>): void {
  if (phase.is === 'ending') d.go({ is: 'ending', bot: undefined });
  else d.go({ is: 'waiting_for_stream', resumes: phase.resumes, resumedAt: phase.resumedAt });
}

/** @returns the transfer with this number, which the carrier carries out even if it has not answered yet; undefined for an earlier one */
function follow(d: Decision, no: number): PhaseOf<'transferring'> | undefined {
  if (d.stream.asked?.no === no) accept(d);
  return d.phase.is === 'transferring' && d.phase.no === no ? d.phase : undefined;
}

/** The carrier takes the caller from the call's bots: from the one that asked, and from any that has replaced it. */
function accept(d: Decision): void {
  const { phase } = d;
  const { asked } = d.stream;
  if (!asked) return;
  carrierHasCome(d);
  const hasStream = phase.is === 'talking' && phase.bot === asked.bot;
  if (phase.is === 'talking' && !hasStream) d.do({ do: 'abandon_bot', bot: phase.bot });
  if (phase.is === 'starting') {
    abandonBots(d);
    d.do({ do: 'drop_stream', entry: phase.entry });
  }
  d.learnOfStream({ asked: undefined });
  if (asked.bot !== undefined) d.do({ do: 'tell_bot', bot: asked.bot, message: { type: 'transfer_answer' } });
  startTransfer(d, { no: asked.no, to: asked.to, bot: asked.bot, hasStream });
}

function startTransfer(d: Decision, of: Pick<PhaseOf<'transferring'>, 'no' | 'to' | 'bot' | 'hasStream'>): void {
  d.go({ is: 'transferring', step: 'accepted', ...of });
  d.setTimer('transfer_news', NEWS_LIMIT_MS);
  d.do({ do: 'record', change: { state: 'transferring' } });
}

function connectParties(d: Decision, phase: PhaseOf<'transferring'>, to: string, legId: string | undefined): void {
  const { decided = 'runner_stopped' } = d.facts;
  if (decided === 'runner_stopped') d.learn({ decided: 'transferred' }); // a runner that stops leaves the two alone
  if (phase.step === 'answered') return;
  d.go({ ...phase, step: 'answered' });
  d.clearTimers('transfer_news');
  d.do({ do: 'record', change: { state: 'transferring' } }); // for the supervisor, which may wait until the runner is idle
  const outcome = { status: 'answered', data: { toEndPoint: phase.to || to, sessionId: legId } } as const;
  if (phase.bot !== undefined) tell(d, [phase.bot], { type: 'transfer_over', outcome });
}

function lookUp(d: Decision, { no, to, step }: PhaseOf<'transferring'>, isCheck: boolean): void {
  d.do({ do: 'look_up_destination', no, to, step, isCheck });
}

function refuse(d: Decision, bot: number | undefined, problem: ErrorFields): void {
  d.log('warn', 'transfer refused', { error: problem });
  if (bot !== undefined) tell(d, [bot], { type: 'transfer_answer', problem });
}

function failure(detail: string): ErrorFields {
  return VoicebotError.fieldsOf(new VoicebotError('VB_TRANSFER_FAILED', detail), 'VB_TRANSFER_FAILED');
}
