import { medianOf } from '../../base/percentile.js';
import type { TimelineEvent } from '../timeline.js';
import { type TurnReport, type TurnWait, waitsIn } from '../turn-report.js';
import { allOf, inOrder, type TimelineEventOf } from './events.js';
import { phaseWords, type StepWords, webhookWords, wireWords } from './step-words.js';

/** What the caller waited for between two moments of a turn. */
export interface TurnStep {
  readonly name: 'transcript' | 'turn' | 'model' | 'sentence' | 'voice' | 'playout';
  /** Milliseconds from the start of the turn. */
  readonly from: number;
  readonly to: number;
}

export interface TurnView {
  /** For people, counted over all bots of the call. */
  readonly number: number;
  /** Which bot of the call, where that is known. */
  readonly bot: number | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly since: TurnReport['since'];
  readonly steps: readonly TurnStep[];
  /** From the start, which is the caller's last sound, to the first sound that they heard; undefined when nothing was heard. */
  readonly heardMs: number | undefined;
  readonly wasInterrupted: boolean;
}

/** What ends with each step of a report. */
const NAMES: Readonly<Record<TurnWait['step'], TurnStep['name']>> = {
  finalTranscript: 'transcript',
  modelRequested: 'turn',
  firstToken: 'model',
  speechRequested: 'sentence',
  firstAudio: 'voice',
  firstReleased: 'playout',
};

/** The turns of a call, and what each of them waited for. */
export function turnsOf(events: readonly TimelineEvent[]): readonly TurnView[] {
  return allOf(events, 'turn_ended')
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .map((event, index) => ({
      number: index + 1,
      bot: event.bot,
      startedAt: event.startedAt,
      since: event.since,
      steps: stepsOf(event),
      heardMs: event.firstReleasedMs,
      wasInterrupted: event.wasInterrupted,
    }));
}

/** Each step begins where the one before ends; one that took no time is left out. */
const stepsOf = (report: TurnReport): readonly TurnStep[] =>
  waitsIn(report).flatMap(({ step, from, to }) => (to > from ? [{ name: NAMES[step], from, to }] : []));

/** How long callers waited for answers, in milliseconds; undefined when no caller who had spoken got an answer. */
export function waitsOf(turns: readonly TurnView[]): { median: number; longest: number; count: number } | undefined {
  const waits = turns.flatMap(({ since, heardMs }) =>
    since === 'caller_stopped' && heardMs !== undefined ? [heardMs] : [],
  );
  const median = medianOf(waits);
  return median === undefined ? undefined : { median, longest: Math.max(...waits), count: waits.length };
}

/** Something that took time, or happened, before the caller heard the bot. */
export interface SetUpRow {
  readonly who: 'provider' | 'runner' | 'bot';
  readonly label: string;
  /** What the wire or the runner calls it, where that is something else. */
  readonly name?: string;
  /** Milliseconds from the start of the call. */
  readonly from: number;
  /** The same as `from` for what takes no time. */
  readonly to: number;
  readonly isFailed: boolean;
}

export interface SetUp {
  readonly rows: readonly SetUpRow[];
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** From the start to the end of what is shown. */
  readonly lengthMs: number;
  /** When the caller first heard the bot, from the start; undefined while that has not happened. */
  readonly heardMs: number | undefined;
}

/** How a call was set up, until its bot is heard; undefined without events. */
export function setUpOf(events: readonly TimelineEvent[]): SetUp | undefined {
  const all = inOrder(events);
  const first = all[0];
  if (!first) return undefined;
  const startedAt = Math.min(...all.slice(0, FIRST_FEW).map(beginOf));
  const heard = all.find((event) => event.type === 'speech_started' && event.speaker === 'bot');
  const shown = heard ? all.filter((event) => beginOf(event) <= heard.at) : all.slice(0, MOST_ROWS);
  const endAt = heard?.at ?? Math.max(...shown.map(({ at }) => at));
  const since = (at: number) => Math.max(0, at - startedAt);
  const rows = [...phaseRows(shown, endAt), ...shown.flatMap((event) => rowOf(event, shown, endAt))].map((row) => ({
    ...row,
    from: since(row.from),
    to: since(Math.min(row.to, endAt)),
  }));
  return {
    rows: rows.toSorted((a, b) => a.from - b.from),
    startedAt,
    lengthMs: since(endAt),
    heardMs: heard && since(heard.at),
  };
}

const FIRST_FEW = 50;
const MOST_ROWS = 200;

/** What is noted when it is over began before. */
const beginOf = (event: TimelineEvent): number =>
  event.type === 'webhook' || event.type === 'request' || event.type === 'voice_answered'
    ? event.at - event.ms
    : event.at;

/** Each phase goes on until the next. */
function phaseRows(events: readonly TimelineEvent[], endAt: number): SetUpRow[] {
  const phases = allOf(events, 'phase');
  return phases.map(({ phase, at }, index) => ({
    who: 'runner',
    ...phaseWords(phase),
    from: at,
    to: phases[index + 1]?.at ?? endAt,
    isFailed: false,
  }));
}

function rowOf(event: TimelineEvent, all: readonly TimelineEvent[], endAt: number): SetUpRow[] {
  const row = (who: SetUpRow['who'], step: string | StepWords, to = event.at, isFailed = false): SetUpRow[] => [
    { who, ...(typeof step === 'string' ? { label: step } : step), from: beginOf(event), to, isFailed },
  ];
  switch (event.type) {
    case 'webhook':
      return row('provider', ofProvider(webhookWords(event)), event.at, event.status >= 400);
    case 'request': {
      const request = {
        label: `the provider ${event.status === undefined ? 'does not answer' : 'answers'} a request`,
        name: `${event.method} ${event.path}`,
      };
      return row('provider', request, event.at, !((event.status ?? 500) < 400));
    }
    case 'bot_assigned':
      return row('bot', 'the bot gets ready', readyAt(event, all) ?? endAt);
    case 'bot_done':
      return row('bot', `bot ${event.outcome}`, event.at, event.outcome !== 'returned');
    case 'voice_answered':
      return event.firstAudioMs === undefined ? [] : firstVoice(event, event.firstAudioMs);
    case 'caller_joined':
      return row('bot', 'the caller hears the bot');
    case 'wire':
      return event.direction === 'in' && event.name === 'start' ? row('provider', wireWords(event)) : [];
    case 'turn_started':
      return row('bot', 'the first answer', endAt);
    case 'warning':
      return row('bot', event.message, event.at, true);
    default:
      return [];
  }
}

const ofProvider = ({ label, name }: StepWords): StepWords => ({
  label: label === name ? label : `the provider ${label}`,
  name,
});

/** From the request for a text to its first audio. */
function firstVoice({ at, ms }: TimelineEventOf<'voice_answered'>, firstAudioMs: number): SetUpRow[] {
  return [{ who: 'bot', label: 'the voice is made', from: at - ms, to: at - ms + firstAudioMs, isFailed: false }];
}

/** When the bot that was given the call first noted something, or was done. */
const readyAt = (assigned: TimelineEventOf<'bot_assigned'>, all: readonly TimelineEvent[]): number | undefined =>
  all.find(({ source, type, at }) => at >= assigned.at && (source === 'bot' || type === 'bot_done'))?.at;
