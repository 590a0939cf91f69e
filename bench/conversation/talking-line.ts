import { setTimeout as delay } from 'node:timers/promises';
import { CarrierStream, FRAME_MS } from '../processes/carrier-stream.js';
import { dist } from '../processes/dist.js';
import { SILENT_FRAME, VOICE_FRAMES } from './voice.js';

const { deferred } = await dist<typeof import('../../src/base/async/deferred.js')>('base/async/deferred.js');

/** So much audio a transport releases at once; from then on in real time. */
const LEAD_MS = 100;
const POLL_MS = 20;

/** What the bot says at one go, as the carrier gets it. Times are monotonic milliseconds. */
export class Answer {
  readonly #begun = deferred<number>();
  frames = 0;
  /** Between two frames, without those that are released at once at the beginning. */
  readonly gaps: number[] = [];
  /** By how much each frame came later than the first one's time and the real time of the audio say. */
  readonly lateness: number[] = [];
  /** Frames that came when all before them had been played: the caller hears a gap. */
  gapsHeard = 0;
  #firstAt = 0;
  #lastAt = 0;

  /** Resolves with when the first of it came. */
  get begun(): Promise<number> {
    return this.#begun.promise;
  }

  take(now: number): void {
    if (this.frames === 0) {
      this.#firstAt = now;
      this.#begun.resolve(now);
    } else {
      const positionMs = this.frames * FRAME_MS;
      this.lateness.push(now - this.#firstAt - Math.max(0, positionMs - (LEAD_MS - FRAME_MS)));
      if (positionMs >= LEAD_MS) this.gaps.push(now - this.#lastAt);
      if (now > this.#firstAt + positionMs) this.gapsHeard += 1;
    }
    this.frames += 1;
    this.#lastAt = now;
  }
}

/** A caller who is silent until told to say something. */
export class TalkingLine extends CarrierStream {
  #answer = new Answer();
  #framesToSay = 0;
  #said = deferred<number>();

  override sendFrame(): void {
    if (!this.isOpen) return;
    if (this.#framesToSay === 0) {
      this.say(SILENT_FRAME);
      return;
    }
    this.say(VOICE_FRAMES[this.#framesToSay % VOICE_FRAMES.length] as Uint8Array);
    this.#framesToSay -= 1;
    if (this.#framesToSay === 0) this.#said.resolve(performance.now());
  }

  /** Speaks for so long; resolves with when the last of it was sent. */
  speak(durationMs: number): Promise<number> {
    this.#framesToSay = Math.ceil(durationMs / FRAME_MS);
    this.#said = deferred();
    return Promise.race([this.#said.promise, this.ended]);
  }

  /** What comes from now on is a new answer. */
  listen(): Answer {
    this.#answer = new Answer();
    return this.#answer;
  }

  /** Resolves when nothing of the bot has been heard for so long. */
  async quiet(ms: number): Promise<void> {
    while (this.isOpen && performance.now() < this.playedAt + ms) await delay(POLL_MS);
  }

  protected override hear(_payload: Uint8Array, now: number): void {
    this.#answer.take(now);
  }
}
