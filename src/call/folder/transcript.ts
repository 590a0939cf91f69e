import type { HeardBy, Speaker, TimelineEvent } from '../timeline.js';
import { allOf, languageAt, recordingStartOf } from '../view/events.js';
import { withLostSpeech } from '../view/lost-speech.js';
import { MAX_LATE_MS } from '../view/transcript.js';

/** What one side has said until the other one spoke. Times are milliseconds since the first sample of the recording. */
export interface TranscriptEntry {
  readonly speaker: Speaker;
  /** Of the bot: what the caller has heard. */
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** What the bot would have said on. */
  readonly unheard?: string;
  readonly wasInterrupted?: boolean;
  /** What was spoken in the call then, a BCP 47 tag, where the bot has said so. */
  readonly language?: string;
  /** Of the caller: it was typed. */
  readonly typed?: true;
  /** Of the caller: what has understood it in place of the bot's ears. */
  readonly by?: HeardBy;
}

type Said = Extract<TimelineEvent, { type: 'said' }>;

type LanguageChange = Extract<TimelineEvent, { type: 'language_changed' }>;

/** When a side has begun and ended to speak last, milliseconds since the Unix epoch. */
interface SpeechTimes {
  startedAt?: number;
  stoppedAt?: number;
}

const TALK: readonly TimelineEvent['type'][] = [
  'said',
  'saying',
  'speech_started',
  'speech_stopped',
  'recording',
  'bot_done',
  'language_changed',
];

/** Whether the transcript needs an event. */
export const isTalk = ({ type }: TimelineEvent): boolean => TALK.includes(type);

/**
 * Who has said what, in order.
 * @param events in the order of their times; without a recording, times count from the first one
 */
export function transcriptOf(events: readonly TimelineEvent[]): TranscriptEntry[] {
  const origin = recordingStartOf(events) ?? events[0]?.at ?? 0;
  const speech: Record<Speaker, SpeechTimes> = { caller: {}, bot: {} };
  const languages = allOf(events, 'language_changed');
  const entries: TranscriptEntry[] = [];
  for (const event of withLostSpeech(events)) {
    if (event.type === 'speech_started') speech[event.speaker] = { startedAt: event.at };
    else if (event.type === 'speech_stopped') speech[event.speaker].stoppedAt = event.at;
    else if (event.type === 'said' && (event.text || event.unheard))
      entries.push(entryOf(event, isOf(event, speech[event.speaker]) ? speech[event.speaker] : {}, origin, languages));
  }
  return joined(entries.sort((a, b) => a.startMs - b.startMs));
}

const isOf = ({ at }: Said, { stoppedAt = at }: SpeechTimes) => at - stoppedAt < MAX_LATE_MS;

/** The caller's words are known some time after they were said; the bot's are noted with the time at which they end. */
function entryOf(
  said: Said,
  speech: SpeechTimes,
  origin: number,
  languages: readonly LanguageChange[],
): TranscriptEntry {
  const { speaker, text, unheard, wasInterrupted, typed, by, at } = said;
  const startedAt = said.startedAt ?? speech.startedAt ?? at;
  const endedAt = speaker === 'caller' ? (speech.stoppedAt ?? at) : at;
  const language = languageAt(languages, startedAt);
  const since = (time: number) => Math.round(Math.max(0, time - origin));
  return {
    speaker,
    text,
    startMs: since(startedAt),
    endMs: since(Math.max(startedAt, endedAt)),
    ...(unheard && { unheard }),
    ...(wasInterrupted && { wasInterrupted }),
    ...(language && { language }),
    ...(typed && { typed }),
    ...(by && { by }),
  };
}

/** What the caller says comes in pieces; what was typed comes whole. */
function joined(entries: readonly TranscriptEntry[]): TranscriptEntry[] {
  const whole: TranscriptEntry[] = [];
  for (const entry of entries) {
    const before = whole.at(-1);
    const areSpoken = before?.speaker === 'caller' && entry.speaker === 'caller' && !before.typed && !entry.typed;
    if (areSpoken && before.by === entry.by) {
      const endMs = Math.max(before.endMs, entry.endMs);
      whole[whole.length - 1] = { ...before, text: `${before.text} ${entry.text}`, endMs };
    } else whole.push(entry);
  }
  return whole;
}
