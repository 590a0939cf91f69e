import { BeepDetector } from '../../base/audio/beep-detector.js';
import { EnergyDetector } from '../../base/audio/energy-detector.js';
import { VoicebotError } from '../../base/errors.js';
import { rangeProblems } from '../../base/names/option-ranges.js';
import { VOICEMAIL_PHRASES, wordsOnly } from './voicemail-phrases.js';

/**
 * Who has answered. `beep` is a machine that has said it records now. `human` is final, and also what is assumed when time is up;
 * `machine` becomes `beep` or stays.
 */
export type VoicemailState = 'unknown' | 'human' | 'machine' | 'beep';

/** What a machine was known by. */
export type VoicemailEvidence = 'phrase' | 'long_greeting' | 'beep';

export interface VoicemailDetectorOptions {
  /** What machines say, beside what is known in English, German, Spanish and French. Case, accents and punctuation do not matter. */
  phrases?: readonly string[];
  /** A person does not answer the phone with so long a speech without a pause, in milliseconds, 2000 or more; Infinity for never. Default 6000. */
  longGreetingMs?: number;
  /** Quiet after a short answer that makes a human of who gave it, in milliseconds, 300 to 5000. Default 1200; doubled after a long one. */
  humanSilenceMs?: number;
  /** Time after the first words for finding out, in milliseconds, 1000 to 60000. Default 8000. */
  decideWithinMs?: number;
  /** Time for finding out when there are no words, in milliseconds, 1000 to 300000. Default 20000. */
  giveUpAfterMs?: number;
}

/** Words of a short answer at most: "Hello? Jane Smith speaking, who is there?". */
const SHORT_ANSWER_WORDS = 8;
/** Words of a long greeting at least: music and noise have none. */
const LONG_GREETING_WORDS = 10;
/** A pause that ends a greeting in one breath. */
const BREATH_MS = 1_000;

/**
 * Finds out whether a human or a machine has answered, from what it says and how it sounds. Time is that of the audio it
 * is given.
 */
export class VoicemailDetector {
  readonly #phrases: readonly string[];
  readonly #longGreetingMs: number;
  readonly #humanSilenceMs: number;
  readonly #decideWithinMs: number;
  readonly #giveUpAfterMs: number;
  readonly #voice: EnergyDetector;
  readonly #beep: BeepDetector;
  readonly #sampleRate: number;
  #state: VoicemailState = 'unknown';
  #evidence: VoicemailEvidence | undefined;
  #finalWords = '';
  #interimWords = '';
  /** Of the audio so far, and of it at the first words and at the beginning of what is being said, in milliseconds. */
  #nowMs = 0;
  #firstWordsMs: number | undefined;
  #breathSinceMs: number | undefined;
  #silenceMs = 0;

  /**
   * @param sampleRate hertz: 8000, 16000, 24000 or 48000
   * @throws VoicebotError VB_CONFIG_INVALID naming every option out of its range, VB_AUDIO_INVALID for another rate
   */
  constructor(sampleRate: number, options: VoicemailDetectorOptions = {}) {
    const { phrases = [], longGreetingMs = 6_000, humanSilenceMs = 1_200 } = options;
    const { decideWithinMs = 8_000, giveUpAfterMs = 20_000 } = options;
    const problems = rangeProblems({
      longGreetingMs: [longGreetingMs, 2_000, Number.POSITIVE_INFINITY],
      humanSilenceMs: [humanSilenceMs, 300, 5_000],
      decideWithinMs: [decideWithinMs, 1_000, 60_000],
      giveUpAfterMs: [giveUpAfterMs, 1_000, 300_000],
    });
    if (phrases.some((phrase) => !wordsOnly(phrase))) problems.push('phrases must have words');
    if (problems.length > 0) throw new VoicebotError('VB_CONFIG_INVALID', problems.join('; '));
    this.#phrases = [...VOICEMAIL_PHRASES, ...phrases.map(wordsOnly)];
    this.#longGreetingMs = longGreetingMs;
    this.#humanSilenceMs = humanSilenceMs;
    this.#decideWithinMs = decideWithinMs;
    this.#giveUpAfterMs = giveUpAfterMs;
    this.#sampleRate = sampleRate;
    this.#voice = new EnergyDetector(sampleRate);
    this.#beep = new BeepDetector(sampleRate);
  }

  get state(): VoicemailState {
    return this.#state;
  }

  /** What the machine was known by; undefined while it is none. */
  get evidence(): VoicemailEvidence | undefined {
    return this.#evidence;
  }

  /** How long the line has been quiet, in milliseconds of audio. */
  get silenceMs(): number {
    return this.#silenceMs;
  }

  /** @param isInterim replaced by the next words, final or not */
  hearWords(text: string, isInterim = false): VoicemailState {
    if (this.#state !== 'unknown') return this.#state;
    const words = wordsOnly(text);
    this.#interimWords = isInterim ? words : '';
    if (!isInterim) this.#finalWords = `${this.#finalWords} ${words}`.trim();
    if (words) this.#firstWordsMs ??= this.#nowMs;
    const heard = ` ${this.#words} `;
    if (this.#phrases.some((phrase) => heard.includes(` ${phrase} `))) this.#recognise('phrase');
    return this.#state;
  }

  hearAudio(pcm: Int16Array): VoicemailState {
    if (this.#state === 'human') return this.#state;
    const durationMs = (pcm.length * 1_000) / this.#sampleRate;
    this.#nowMs += durationMs;
    const hasBeeped = this.#beep.process(pcm);
    if (this.#voice.isSpeech(pcm)) {
      this.#silenceMs = 0;
      this.#breathSinceMs ??= this.#nowMs;
    } else {
      this.#silenceMs += durationMs;
      if (this.#silenceMs >= BREATH_MS) this.#breathSinceMs = undefined;
    }
    if (hasBeeped) {
      this.#evidence ??= 'beep';
      this.#state = 'beep';
    } else if (this.#state === 'unknown') this.#judge();
    return this.#state;
  }

  get #words(): string {
    return `${this.#finalWords} ${this.#interimWords}`.trim();
  }

  #judge(): void {
    const count = this.#words ? this.#words.split(' ').length : 0;
    const breathMs = this.#breathSinceMs === undefined ? 0 : this.#nowMs - this.#breathSinceMs;
    if (count >= LONG_GREETING_WORDS && breathMs >= this.#longGreetingMs) {
      this.#recognise('long_greeting');
      return;
    }
    const patienceMs = this.#humanSilenceMs * (count > SHORT_ANSWER_WORDS ? 2 : 1);
    const hasAnswered = count > 0 && this.#silenceMs >= patienceMs;
    const isTooLate =
      this.#nowMs >= this.#giveUpAfterMs ||
      (this.#firstWordsMs !== undefined && this.#nowMs - this.#firstWordsMs >= this.#decideWithinMs);
    if (hasAnswered || isTooLate) this.#state = 'human';
  }

  #recognise(evidence: VoicemailEvidence): void {
    this.#state = 'machine';
    this.#evidence = evidence;
  }
}
