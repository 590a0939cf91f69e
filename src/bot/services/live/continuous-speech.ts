import {
  type Frame,
  OutputAudioFrame,
  type TimedWord,
  TTSStartedFrame,
  TTSStoppedFrame,
  TTSTextFrame,
  TTSTimingFrame,
  type Utterance,
} from '../../pipeline/frames/index.js';

export interface ContinuousSpeechOptions {
  readonly utterance: Utterance;
  /** Of its sound, in hertz. */
  readonly sampleRate: number;
  /** Where it begins, by the clock of the session's sound, in milliseconds. */
  readonly startMs: number;
  push(frame: Frame): void;
  /** More of what is said, in writing. */
  wrote?(text: string): void;
}

/** The end of a sentence: after more than one letter, which would be an abbreviation. */
const ENDS_SENTENCE = /(?:[\p{L}\p{M}\p{N}]{2}|[^\p{L}])[.!?…]["'”’»)]*$/u;
const BEGINS_SENTENCE = /^["'“‘«(¿¡]*\p{Lu}/u;

/** One utterance out of the stream of a model that never stops sending sound: its words with the times that the vendor tells. */
export class ContinuousSpeech {
  readonly #silence: Int16Array[] = [];
  /** The word that has not ended. */
  #word: { text: string; startMs: number; endMs: number } | undefined;
  #text = '';
  /** Where the pieces of the text end, and when they have been said. */
  readonly #ends: Array<{ readonly length: number; readonly endMs: number }> = [];

  constructor(private readonly options: ContinuousSpeechOptions) {
    options.push(new TTSStartedFrame(options.utterance));
  }

  get utterance(): Utterance {
    return this.options.utterance;
  }

  /** How long it has been silent, in milliseconds. */
  get silenceMs(): number {
    const samples = this.#silence.reduce((sum, { length }) => sum + length, 0);
    return (samples * 1_000) / this.options.sampleRate;
  }

  get written(): string {
    return this.#text;
  }

  /** Silence is a part of it only where speech follows. */
  audio(pcm: Int16Array, isSilent: boolean): void {
    if (isSilent) {
      this.#silence.push(pcm);
      return;
    }
    for (const piece of [...this.#silence.splice(0), pcm]) {
      this.options.push(new OutputAudioFrame(piece, this.options.sampleRate));
    }
  }

  /**
   * Times are by the clock of the session's sound, in milliseconds.
   * @param isGiven the model was given something to say meanwhile, which this may be the beginning of
   */
  words(told: string, startMs: number, endMs: number, isGiven = false): void {
    const { utterance, push, wrote } = this.options;
    const isApart = ENDS_SENTENCE.test(this.#text) && (isGiven ? /^[^\s\p{P}\p{N}]/u : BEGINS_SENTENCE).test(told);
    const delta = isApart ? ` ${told}` : told;
    this.#text += delta;
    this.#ends.push({ length: this.#text.length, endMs });
    wrote?.(delta);
    push(new TTSTextFrame(utterance, delta));
    if (/^\s/.test(delta)) this.#endWord();
    const from = this.#word?.startMs ?? startMs;
    this.#word = { text: (this.#word?.text ?? '') + delta, startMs: from, endMs };
    if (/\s$/.test(delta)) this.#endWord();
  }

  /** What was said to its end at a time of that clock. */
  saidUntil(atMs: number): string {
    const { length = 0 } = this.#ends.findLast(({ endMs }) => endMs <= atMs) ?? {};
    return this.#text.slice(0, length).trimEnd();
  }

  /** Nothing follows. */
  finish(): void {
    const { utterance, push } = this.options;
    this.#endWord();
    push(new TTSStoppedFrame(utterance));
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = undefined;
    if (!word || word.text.trim() === '') return;
    const at = (ms: number) => Math.max(0, ms - this.options.startMs);
    const timed: TimedWord = { text: word.text.trim(), startMs: at(word.startMs), endMs: at(word.endMs) };
    this.options.push(new TTSTimingFrame(this.options.utterance, [timed]));
  }
}
