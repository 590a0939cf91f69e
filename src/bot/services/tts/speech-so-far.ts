import { joinSamples } from '../../../base/audio/join-samples.js';
import type { TimedWord } from '../../pipeline/frames/index.js';
import { UsualTimes } from '../usual-times.js';
import { estimateCut, paceOf } from './estimate-cut.js';
import { estimateWords } from './estimate-words.js';

/** So near to its end a word has been said, in milliseconds. */
const NEARLY_MS = 20;

/** How fast the voices of this process speak that do not tell when their words are spoken. */
const paces = new UsualTimes();

/** Where speech was cut. */
export interface SpeechCut {
  /** How many texts have been said to their end. */
  readonly said: number;
  /** The word that was cut has been told already. */
  readonly isTold: boolean;
}

/** What a voice has said of the texts that it was given, so that speech which breaks off is gone on with at the word that was cut. */
export class SpeechSoFar {
  readonly #texts: string[] = [];
  #said = 0;
  /** Since the last text was said: the sound, when it began, and the words that were told. Times count from the first sample. */
  #audio: Int16Array[] = [];
  #fromMs = 0;
  #ms = 0;
  #words: TimedWord[] = [];

  /** @param voice which one speaks: two of the same speak equally fast; undefined where nothing is estimated by that */
  constructor(
    public voice: string | undefined,
    private readonly sampleRate: number,
  ) {}

  /** What it was given to say; of one that was cut, what is left to be said. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  /** Something of the next text has been said. */
  get isWithinText(): boolean {
    return this.#ms > this.#fromMs;
  }

  /** What was given so far, in milliseconds; and of the next text. */
  get ms(): number {
    return this.#ms;
  }

  get msWithinText(): number {
    return this.#ms - this.#fromMs;
  }

  /** It is known when the words of the next text are spoken. */
  get hasWords(): boolean {
    return this.#words.length > 0;
  }

  add(text: string): void {
    this.#texts.push(text);
  }

  audio(pcm: Int16Array): void {
    this.#audio.push(pcm);
    this.#ms += (pcm.length * 1_000) / this.sampleRate;
  }

  words(words: readonly TimedWord[]): void {
    this.#words.push(...words);
  }

  /** All of the first `count` texts has been said. */
  saidUntil(count: number): void {
    if (count <= this.#said) return;
    if (this.#words.length === 0 && count === this.#said + 1) this.#learnPace();
    this.#said = Math.min(count, this.#texts.length);
    this.#audio = [];
    this.#fromMs = this.#ms;
    this.#words = this.#words.filter(({ startMs }) => startMs >= this.#fromMs - NEARLY_MS);
  }

  /** Speech was cut here, and goes on at the word that was cut: the rest stands in the place of its text from now on. */
  cut(): SpeechCut {
    const texts = this.#texts.slice(this.#said);
    const text = texts.join('');
    const words = this.#words.filter(({ startMs }) => startMs < this.#ms);
    let at = this.isWithinText ? this.#cutAt(text, words) : 0;
    const isTold = this.isWithinText && words.length > 0 && this.#ms < (words.at(-1)?.endMs ?? 0) - NEARLY_MS;
    let said = this.#said;
    for (let next = texts.shift(); next !== undefined && at >= next.trimEnd().length; next = texts.shift()) {
      at = Math.max(0, at - next.length);
      said += 1;
    }
    const whole = this.#texts[said];
    if (whole !== undefined) this.#texts[said] = whole.slice(at);
    this.#said = said;
    this.#audio = [];
    this.#fromMs = this.#ms;
    this.#words = [];
    return { said, isTold };
  }

  #cutAt(text: string, words: readonly TimedWord[]): number {
    const last = words.at(-1);
    if (!last) {
      const pcm = joinSamples(this.#audio);
      return estimateCut(text, pcm, this.sampleRate, this.voice === undefined ? undefined : paces.of(this.voice));
    }
    let [cursor, start] = [0, 0];
    for (const word of words) {
      const found = text.indexOf(word.text.trim(), cursor);
      if (found < 0) continue;
      start = found;
      cursor = found + word.text.trim().length;
    }
    if (this.#ms < last.endMs - NEARLY_MS) return start;
    return cursor + (/^\S*\s*/.exec(text.slice(cursor))?.[0].length ?? 0);
  }

  /** When the words of the next text were spoken, whose sound is all there; none where the voice has told them. */
  estimated(): TimedWord[] {
    const text = this.#texts[this.#said];
    if (text === undefined || this.hasWords) return [];
    const words = estimateWords(text, joinSamples(this.#audio), this.sampleRate);
    const from = this.#fromMs;
    return words.map((word) => ({ ...word, startMs: word.startMs + from, endMs: word.endMs + from }));
  }

  #learnPace(): void {
    if (this.voice === undefined) return;
    const pace = paceOf(this.#texts[this.#said] ?? '', joinSamples(this.#audio), this.sampleRate);
    if (pace !== undefined) paces.took(this.voice, pace);
  }
}
