import { DEFAULT_FLITE_VOICE } from '../../bot/services/tts/flite-program.js';
import { samplesOf, sharedFlite } from '../../bot/services/tts/flite-thread.js';
import type { FliteOrder } from '../../bot/services/tts/flite-worker.js';

/** Bots say many of their sentences again and again: so many are remembered, of about 80 KB each. */
const MAX_REMEMBERED = 500;

/** Says what the bots of a test say in flite's voices: each sentence once for all of them. */
export class SaidSentences {
  readonly #said = new Map<string, Promise<Int16Array>>();

  /** Loads the voice, so that the first sentence need not wait for that. Never rejects. */
  load(): Promise<void> {
    return sharedFlite.load(DEFAULT_FLITE_VOICE);
  }

  /** @returns mono samples. Rejects with the voice's failure */
  say(order: FliteOrder): Promise<Int16Array> {
    const key = JSON.stringify([order.voice, order.sampleRate, order.text]);
    const said = this.#said.get(key) ?? samplesOf(order);
    this.#said.delete(key); // to the end of the row
    this.#said.set(key, said);
    said.catch(() => this.#said.delete(key));
    const [oldest] = this.#said.keys();
    if (oldest !== undefined && this.#said.size > MAX_REMEMBERED) this.#said.delete(oldest);
    return said;
  }
}
