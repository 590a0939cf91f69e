import { levelDb } from '../../../base/audio/level.js';
import { AUDIBLE_DB, SHORTEST_SPEECH_MS, WINDOW_MS } from '../speech-ear.js';

/** Where speech began or ended, in milliseconds of all audio that came. */
export interface SpeechEdge {
  readonly type: 'started' | 'stopped';
  readonly atMs: number;
}

/** Hears where the caller's turns begin and end, by the level alone, as a server's voice activity detection. */
export class FakeTurns {
  readonly #windowSamples: number;
  #rest = new Int16Array(0);
  #windows = 0;
  #loud = 0;
  #quiet = 0;
  #isSpeaking = false;

  /** @param silenceMs silence that ends a turn */
  constructor(
    sampleRate: number,
    private readonly silenceMs: number,
  ) {
    this.#windowSamples = (sampleRate * WINDOW_MS) / 1_000;
  }

  /** Whether the caller is in a turn. */
  get isSpeaking(): boolean {
    return this.#isSpeaking;
  }

  /** Takes the next audio, of any length. */
  hear(pcm: Int16Array): SpeechEdge[] {
    const audio = new Int16Array(this.#rest.length + pcm.length);
    audio.set(this.#rest);
    audio.set(pcm, this.#rest.length);
    const edges: SpeechEdge[] = [];
    let at = 0;
    for (; at + this.#windowSamples <= audio.length; at += this.#windowSamples) {
      const type = this.#hearWindow(levelDb(audio.subarray(at, at + this.#windowSamples)) >= AUDIBLE_DB);
      if (type) edges.push({ type, atMs: this.#windows * WINDOW_MS });
    }
    this.#rest = audio.slice(at);
    return edges;
  }

  #hearWindow(isLoud: boolean): SpeechEdge['type'] | undefined {
    this.#windows += 1;
    this.#quiet = isLoud ? 0 : this.#quiet + 1;
    if (isLoud) this.#loud += 1;
    else if (!this.#isSpeaking) this.#loud = 0;
    if (!this.#isSpeaking && this.#loud * WINDOW_MS >= SHORTEST_SPEECH_MS) {
      this.#isSpeaking = true;
      return 'started';
    }
    if (!this.#isSpeaking || this.#quiet * WINDOW_MS < this.silenceMs) return undefined;
    this.#isSpeaking = false;
    this.#loud = 0;
    return 'stopped';
  }
}
