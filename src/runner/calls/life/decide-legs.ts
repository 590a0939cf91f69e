import { type ErrorCode, VoicebotError } from '../../../base/errors.js';
import { asCallId } from '../../../call/call-id.js';
import type { EventOf } from './call-events.js';
import { botsToTell, giveUp, tell } from './decide-ending.js';
import { ASKED_FOR_ALL, hasAskedForAll } from './decide-transfer.js';
import type { Decision } from './decision.js';
import { reasonOf } from './phase.js';

/**
 * How long a party whose other one has hung up stays on the line, in milliseconds: the bot that has joined the two may part them by then,
 * and go on with the one that is left.
 */
const PARTED_MS = 1_000;

const TOO_MANY = ['VB_TRANSFER_FAILED', ASKED_FOR_ALL] as const;

/** The call's bot wants a number dialled beside the call: for a warm transfer, which it has told of then, or to talk to them. */
export function onConsultWanted(d: Decision, { type: _, ...wanted }: EventOf<'consult_wanted'>): void {
  const { handover } = d.facts;
  const isTransfer = handover?.phase === 'ringing' && handover.legId === '' && wanted.legId === undefined;
  const refusal = refusalOf(d, wanted.bot) ?? (isTransfer && hasAskedForAll(d) ? TOO_MANY : undefined);
  if (!refusal) {
    if (isTransfer) d.learnOfStream({ transfers: d.stream.transfers + 1 });
    d.do({ do: 'consult', ...wanted });
    return;
  }
  const problem = VoicebotError.fieldsOf(new VoicebotError(...refusal), refusal[0]);
  tell(d, [wanted.bot], { type: 'consult_answer', requestId: wanted.request, problem });
}

/** The call that was placed for a bot, or why none was. The bot may be gone: the next one has to know which call it is. */
export function onConsulted(d: Decision, { bot, request, leg, problem }: EventOf<'consulted'>): void {
  const { handover } = d.facts;
  if (leg && handover?.legId === '' && handover.to === leg.to) d.learn({ handover: { ...handover, legId: leg.id } });
  tell(d, [bot], { type: 'consult_answer', requestId: request, ...(leg && { leg }), ...(problem && { problem }) });
}

function refusalOf(d: Decision, bot: number): readonly [ErrorCode, string] | undefined {
  const { phase, facts, stream, terms } = d;
  if (phase.is === 'transferring' || stream.asked) return ['VB_TRANSFER_FAILED', 'the call is being transferred'];
  if (terms.linkedTo !== undefined) {
    return ['VB_REQUEST_INVALID', 'a consulted call can have none of its own'];
  }
  const hasCaller = phase.is === 'talking' && phase.bot === bot;
  return hasCaller && !reasonOf(facts) ? undefined : ['VB_STREAM_CLOSED', 'the call is over, or about to end'];
}

/** What the call's bot hands over has come this far: with `bridged`, the two end together from now on. */
export function onHandoverTold(d: Decision, { handover }: EventOf<'handover_told'>): void {
  const before = d.facts.handover;
  const isBridged = handover?.phase === 'bridged';
  d.learn({ handover, isBridged });
  if (!isBridged || before?.legId !== handover?.legId) d.clearTimers('parted');
  if (before?.phase === 'bridged' && before.legId !== handover?.legId) mark(d, before.legId, false);
  if (handover) mark(d, handover.legId, isBridged);
}

/** A call that was dialled beside this one is over. */
export function onLegOver(d: Decision, { leg, reason }: EventOf<'leg_over'>): void {
  tell(d, botsToTell(d), { type: 'leg_lost', legId: leg, reason });
  if (d.facts.isBridged && d.facts.handover?.legId === leg) d.setTimer('parted', PARTED_MS);
}

/** The other party of two that a bot has joined has hung up, and the bot has not parted them. */
export function onParted(d: Decision): void {
  if (d.facts.isBridged) giveUp(d, 'transferred');
}

/** The bot that has had this call dialled ends it, or its own call is over. */
export function onLegUnwanted(d: Decision): void {
  giveUp(d, d.facts.isAnswered ? 'bot_ended' : 'no_answer');
}

function mark(d: Decision, leg: string, isBridged: boolean): void {
  if (leg !== '') d.do({ do: 'tell_leg', leg: asCallId(leg), event: { type: 'leg_bridged', isBridged } });
}
