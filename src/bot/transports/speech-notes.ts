import { type CallTimeline, epochOf } from '../../call/timeline.js';
import {
  type Frame,
  InterimTranscriptionFrame,
  TranscriptionFrame,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
  type Utterance,
} from '../pipeline/frames/index.js';
import type { LineFrame } from '../pipeline/recorded-lines.js';
import type { HeardSpeech, UtteranceWords } from './heard-text.js';

/** Notes in the call's timeline who speaks, and what of the bot's words the caller has heard. */
export class SpeechNotes {
  /** The bot began to be heard at a position of the output's audio; both in milliseconds, the time since the Unix epoch. */
  #begin = { at: 0, positionMs: 0 };

  /** When the caller was noticed to speak, milliseconds since the Unix epoch. */
  #callerStartedAt = 0;

  /** Since when the bot's speech has been held; monotonic, in milliseconds. */
  #heldAt: number | undefined;

  #utterances = 0;
  readonly #numbers = new WeakMap<Utterance, number>();

  constructor(private readonly timeline: () => CallTimeline | undefined) {}

  /** A frame that passes the output. */
  see(frame: Frame): void {
    if (frame instanceof UserStartedSpeakingFrame) {
      this.#callerStartedAt = epochOf(performance.now());
      this.timeline()?.note({ type: 'speech_started', speaker: 'caller' }, this.#callerStartedAt);
    } else if (frame instanceof UserStoppedSpeakingFrame) {
      const at = Math.max(this.#callerStartedAt, epochOf(frame.stoppedAt)); // a short sound may be over when it is noticed
      this.timeline()?.note({ type: 'speech_stopped', speaker: 'caller' }, at);
    } else if (frame instanceof TranscriptionFrame || frame instanceof InterimTranscriptionFrame)
      frame.notedIn(this.timeline());
  }

  /** @param positionMs of the output's audio */
  botStarted(positionMs: number): void {
    const at = epochOf(performance.now());
    this.#begin = { at, positionMs };
    this.timeline()?.note({ type: 'speech_started', speaker: 'bot' }, at);
  }

  /** @param inMs how long it takes until the caller begins to hear the text, in milliseconds */
  saying(utterance: Utterance, text: string, inMs: number): void {
    const said = text.trim();
    if (said === '') return;
    const startsAt = epochOf(performance.now() + inMs);
    this.timeline()?.note({ type: 'saying', text: said, startsAt, utterance: this.#numberOf(utterance) });
  }

  /** @param heardMs the position of the output's audio that the caller hears now, in milliseconds */
  wordTimes({ utterance, from, words }: UtteranceWords, heardMs = 0): void {
    if (words.length === 0) return;
    const now = epochOf(performance.now()) - heardMs;
    const times = words.map(({ text, startMs, endMs }) => ({ text, startsAt: now + startMs, endsAt: now + endMs }));
    this.timeline()?.note({ type: 'word_times', utterance: this.#numberOf(utterance), from, words: times });
  }

  botStopped(heardMs: number, wasInterrupted: boolean): void {
    this.timeline()?.note({ type: 'speech_stopped', speaker: 'bot', heardMs, wasInterrupted });
  }

  /** The bot falls silent and keeps what it was about to say. @param isSpeaking whether there is anything to keep */
  held(isSpeaking: boolean): void {
    if (!isSpeaking || this.#heldAt !== undefined) return;
    this.#heldAt = performance.now();
    this.timeline()?.note({ type: 'hold_started' });
  }

  /** What was held goes on, or was dropped. */
  wentOn(resumed: boolean): void {
    if (this.#heldAt === undefined) return;
    const ms = Math.round(performance.now() - this.#heldAt);
    this.#heldAt = undefined;
    this.timeline()?.note({ type: 'speech_held', ms, resumed });
  }

  late(frames: number, ms: number): void {
    this.timeline()?.note({ type: 'audio_gap', ms: Math.round(ms), frames });
  }

  heard({ utterance, text, unheard, startMs, endMs, wasInterrupted }: HeardSpeech): void {
    if (text === '' && unheard === '') return;
    const startedAt = this.#epochAt(startMs);
    const rest = unheard === '' ? {} : { unheard };
    const number = this.#numberOf(utterance);
    const said = { type: 'said', speaker: 'bot', text, startedAt, ...rest, wasInterrupted, utterance: number } as const;
    this.timeline()?.note(said, this.#epochAt(endMs));
  }

  /** A recorded line, as far as it was heard. */
  playedLine({ line }: LineFrame, { text, startMs, endMs }: HeardSpeech): void {
    if (endMs <= startMs) return;
    this.timeline()?.note({ type: 'line_played', line, text, startedAt: this.#epochAt(startMs) }, this.#epochAt(endMs));
  }

  /** Voices number their utterances, and a bot may have several voices. */
  #numberOf(utterance: Utterance): number {
    const number = this.#numbers.get(utterance) ?? this.#utterances + 1;
    this.#utterances = Math.max(this.#utterances, number);
    this.#numbers.set(utterance, number);
    return number;
  }

  #epochAt(positionMs: number): number {
    return this.#begin.at + Math.max(0, positionMs - this.#begin.positionMs);
  }
}
