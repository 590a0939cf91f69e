import { levelDb } from '../../base/audio/level.js';

/** Louder than this counts as speech, in dBFS. */
export const AUDIBLE_DB = -45;
export const WINDOW_MS = 20;
/** Shorter sounds are clicks. */
export const SHORTEST_SPEECH_MS = 60;
/** Time that a word takes in the interim results. */
const WORD_MS = 200;

/** What was heard of a text. */
export interface Understood {
  /**
   * `words`: more of its words; `pause`: there was a short silence after them; `resumed`: it goes on after that;
   * `end`: there was the silence that ends it.
   */
  readonly is: 'words' | 'pause' | 'resumed' | 'end';
  /** Its words so far; all of them at a pause and at the end. */
  readonly text: string;
  /** Where in the audio it began, and where its last sound was, in milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
}

/** How much silence means something, in milliseconds. */
export interface SilenceOptions {
  readonly silenceMs: number;
  /** Default: no pause is told. */
  readonly pauseMs?: number | undefined;
}

/** Hears speech begin and end, by its level alone, and takes it for the texts it was given, one after the other. */
export class SpeechEar {
  readonly #windowSamples: number;
  readonly #silenceWindows: number;
  readonly #pauseWindows: number;
  #rest = new Int16Array(0);
  #windows = 0;
  /** Where the speech began and ended that is heard now. */
  #startWindow = 0;
  #endWindow = 0;
  #speechWindows = 0;
  #quietWindows = 0;
  #words = 0;
  #isPaused = false;

  /** @param texts loses each text when it has been heard to its end */
  constructor(
    private readonly texts: string[],
    sampleRate: number,
    { silenceMs, pauseMs = Number.POSITIVE_INFINITY }: SilenceOptions,
  ) {
    this.#windowSamples = (sampleRate * WINDOW_MS) / 1_000;
    this.#silenceWindows = Math.max(1, Math.ceil(silenceMs / WINDOW_MS));
    this.#pauseWindows = Math.max(1, Math.ceil(pauseMs / WINDOW_MS));
  }

  /** Takes the next audio, of any length. */
  hear(pcm: Int16Array): Understood[] {
    const audio = new Int16Array(this.#rest.length + pcm.length);
    audio.set(this.#rest);
    audio.set(pcm, this.#rest.length);
    const understood: Understood[] = [];
    let at = 0;
    for (; at + this.#windowSamples <= audio.length; at += this.#windowSamples) {
      const news = this.#hearWindow(levelDb(audio.subarray(at, at + this.#windowSamples)) >= AUDIBLE_DB);
      if (news) understood.push(news);
    }
    this.#rest = audio.slice(at);
    return understood;
  }

  /** Takes what is being said for said to its end; undefined when nothing is. */
  end(): Understood | undefined {
    const text = this.#isSpeech ? this.texts.shift() : undefined;
    const end = text === undefined ? undefined : this.#understood('end', text);
    this.#speechWindows = 0;
    this.#words = 0;
    this.#isPaused = false;
    return end;
  }

  get #isSpeech(): boolean {
    return this.#speechWindows * WINDOW_MS >= SHORTEST_SPEECH_MS;
  }

  #hearWindow(isLoud: boolean): Understood | undefined {
    this.#windows += 1;
    this.#quietWindows = isLoud ? 0 : this.#quietWindows + 1;
    if (isLoud) {
      if (this.#speechWindows === 0) this.#startWindow = this.#windows - 1;
      this.#speechWindows += 1;
      this.#endWindow = this.#windows;
    }
    if (this.#quietWindows >= this.#silenceWindows) return this.end();
    const [text] = this.texts;
    if (!this.#isSpeech || text === undefined) return undefined;
    if (isLoud && this.#isPaused) {
      this.#isPaused = false;
      return this.#understood('resumed', text);
    }
    if (this.#quietWindows === this.#pauseWindows) {
      this.#isPaused = true;
      return this.#understood('pause', text);
    }
    return isLoud ? this.#nextWords(text) : undefined;
  }

  #nextWords(text: string): Understood | undefined {
    const said = text.split(/\s+/).slice(0, 1 + Math.floor((this.#speechWindows * WINDOW_MS) / WORD_MS));
    if (said.length === this.#words) return undefined;
    this.#words = said.length;
    return this.#understood('words', said.join(' '));
  }

  #understood(is: Understood['is'], text: string): Understood {
    return { is, text, startMs: this.#startWindow * WINDOW_MS, endMs: this.#endWindow * WINDOW_MS };
  }
}
