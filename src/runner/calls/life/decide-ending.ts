import type { EndReason } from '../../../call/call.js';
import { GOODBYE_MS } from '../../bots/messages.js';
import type { BotNotice } from './call-events.js';
import type { Decision } from './decision.js';
import { reasonOf } from './phase.js';

/** The call is answered, or its caller is held at our expense: from now on the call has its length. */
export function startLength(d: Decision): void {
  if (d.facts.isAnswered) return;
  d.learn({ isAnswered: true });
  d.setTimer('length', Math.max(0, d.terms.lengthMs - GOODBYE_MS));
}

/** The bots that have the caller, or are on the way to them, are asked to end the call; when they do not, it is ended for them. */
export function askToEnd(d: Decision, reason: EndReason): void {
  const { isAskedToEnd, decided, seen } = d.facts;
  if (isAskedToEnd) return;
  d.learn({ isAskedToEnd: true, decided: decided ?? seen ?? reason });
  d.clearTimers('length');
  d.setTimer('goodbye', GOODBYE_MS);
  tell(d, botsWithCaller(d), { type: 'end' });
}

/** The call has reached a limit. */
export function onLimit(d: Decision, limit: 'length' | 'silence'): void {
  if (d.facts.isAskedToEnd) return;
  d.log('warn', 'call has reached its limit', { limit });
  askToEnd(d, 'limit_reached');
}

/** Neither bot nor provider ends the call by itself any more: it is ended at the provider, and counts as ended. */
export function giveUp(d: Decision, reason: EndReason): void {
  if (d.terms.media === 'stream') d.do({ do: 'hang_up', graceMs: 0 });
  end(d, reasonOf(d.facts) ?? reason);
}

/** The provider knows no such call any more. `told`: why, as far as it says. */
export function isOver(d: Decision, told: EndReason): void {
  const reason = reasonOf(d.facts) ?? lostBot(d) ?? told;
  const isByEither = reason === 'bot_ended' || reason === 'caller_hung_up';
  end(d, d.facts.isMachine && isByEither ? 'voicemail' : reason);
}

/** How the bot failed that left the caller in silence; undefined when none did. A hang-up in that silence is the bot's doing. */
function lostBot({ phase }: Decision): EndReason | undefined {
  if (phase.is !== 'between_streams' || !phase.hadBot || phase.isAssumed) return undefined;
  return phase.outcome === 'bot_crashed' || phase.outcome === 'bot_timeout' ? phase.outcome : undefined;
}

/** Ends after which the provider may still carry the caller out of the room. */
const maybeElsewhere: ReadonlySet<EndReason> = new Set(['transferred', 'transfer_unknown']);

/** Ends of a party of two that a bot has joined, which leave the other one without it: the caller was brought to where they were to come. */
const PARTINGS: ReadonlySet<EndReason> = new Set(['caller_hung_up', 'bot_ended']);

/** The only way to `ended`: settles everything that is open. */
export function end(d: Decision, given: EndReason): void {
  const { phase } = d;
  const reason = d.facts.isBridged && PARTINGS.has(given) ? 'transferred' : given;
  tell(d, botsToTell(d), { type: 'call_over' });
  d.do({ do: 'forget_bot' });
  const isElsewhere = maybeElsewhere.has(reason) && !d.facts.isBridged; // those whom a bot has joined are in the room
  if (d.terms.media === 'room') d.do({ do: isElsewhere ? 'leave_room' : 'close_room' });
  else if (phase.is === 'starting') d.do({ do: 'drop_stream', entry: phase.entry });
  if (d.stream.isRecovering) d.do({ do: 'stop_recovering' });
  for (const { no } of d.stream.requests) d.answer(no, { is: 'hangup' });
  d.clearTimers(...d.facts.timers);
  d.learnOfStream({ isRecovering: false, requests: [], asked: undefined });
  d.go({ is: 'ended', reason });
  d.do({ do: 'end', reason });
}

export function tell(d: Decision, bots: Iterable<number>, message: BotNotice): void {
  for (const bot of bots) d.do({ do: 'tell_bot', bot, message });
}

/** The bots that talk to the caller, or are to. */
export function botsWithCaller({ phase }: Decision): readonly number[] {
  if (phase.is === 'starting') return phase.bots.map(({ bot }) => bot);
  if (phase.is === 'talking' || phase.is === 'joined') return [phase.bot];
  return phase.is === 'transferring' && phase.hasStream && phase.bot !== undefined ? [phase.bot] : [];
}

/** The same, and those that wait for what becomes of their caller or of what they have asked for. */
export function botsToTell(d: Decision): ReadonlySet<number> {
  const { phase } = d;
  const isWaited = phase.is === 'transferring' || phase.is === 'returning' || phase.is === 'ending';
  const bots = [isWaited ? phase.bot : undefined, d.stream.asked?.bot, ...botsWithCaller(d)];
  return new Set(bots.filter((bot) => bot !== undefined));
}
