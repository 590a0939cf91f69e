import { ERROR_SUMMARIES, type ErrorCode } from '../../base/errors.js';
import { type Exception, placeOf } from '../../base/exception/exception.js';
import type { CallState, EndReason } from '../call.js';
import { callLengthMs } from '../call-length.js';
import type { CallRecord } from '../call-record.js';
import { endWords } from '../end-text.js';
import type { TimelineEvent } from '../timeline.js';
import { allOf, botFailureIn, exceptionsIn, inWords, known, lastOf, textOf } from './events.js';

/** What people want to know of a call first. */
export interface Conclusion {
  /** How it went; `live` while it goes on. */
  readonly tone: 'live' | 'good' | 'neutral' | 'bad';
  /** Why it ended, or what happens now: a sentence without its full stop. */
  readonly why: string;
  /** What to do about it, in the imperative, without a capital or a full stop. */
  readonly next?: string | undefined;
  /** The error behind it, as docs/errors.md has it. */
  readonly code?: ErrorCode | undefined;
  /** Where the bot's code has thrown. */
  readonly exception?: Exception | undefined;
}

/** The conclusion as one sentence. */
export const sentenceOf = ({ why, next }: Conclusion): string => (next === undefined ? `${why}.` : `${why}: ${next}.`);

/**
 * Why a call ended and what to do next, or what is happening now.
 * @param events in the order of their times
 * @param isOver nothing more comes: a call that has not ended was cut off with its runner
 */
export function conclusionOf(record: CallRecord, events: readonly TimelineEvent[], isOver = false): Conclusion {
  if (record.state !== 'ended' && !isOver) {
    const now = known(NOW, record.state) ?? (({ state }) => `The call is ${spaced(state)}`);
    return withThrown({ tone: 'live', why: now(record, events) }, events);
  }
  if (record.endReason === undefined) return CUT_OFF;
  const ended = known(ENDINGS, record.endReason) ?? otherEnding;
  const ending = ended(record, events);
  const { exception } = ending;
  const told = () => (exception ? exception.code : codeIn(events));
  const code = ending.tone === 'bad' ? (knownCode(told()) ?? ending.code) : undefined;
  const isTakenOver = ending.next === undefined && record.attempt > 1;
  return { ...withThrown({ ...ending, ...(code && { code }) }, events, isTakenOver ? TAKEN_OVER : ending.next) };
}

/** Code of the bot has thrown, and the call went on: that is no good end, whatever it was. @param next what to do otherwise */
function withThrown(conclusion: Conclusion, events: readonly TimelineEvent[], next = conclusion.next): Conclusion {
  const thrown = exceptionsIn(events);
  const exception = thrown.at(-1);
  if (conclusion.exception || !exception) return { ...conclusion, ...(next && { next }) };
  const place = placeOf(exception);
  const error = shortened(exception.error.split('\n', 1)[0] ?? '');
  const isCure = conclusion.tone !== 'bad' && place !== undefined;
  const code = conclusion.code ?? knownCode(exception.code);
  return {
    tone: 'bad',
    why: `${conclusion.why}, and the bot's code has thrown ${thrown.length === 1 ? 'an error' : `${thrown.length} errors`} (${error})`,
    next: isCure ? `correct ${place}` : next,
    ...(code && { code }),
    exception,
  };
}

const otherEnding: Ending = (record) => ({ tone: 'neutral', why: `The call ended: ${endingOf(record)}` });

const endingOf = ({ endReason, direction }: CallRecord): string => (endReason ? endWords(endReason, direction) : '');

