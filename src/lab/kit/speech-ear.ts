import { LoudWindows, SHORTEST_SPEECH_MS, WINDOW_MS } from './loud-windows.js';

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
  readonly #sound: LoudWindows;
  readonly #silenceWindows: number;
  readonly #pauseWindows: number;
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
    this.#sound = new LoudWindows(sampleRate);
    this.#silenceWindows = Math.max(1, Math.ceil(silenceMs / WINDOW_MS));
    this.#pauseWindows = Math.max(1, Math.ceil(pauseMs / WINDOW_MS));
  }

  /** Takes the next audio, of any length. */
  hear(pcm: Int16Array): Understood[] {
    return this.#sound.hear(pcm).flatMap((isLoud) => this.#hearWindow(isLoud) ?? []);
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
