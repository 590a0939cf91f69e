import { commonNow } from '../processes/clock.js';
import { dist } from '../processes/dist.js';
import { StampedSpeech } from '../processes/echo.js';
import { type Hearing, hearBursts } from './burst-hearing.js';
import { BURST_MS, burst, PAUSE_MS } from './bursts.js';

const { decodeMulaw, encodeMulaw } = await dist<typeof import('../../src/base/audio/mulaw.js')>('base/audio/mulaw.js');

/** What a caller says, and what becomes of what is heard. */
export interface CallerVoice {
  /** 20 ms of mu-law each way. */
  exchange(heard: Uint8Array): Uint8Array;
}

/** Speech whose frames can be told apart when they come back as they were. */
export class StampedVoice implements CallerVoice {
  readonly speech = new StampedSpeech();

  exchange(heard: Uint8Array): Uint8Array {
    const now = performance.now();
    this.speech.heard(heard, now);
    return this.speech.next(now);
  }
}

const RATE = 8_000;
const FRAME_MS = 20;
const FRAME_LENGTH = (RATE * FRAME_MS) / 1_000;
const FRAMES_WITH_PAUSE = (BURST_MS + PAUSE_MS) / FRAME_MS;
const SILENCE = encodeMulaw(new Int16Array(FRAME_LENGTH));

/** Bursts of noise, which are found again behind any codec. */
export class BurstVoice implements CallerVoice {
  #seed: number;
  #frames = 0;
  #burst: Int16Array = new Int16Array(0);
  /** How many are still said. */
  #left = Number.POSITIVE_INFINITY;
  #startedAt: number[] = [];
  #heard: Int16Array[] = [];
  #heardAt: number[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** From now on says bursts that it has not said before, for so long, and listens for them. */
  begin(ms: number): void {
    this.#seed += 1_000;
    this.#frames = 0;
    this.#left = Math.round(ms / (BURST_MS + PAUSE_MS));
    this.#startedAt = [];
    this.#heard = [];
    this.#heardAt = [];
  }

  /** What has come back of it. */
  echo(): Hearing {
    const pcm = new Int16Array(this.#heard.length * FRAME_LENGTH);
    for (const [index, frame] of this.#heard.entries()) pcm.set(frame, index * FRAME_LENGTH);
    const said = { seed: this.#seed, startedAt: this.#startedAt };
    return hearBursts(said, { pcm, heardAt: this.#heardAt, sampleRate: RATE });
  }

  exchange(heard: Uint8Array): Uint8Array {
    const now = commonNow();
    this.#heard.push(decodeMulaw(heard));
    this.#heardAt.push(now);
    const frame = this.#frames % FRAMES_WITH_PAUSE;
    this.#frames += 1;
    if (frame === 0) this.#next(now);
    const said = this.#burst.subarray(frame * FRAME_LENGTH, (frame + 1) * FRAME_LENGTH);
    return said.length > 0 ? encodeMulaw(said) : SILENCE;
  }

  #next(now: number): void {
    this.#left -= 1;
    this.#burst = this.#left < 0 ? new Int16Array(0) : burst(this.#seed, this.#startedAt.length, RATE);
    if (this.#left >= 0) this.#startedAt.push(now);
  }
}