/** Why it ended, as everywhere. @param more what is known of this call beyond that */
function whyOf(record: CallRecord, more = ''): string {
  const words = endingOf(record);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${more}`;
}

const spaced = (name: string) => name.replaceAll('_', ' ');

const CUT_OFF: Conclusion = {
  tone: 'bad',
  why: 'What is kept of this call stops before its end, since the runner or the bot was killed',
  next: 'look at the last lines of the log, and at why that process ended',
};
const TAKEN_OVER = 'read in the log why an earlier bot of this call failed';

/** What is happening, by the state of the call. */
const NOW: Record<Exclude<CallState, 'ended'>, (record: CallRecord, events: readonly TimelineEvent[]) => string> = {
  dialling: ({ to }) => `The runner has asked for a call to ${to}, and the phone does not ring yet`,
  ringing: ({ direction, to }) =>
    direction === 'outbound' ? `The phone of ${to} rings` : 'The caller hears the phone ring',
  starting: (_record, events) =>
    lastOf(events, 'bot_assigned') ? 'A bot has the call and is getting ready' : 'The caller waits for a bot',
  transferring: (_record, events) => {
    const to = lastOf(events, 'transfer_asked')?.to;
    return `The caller is being connected with ${to ?? 'another person'}`;
  },
  connected: talkOf,
};

/** Who speaks, or what is being waited for. */
function talkOf(_record: CallRecord, events: readonly TimelineEvent[]): string {
  const speech = lastOf(events, 'speech_started', 'speech_stopped');
  if (speech?.type === 'speech_started') return `The ${speech.speaker} is speaking`;
  const turn = lastOf(events, 'turn_started', 'turn_ended');
  const tool = lastOf(events, 'tool_called', 'tool_returned');
  if (tool?.type === 'tool_called') return `The bot waits for its tool ${tool.name}`;
  if (turn?.type === 'turn_started') return 'The bot is working on an answer';
  return speech ? 'Both sides are silent' : 'The bot has the call, and neither side has spoken yet';
}

type Ending = (record: CallRecord, events: readonly TimelineEvent[]) => Conclusion;

/** By the reason of the end. */
const ENDINGS: Readonly<Record<EndReason, Ending>> = {
  caller_hung_up: hungUp,
  bot_ended: (record, events) =>
    isSilentBot(events)
      ? {
          tone: 'bad',
          why: whyOf(record, `${afterTalk(record)} without a word`),
          next: 'look in the log for what its function did, and let it wait for the end of the conversation',
        }
      : { tone: 'good', why: whyOf(record, afterTalk(record)) },
  transferred: (record, events) => {
    const to = lastOf(events, 'transfer_asked')?.to;
    return { tone: 'good', why: whyOf(record, `${to === undefined ? '' : ` to ${to}`}${afterTalk(record)}`) };
  },
  transfer_failed: (record, events) => {
    const to = lastOf(events, 'transfer_asked')?.to;
    return {
      tone: 'bad',
      why: whyOf(record, to && `: ${to}`),
      next: 'call the caller back; a destination that may be busy is safer called into the room, with startDialout',
    };
  },
  transfer_unknown: (record, events) => {
    const to = lastOf(events, 'transfer_asked')?.to;
    return { tone: 'neutral', why: whyOf(record, to && `: ${to}`) };
  },
  no_answer: (record) => ({
    tone: 'neutral',
    why: whyOf(record, at(record)),
    next: 'call again later, or let the phone ring longer with VOICEBOT_RING_SECONDS',
  }),
  busy: (record) => ({ tone: 'neutral', why: whyOf(record, at(record)), next: 'call again later' }),
  rejected: (record) => ({
    tone: 'neutral',
    why: whyOf(record, at(record)),
    next: 'check the number, and whether the account may call there',
  }),
  voicemail: (record) => ({ tone: 'neutral', why: whyOf(record, at(record)), next: 'call again later' }),
  screened: (record) => ({
    tone: 'neutral',
    why: whyOf(record, at(record)),
    next: 'call again later',
  }),
  no_bot: (record, events) => ({
    tone: 'bad',
    why: whyOf(record, because(events)),
    next: 'correct the bot file and save it; the runner loads it again by itself',
    code: 'VB_BOT_LOAD_FAILED',
  }),
  bot_crashed: (record, events) => {
    const exception = exceptionIn(events);
    const place = exception && placeOf(exception);
    return {
      tone: 'bad',
      why: whyOf(record, exception ? ` (${exception.error.split('\n', 1)[0]})` : because(events)),
      next: place ? `correct ${place}, and call again` : 'correct what the log shows, and call again',
      ...(exception ? { exception } : { code: 'VB_BOT_DIED' }),
    };
  },
  bot_timeout: (record, events) => ({
    tone: 'bad',
    why: whyOf(record, because(events)),
    next: 'do slow preparations at the top of the bot file, and block its process nowhere',
  }),
  not_connected: (record) => ({
    tone: 'bad',
    why: whyOf(record),
    next: 'give its transport dialinSettings, or call startDialout when a call goes out',
  }),
  provider_error: (record, events) => ({
    tone: 'bad',
    why: whyOf(record, because(events, 'part')),
    next: "check that provider's key and limits with npx voicebot doctor",
    code: 'VB_PROVIDER_FAILED',
  }),
  telephony_error: (record, events) => ({
    tone: 'bad',
    why: whyOf(record, failedRequest(events) ?? because(events)),
    next: "read its answers among the messages below, and look at the account in the provider's console",
  }),
  room_closed: (record) => ({
    tone: 'bad',
    why: whyOf(record),
    next: 'look for what else deletes rooms of the account',
  }),
  audio_unreadable: (record, events) => ({
    tone: 'bad',
    why: whyOf(record, because(events)),
    next: 'do what the log says: allow the number G.711 only, or convert the file',
  }),
  limit_reached: (record) => ({
    tone: 'neutral',
    why: whyOf(record, afterTalk(record)),
    next:
      record.direction === 'outbound'
        ? 'if it should go on longer, raise VOICEBOT_DIAL_MAX_SECONDS or VOICEBOT_SILENCE_SECONDS'
        : 'if it should go on longer, raise VOICEBOT_MAX_CALL_SECONDS or VOICEBOT_SILENCE_SECONDS',
  }),
  runner_stopped: (record) => ({
    tone: 'neutral',
    why: whyOf(record, afterTalk(record)),
    next: 'start it again; with --drain-seconds it lets calls end first',
  }),
  tunnel_lost: (record) => ({
    tone: 'bad',
    why: whyOf(record),
    next: 'use an address of your own with --public-url, or another tunnel',
    code: 'VB_TUNNEL_FAILED',
  }),
  turned_away: (record) => ({
    tone: 'bad',
    why: whyOf(record),
    next: 'keep more bots ready with --warm, or look at what the tunnel carries',
  }),
};

/** Which number was called. */
const at = ({ to }: CallRecord): string => (to ? ` (${to})` : '');

/** A caller who leaves while nothing is to be heard has a reason that we can name. */
function hungUp(record: CallRecord, events: readonly TimelineEvent[]): Conclusion {
  const after = afterTalk(record);
  if (isSilentBot(events)) {
    return {
      tone: 'bad',
      why: whyOf(record, `${after} and had heard nothing of the bot`),
      next: 'look at the set-up below for what took so long',
    };
  }
  const turn = lastOf(events, 'turn_started', 'turn_ended');
  const bot = lastOf(events.filter(isOfBot), 'speech_started', 'speech_stopped');
  const wait = turn?.type === 'turn_started' ? (record.endedAt ?? turn.at) - turn.at : 0;
  if (wait > PATIENCE_MS && (bot === undefined || bot.at < (turn?.at ?? 0))) {
    return {
      tone: 'neutral',
      why: whyOf(record, `${after}, having waited ${inWords(wait)} for an answer of the bot`),
      next: 'look at what the last turn waited for',
    };
  }
  return {
    tone: 'good',
    why: whyOf(record, `${after}${bot?.type === 'speech_started' ? ', while the bot spoke' : ''}`),
  };
}

/** How long people wait for an answer before they take the line for dead, in milliseconds. */
const PATIENCE_MS = 3_000;

const isOfBot = (event: TimelineEvent) => 'speaker' in event && event.speaker === 'bot';

/** Whether the caller was there, and the bot never spoke. */
const isSilentBot = (events: readonly TimelineEvent[]): boolean =>
  events.some(({ type }) => type === 'caller_joined') &&
  !events.some((event) => event.type === 'speech_started' && event.speaker === 'bot');

function afterTalk(record: CallRecord): string {
  const length = record.endedAt === undefined ? undefined : callLengthMs(record);
  return length === undefined ? '' : ` after ${inWords(length)}`;
}

/** The last thing that went wrong, in its own words: what a process has written, or what a part of the bot has warned of. */
function because(events: readonly TimelineEvent[], who: 'process' | 'part' = 'process'): string {
  const told = events.findLast(
    (event) => (event.type === 'warning') === (who === 'part') && troubleOf(event) !== undefined,
  );
  return told ? ` (${troubleOf(told)})` : '';
}

const LONGEST_TROUBLE = 200;

function troubleOf(event: TimelineEvent): string | undefined {
  const text = wordsOfTrouble(event)?.trim();
  return text ? shortened(text) : undefined;
}

const shortened = (text: string): string =>
  text.length > LONGEST_TROUBLE ? `${text.slice(0, LONGEST_TROUBLE)}…` : text;

function wordsOfTrouble(event: TimelineEvent): string | undefined {
  if (event.type === 'warning') return event.message;
  // The runner has a bot's failure from the line that the bot's process writes.
  if (event.type === 'output') return botFailureIn(event.line);
  if (event.type !== 'log' || (event.level !== 'warn' && event.level !== 'error')) return undefined;
  const { error, lastLine, exit } = event.fields ?? {};
  const cause = error ?? lastLine ?? exit;
  return cause === undefined || cause === null ? event.message : `${event.message}: ${textOf(cause)}`;
}

function failedRequest(events: readonly TimelineEvent[]): string | undefined {
  const failed = events.findLast((event) => event.type === 'request' && !((event.status ?? 500) < 400));
  if (failed?.type !== 'request') return undefined;
  const answer = failed.status === undefined ? 'got no answer' : `was answered with ${failed.status}`;
  return ` (${failed.method} ${failed.path} ${answer})`;
}

/** What the last bot has failed with. */
const exceptionIn = (events: readonly TimelineEvent[]): Exception | undefined =>
  allOf(events, 'output').findLast(({ line, exception }) => exception !== undefined && !line.startsWith('pipeline: '))
    ?.exception;

const knownCode = (code: string | undefined): ErrorCode | undefined =>
  code !== undefined && code in ERROR_SUMMARIES ? (code as ErrorCode) : undefined;

/** The last error code that anybody has written down. */
function codeIn(events: readonly TimelineEvent[]): ErrorCode | undefined {
  for (const event of events.toReversed()) {
    const codes: string[] = (JSON.stringify(wordsIn(event)) ?? '').match(/\bVB_[A-Z_]+\b/g) ?? [];
    const found = codes.map(knownCode).findLast((code) => code !== undefined);
    if (found) return found;
  }
  return undefined;
}

function wordsIn(event: TimelineEvent): unknown {
  if (event.type === 'log') return [event.message, event.fields];
  if (event.type === 'output') return event.line;
  return event.type === 'warning' ? event.message : undefined;
}
