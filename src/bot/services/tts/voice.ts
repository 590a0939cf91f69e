import type { ProviderError } from '../../../base/provider-error.js';
import type { ServiceModel } from '../../../call/service-name.js';
import type { UnitCounts } from '../../../call/usage.js';
import type { TimedWord } from '../../pipeline/frames/index.js';

/** What comes back of a {@link Speech}. Nothing is told any more after `done`, after `failed`, and once it was cancelled. */
export interface SpeechListener {
  /** The next samples, at the rate of the voice. */
  audio(pcm: Int16Array): void;
  /** When words are spoken, counted from the first sample of this speech, in order. */
  words(words: readonly TimedWord[]): void;
  /** All audio of the first `count` pieces has been told. Voices that do not know it say nothing before the end. */
  said(count: number): void;
  /** What follows has been heard in part: the connection broke, and it was asked for again. */
  repeats(): void;
  /** Everything has been said. */
  done(): void;
  /** The voice has given up on this speech. */
  failed(error: ProviderError): void;
}

/** A stretch of speech that is being made. */
export interface Speech {
  /** The next piece of text, with the space that joins it to the next: a sentence, or a part of one. */
  say(text: string): void;
  /** No more text follows. */
  end(): void;
  /** Stops making it, here and at the vendor. May be called at any time, and twice. */
  cancel(): void;
}

/** Makes speech of text for one call; one stretch at a time. */
export interface Voice {
  /** Rate of its audio, in hertz. */
  readonly sampleRate: number;
  /** Gets ready before there is anything to say. Returns at once. */
  warmUp(): void;
  /** Begins to speak; what was being said before is cancelled. */
  speak(listener: SpeechListener): Speech;
  /** Lets go of everything, at once. May be called twice. */
  close(): void;
}

/** What a voice tells beside its speech. */
export interface VoiceListener {
  /** Something went wrong: it was mended, unless `isFinal`. */
  troubled(error: ProviderError): void;
  /** The vendor takes no connection now, or asks for time (429, 5xx). The voice tries again by itself. */
  turnedAway?(error: ProviderError): void;
  /** The vendor was given so many more characters, or has made so many more seconds of sound. */
  used?(units: UnitCounts, by: ServiceModel): void;
  /** Another voice of several goes on: `ms` after when there was to be sound. */
  switched?(change: VoiceSwitch): void;
}

/** Whose voice speaks, and what makes it for one call. */
export interface VoiceSource {
  /** The vendor in one word, the voice and all its settings: two of the same key sound the same. */
  readonly key: string;
  /** Name of the vendor, as people know it. */
  readonly provider: string;
  /** Which of the vendor's models speaks; undefined where there is only one. */
  readonly model?: string | undefined;
  /** What it speaks, a BCP 47 tag; undefined: what it is given. */
  readonly language: string | undefined;
  /** When its first sound is due where this process has not heard it, in milliseconds after it was asked. Default: as of one that streams. */
  readonly firstSoundMs?: number | undefined;
  /** False: it tells itself how it is, or stands in. Default: those who make a call's voice of it tell that. */
  readonly watched?: boolean | undefined;
  /** False: what it says costs nothing. Default true. */
  readonly isCharged?: boolean | undefined;
  /** The same for another language; itself where it was given one, or has only one. @param language BCP 47 */
  inLanguage(language: string): VoiceSource;
  /** Makes the voice of one call. @param sampleRate of the pipeline; the voice may have another when the vendor has not this one */
  create(sampleRate: number, listener: VoiceListener): Voice;
}

/** One voice goes on in the place of another. */
export interface VoiceSwitch {
  readonly from: VoiceSource;
  readonly to: VoiceSource;
  /** In the vendor's words. */
  readonly why: string;
  /** How long there was no sound that was to be there, in milliseconds. */
  readonly ms: number;
  readonly errorType?: string | undefined;
}
