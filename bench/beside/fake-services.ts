import { setTimeout as delay } from 'node:timers/promises';
import { commonNow } from '../processes/clock.js';
import type { ModelRequest } from './call-script.js';
import { markedSpeech, markedText, SAMPLE_RATE } from './marked-speech.js';

/** From the request to the first word, and from one word to the next, in milliseconds. */
const FIRST_TOKEN_MS = 400;
const TOKEN_MS = 10;
/** From the text to its first sound, in milliseconds. */
const FIRST_AUDIO_MS = 200;
/** Audio comes in pieces of so much, four times as fast as it is heard, in milliseconds. */
const PIECE_MS = 200;
const BETWEEN_PIECES_MS = 50;

/** What all models of this process have been asked since it was last taken. */
export const requests: ModelRequest[] = [];

/** The model of one call: answers anything with marked words, and notes what it was asked. */
export class FakeModel {
  #answers = 0;

  constructor(
    private readonly callId: string,
    private readonly words: number,
  ) {}

  /** @throws AbortError when the answer is no longer wanted */
  async *answer(messages: ModelRequest['messages'], signal?: AbortSignal): AsyncGenerator<string> {
    this.#answers += 1;
    const answer = this.#answers;
    requests.push({ at: commonNow(), callId: this.callId, answer, messages });
    const startedAt = performance.now();
    const tokens = markedText(answer, this.words).split(/(?<= )/);
    for (const [index, token] of tokens.entries()) {
      const dueMs = FIRST_TOKEN_MS + index * TOKEN_MS - (performance.now() - startedAt);
      if (dueMs > 0) await delay(dueMs, undefined, signal ? { signal } : {});
      yield token;
    }
  }
}

/** The voice: says a piece of text. @throws AbortError when it is no longer wanted */
export async function* fakeSpeech(text: string, signal?: AbortSignal): AsyncGenerator<Int16Array> {
  const startedAt = performance.now();
  const pcm = markedSpeech(text);
  const pieceSamples = (PIECE_MS * SAMPLE_RATE) / 1_000;
  for (let at = 0; at < pcm.length; at += pieceSamples) {
    const dueMs = FIRST_AUDIO_MS + (at / pieceSamples) * BETWEEN_PIECES_MS - (performance.now() - startedAt);
    if (dueMs > 0) await delay(dueMs, undefined, signal ? { signal } : {});
    yield pcm.subarray(at, at + pieceSamples);
  }
}
