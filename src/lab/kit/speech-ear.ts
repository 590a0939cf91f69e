import { levelDb } from '../../base/audio/level.js';

/** Louder than this counts as speech, in dBFS. */
export const AUDIBLE_DB = -45;
export const WINDOW_MS = 20;
/** Shorter sounds are clicks. */
export const SHORTEST_SPEECH_MS = 60;
/** Time that a word takes in the interim results. */
const WORD_MS = 200;

/** The words of a text so far, or all of it once there was silence. */
export interface Understood {
  readonly text: string;
  readonly isFinal: boolean;
}

/** Hears speech begin and end, by its level alone, and takes it for the texts it was given, one after the other. */
export class SpeechEar {
  readonly #windowSamples: number;
  readonly #silenceWindows: number;
  #rest = new Int16Array(0);
  #speechWindows = 0;
  #quietWindows = 0;
  #words = 0;

  /** @param texts loses each text when it has been heard to its end */
  constructor(
    private readonly texts: string[],
    sampleRate: number,
    silenceMs: number,
  ) {
    this.#windowSamples = (sampleRate * WINDOW_MS) / 1_000;
    this.#silenceWindows = Math.max(1, Math.ceil(silenceMs / WINDOW_MS));
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

  #hearWindow(isLoud: boolean): Understood | undefined {
    this.#quietWindows = isLoud ? 0 : this.#quietWindows + 1;
    if (isLoud) this.#speechWindows += 1;
    const isSpeech = this.#speechWindows * WINDOW_MS >= SHORTEST_SPEECH_MS;
    if (this.#quietWindows >= this.#silenceWindows) {
      this.#speechWindows = 0;
      this.#words = 0;
      const text = isSpeech ? this.texts.shift() : undefined;
      return text === undefined ? undefined : { text, isFinal: true };
    }
    const [text] = this.texts;
    return isSpeech && isLoud && text !== undefined ? this.#nextWords(text) : undefined;
  }

  #nextWords(text: string): Understood | undefined {
    const said = text.split(/\s+/).slice(0, 1 + Math.floor((this.#speechWindows * WINDOW_MS) / WORD_MS));
    if (said.length === this.#words) return undefined;
    this.#words = said.length;
    return { text: said.join(' '), isFinal: false };
  }
}
