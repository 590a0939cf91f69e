import { levelDb } from '../../base/audio/level.js';
import type { TranscriptEntry } from '../../call/folder/transcript.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { allOf } from '../../call/view/events.js';
import type { BotSpeech } from './bot-speech.js';

/** The caller's side of a recording. */
export interface CallerAudio {
  readonly pcm: Int16Array;
  /** Hertz. */
  readonly sampleRate: number;
  /** Of the first sample, milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

/** What the caller said at one go. Times are milliseconds since the Unix epoch. */
export interface CallerUtterance {
  readonly from: number;
  readonly to: number;
  /** What the bot understood; empty when it understood nothing. */
  readonly words: string;
  /** How it sounded; undefined where there is no recording of it. */
  readonly pcm: Int16Array | undefined;
}

/** Shorter pauses, in which the bot does not begin to speak, belong to what the caller says. */
const PAUSE_MS = 1_500;
/** Speech begins before it is noticed, at most so long. */
const EARLY_MS = 600;
/** Of a telephone line without speech; decibels below full scale. */
const SILENT_DB = -45;
const FRAME_MS = 20;
/** Kept of the silence around what is said. */
const MARGIN_FRAMES = 2;
/** Words come so long after what they were said in, at most. */
const LATE_MS = 4_000;
/** Words that come this soon after a new beginning belong to what was said before. */
const SOON_MS = 700;

interface Span {
  from: number;
  to: number;
  words: string[];
  /** Words that were typed have no sound. */
  isTyped?: boolean;
}

/**
 * What the caller of a recorded call said, in order.
 * @param events in the order of their times
 * @param transcript in place of events, where those say nothing of the caller; its times count from `origin`
 */
export function utterancesOf(
  events: readonly TimelineEvent[],
  transcript: readonly TranscriptEntry[],
  origin: number,
  audio: CallerAudio | undefined,
  bot: BotSpeech,
): CallerUtterance[] {
  const spoken = joined(spansIn(events), bot);
  for (const { text, at } of allOf(events, 'said').filter((said) => said.speaker === 'caller' && said.text !== ''))
    wordsTo(spoken, text, at);
  const spans =
    spoken.length > 0 ? spoken : transcript.filter(({ speaker }) => speaker === 'caller').map(spanFrom(origin));
  return spans
    .sort((one, other) => one.from - other.from)
    .map((span): CallerUtterance => {
      const { from, to, words, isTyped } = span;
      const cut = isTyped ? undefined : cutOut(audio, span);
      return { from, to, pcm: undefined, ...cut, words: words.join(' ').trim() };
    })
    .filter(({ pcm, words }) => pcm !== undefined || words !== '');
}

const spanFrom =
  (origin: number) =>
  ({ startMs, endMs, text }: TranscriptEntry): Span => ({ from: origin + startMs, to: origin + endMs, words: [text] });

function spansIn(events: readonly TimelineEvent[]): Span[] {
  const spans: Span[] = [];
  let isSpeaking = false;
  for (const event of allOf(events, 'speech_started', 'speech_stopped')) {
    if (event.speaker !== 'caller') continue;
    const last = spans.at(-1);
    if (event.type === 'speech_started' && !isSpeaking) spans.push({ from: event.at, to: event.at, words: [] });
    else if (event.type === 'speech_stopped' && last) last.to = event.at;
    isSpeaking = event.type === 'speech_started';
  }
  const last = spans.at(-1);
  if (isSpeaking && last) last.to = events.at(-1)?.at ?? last.to; // the call ended in the middle of it
  return spans;
}

function joined(spans: readonly Span[], bot: BotSpeech): Span[] {
  const whole: Span[] = [];
  for (const span of spans) {
    const before = whole.at(-1);
    const isOne = before && span.from - before.to < PAUSE_MS && bot.between(before.from, span.from).length === 0;
    if (isOne) before.to = span.to;
    else whole.push({ ...span });
  }
  return whole;
}

/** Words become known after they were said, sometimes when the caller says the next thing already. */
function wordsTo(spans: Span[], text: string, at: number): void {
  const begun = spans.findLastIndex((one) => !one.isTyped && one.from <= at);
  const last = spans[begun];
  const before = spans[begun - 1];
  const isOfBefore = last && before && at < last.to && at - last.from < SOON_MS && before.words.length === 0;
  const of = isOfBefore ? before : last;
  if (of && at - of.to < LATE_MS) of.words.push(text);
  else spans.push({ from: at, to: at, words: [text], isTyped: true });
}

/** The sound of a stretch without the silence around it; undefined where there is none. */
function cutOut(
  audio: CallerAudio | undefined,
  { from, to }: Span,
): (Pick<CallerUtterance, 'from' | 'to'> & { pcm: Int16Array }) | undefined {
  if (!audio) return undefined;
  const { pcm, sampleRate, startedAt } = audio;
  const frame = (sampleRate * FRAME_MS) / 1_000;
  const frameAt = (at: number) => Math.max(0, Math.round((at - startedAt) / FRAME_MS));
  const isLoud = (n: number) => levelDb(pcm.subarray(n * frame, (n + 1) * frame)) > SILENT_DB;
  const end = Math.min(frameAt(to + 100), Math.floor(pcm.length / frame));
  let first = frameAt(from - EARLY_MS);
  let last = end - 1;
  while (first < end && !isLoud(first)) first += 1;
  while (last > first && !isLoud(last)) last -= 1;
  if (first >= end) return undefined;
  first = Math.max(0, first - MARGIN_FRAMES);
  last = Math.min(end - 1, last + MARGIN_FRAMES);
  return {
    from: startedAt + first * FRAME_MS,
    to: startedAt + (last + 1) * FRAME_MS,
    pcm: pcm.slice(first * frame, (last + 1) * frame),
  };
}
