import { levelDb } from '../../base/audio/level.js';

/** Louder than this counts as speech, in dBFS. */
const AUDIBLE_DB = -45;
export const WINDOW_MS = 20;
/** Shorter sounds are clicks. */
export const SHORTEST_SPEECH_MS = 60;

/** Cuts audio into windows of 20 ms, each of which is loud or not. */
export class LoudWindows {
  readonly #windowSamples: number;
  #rest = new Int16Array(0);

  constructor(sampleRate: number) {
    this.#windowSamples = (sampleRate * WINDOW_MS) / 1_000;
  }

  /** Takes the next audio, of any length. @returns for each window that is whole whether it is loud */
  hear(pcm: Int16Array): boolean[] {
    const audio = new Int16Array(this.#rest.length + pcm.length);
    audio.set(this.#rest);
    audio.set(pcm, this.#rest.length);
    const areLoud: boolean[] = [];
    let at = 0;
    for (; at + this.#windowSamples <= audio.length; at += this.#windowSamples) {
      areLoud.push(levelDb(audio.subarray(at, at + this.#windowSamples)) >= AUDIBLE_DB);
    }
    this.#rest = audio.slice(at);
    return areLoud;
  }
}
