import { LoudWindows, SHORTEST_SPEECH_MS, WINDOW_MS } from '../loud-windows.js';

/** Where speech began or ended, in milliseconds of all audio that came. */
export interface SpeechEdge {
  readonly type: 'started' | 'stopped';
  readonly atMs: number;
}

/** Hears where the caller's turns begin and end, by the level alone, as a server's voice activity detection. */
export class FakeTurns {
  readonly #sound: LoudWindows;
  #windows = 0;
  #loud = 0;
  #quiet = 0;
  #isSpeaking = false;

  /** @param silenceMs silence that ends a turn */
  constructor(
    sampleRate: number,
    private readonly silenceMs: number,
  ) {
    this.#sound = new LoudWindows(sampleRate);
  }

  /** Whether the caller is in a turn. */
  get isSpeaking(): boolean {
    return this.#isSpeaking;
  }

  /** Takes the next audio, of any length. */
  hear(pcm: Int16Array): SpeechEdge[] {
    return this.#sound.hear(pcm).flatMap((isLoud) => this.#hearWindow(isLoud) ?? []);
  }

  #hearWindow(isLoud: boolean): SpeechEdge | undefined {
    this.#windows += 1;
    this.#quiet = isLoud ? 0 : this.#quiet + 1;
    if (isLoud) this.#loud += 1;
    else if (!this.#isSpeaking) this.#loud = 0;
    if (!this.#isSpeaking && this.#loud * WINDOW_MS >= SHORTEST_SPEECH_MS) {
      this.#isSpeaking = true;
      return { type: 'started', atMs: this.#windows * WINDOW_MS };
    }
    if (!this.#isSpeaking || this.#quiet * WINDOW_MS < this.silenceMs) return undefined;
    this.#isSpeaking = false;
    this.#loud = 0;
    return { type: 'stopped', atMs: this.#windows * WINDOW_MS };
  }
}
