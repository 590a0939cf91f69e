import { awaitLastWord, recover, settleRequests } from './decide-documents.js';
import { end } from './decide-ending.js';
import type { Decision } from './decision.js';
import { hasMoreBots, type PhaseOf, reasonOf, type StartingPhase } from './phase.js';

/** In milliseconds. */
interface StartLimits {
  /** How long a bot may take to be there before another one is tried beside it. */
  readonly besideMs: number;
  /** Longest the caller waits for a bot. */
  readonly entryMs: number;
}

/** The carrier has another second to fetch the recorded line. */
const STREAM_LIMITS: StartLimits = { besideMs: 3_000, entryMs: 9_000 };
/**
 * Joining a room takes a busy machine some seconds, during which the caller hears the provider's music; the provider holds a caller
 * for half a minute, and fetching them takes its time too.
 */
const ROOM_LIMITS: StartLimits = { besideMs: 6_000, entryMs: 20_000 };
/** From then on a caller whose stream waits for a bot hears a tone, in milliseconds. */
const TONE_MS = 4_000;

const limitsOf = ({ terms }: Decision) => (terms.media === 'stream' ? STREAM_LIMITS : ROOM_LIMITS);

/**
 * Puts bots on their way to the caller.
 * @param returning the bot that waits for its caller, which is tried first
 */
export function startBots(d: Decision, attempt: number, returning?: PhaseOf<'returning'>): void {
  const waitedMs = d.stream.waitingSince === undefined ? 0 : d.now - d.stream.waitingSince;
  const entry = d.facts.entries + 1;
  d.learn({ entries: entry });
  d.go({ is: 'starting', entry, bots: [], attempt, isAssigning: false });
  d.setTimer('entry', Math.max(0, limitsOf(d).entryMs - waitedMs));
  if (d.terms.media === 'stream') d.setTimer('tone', Math.max(0, TONE_MS - waitedMs));
  if (returning) serve(d, starting(d), returning.bot, returning);
  else assign(d, attempt);
}

/** A process is there for the next bot. */
export function onBotAssigned(d: Decision, { bot, entry }: { bot: number; entry: number }): void {
  if (starting(d).entry === entry) serve(d, { ...starting(d), isAssigning: false }, bot);
}

/** No process can be had. */
export function onBotMissing(d: Decision, { entry, error }: { entry: number; error: unknown }): void {
  const phase = starting(d);
  if (phase.entry !== entry) return;
  d.go({ ...phase, isAssigning: false });
  if (phase.bots.length > 0) return;
  d.log('error', 'no bot for a call', { error });
  fail(d, 'no_bot');
}

/** The latest bot is not there yet. */
export function onSlow(d: Decision): void {
  const { attempt } = starting(d);
  if (!hasMoreBots(d.facts, attempt)) return;
  const { besideMs } = limitsOf(d);
  const message = 'the bot of a call is not there yet, starting another one beside it';
  d.log('warn', message, { attempt: attempt + 1, limitMs: besideMs });
  assign(d, attempt + 1);
}

/** No bot is waited for any longer. */
export function onEntryTimeout(d: Decision): void {
  fail(d, starting(d).bots.length > 0 ? 'bot_timeout' : 'no_bot');
}

/** A bot has failed on its way: the next one is tried. */
export function botLost(d: Decision, bot: number, reason: 'bot_crashed' | 'bot_timeout'): void {
  const phase = starting(d);
  const bots = phase.bots.filter((other) => other.bot !== bot);
  d.go({ ...phase, bots });
  if (bots.length > 0 || phase.isAssigning) return;
  if (!hasMoreBots(d.facts, phase.attempt) || d.facts.decided === 'audio_unreadable') fail(d, reason);
  else assign(d, phase.attempt + 1);
}

/**
 * This bot is there: it has the call, and the others lose it.
 * @returns whether it was on its way
 */
export function claim(d: Decision, bot: number): boolean {
  const winner = isStarting(d, bot);
  if (!winner) return false;
  abandonBots(d, bot);
  d.learn({ attempt: winner.attempt });
  return true;
}

/** The bot on its way with this number. */
export function isStarting({ phase }: Decision, bot: number): { readonly attempt: number } | undefined {
  return phase.is === 'starting' ? phase.bots.find((other) => other.bot === bot) : undefined;
}

/** Takes the call away from the bots on their way. */
export function abandonBots(d: Decision, except?: number): void {
  for (const { bot } of starting(d).bots) if (bot !== except) d.do({ do: 'abandon_bot', bot });
  d.clearTimers('beside', 'tone', 'entry');
}

function assign(d: Decision, attempt: number): void {
  const phase = starting(d);
  d.go({ ...phase, attempt, isAssigning: true });
  d.do({ do: 'assign_bot', entry: phase.entry });
}

function serve(d: Decision, phase: StartingPhase, bot: number, returning?: PhaseOf<'returning'>): void {
  const { attempt } = phase;
  d.go({ ...phase, bots: [...phase.bots, { bot, attempt }] });
  if (d.terms.linkedTo === undefined) d.setTimer('beside', limitsOf(d).besideMs); // else one process only may have it
  if (d.terms.media === 'room' && reasonOf(d.facts)) return; // no bot is sent into a room that is about to be closed
  if (d.facts.attempt !== attempt) d.do({ do: 'record', change: { attempt } });
  d.learn({ attempt });
  const { failedTransfer } = d.stream;
  d.do({
    do: 'serve_bot',
    bot,
    attempt,
    ...(returning ? { comeback: returning.outcome } : failedTransfer && { failedTransfer }),
  });
}

/** No bot is there, and no other is tried: the document after the stream is the recorded line. */
function fail(d: Decision, reason: 'no_bot' | 'bot_crashed' | 'bot_timeout'): void {
  const phase = starting(d);
  abandonBots(d);
  if (d.terms.media === 'room') {
    d.go({ ...phase, bots: [] }); // they are not told of the end besides
    end(d, reasonOf(d.facts) ?? reason);
    return;
  }
  d.learn({ decided: d.facts.decided ?? reason });
  d.learnOfStream({ outcome: 'bot_timeout', problem: undefined });
  d.clearTimers('problem');
  d.do({ do: 'forget_bot' }, { do: 'end_stream', entry: phase.entry });
  d.go({ is: 'ending', bot: undefined });
  if (settleRequests(d)) return;
  awaitLastWord(d, reason);
  recover(d, 0);
}

function starting({ phase }: Decision): StartingPhase {
  if (phase.is !== 'starting') throw new Error(`no bot is started while a call is ${phase.is}`);
  return phase;
}
