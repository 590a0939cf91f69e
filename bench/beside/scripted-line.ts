import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { StreamPlace } from '../processes/carrier.js';
import { CarrierStream, FRAME_MS } from '../processes/carrier-stream.js';
import { commonTime } from '../processes/clock.js';
import { dist } from '../processes/dist.js';
import type { CallRecord } from './call-script.js';
import { heardWord } from './marked-speech.js';

const { decodeMulaw, encodeMulaw } = await dist<typeof import('../../src/base/audio/mulaw.js')>('base/audio/mulaw.js');

const FRAME_BYTES = 160;
const BYTES_PER_MS = 8;
const POLL_MS = 5;
/** What is heard later than this after the sound before it is a new stretch of the bot's speech, in milliseconds. */
const GAP_MS = 100;
/** Between samples, as of a quiet line. */
const HISS = 8;

interface Played {
  /** Monotonic milliseconds. */
  readonly from: number;
  payload: Uint8Array;
}

/** A caller's telephone: plays what the script says and keeps what comes back as the caller hears it. */
export class ScriptedLine extends CarrierStream {
  readonly #played: Played[] = [];
  readonly #noise: Int16Array | undefined;
  #noiseAt = 0;
  #seed = 1;
  #sound: Uint8Array | undefined;
  #soundAt = 0;
  #onFrame: ((isLast: boolean) => void) | undefined;

  constructor(place: StreamPlace, noise: string | undefined) {
    super(place);
    this.#noise = noise === undefined ? undefined : decodeMulaw(Buffer.from(noise, 'base64'));
  }

  override sendFrame(): void {
    if (!this.isOpen) return;
    const sound = this.#sound?.subarray(this.#soundAt, this.#soundAt + FRAME_BYTES);
    this.say(this.#mixed(sound));
    if (!sound || !this.#sound) return;
    this.#soundAt += FRAME_BYTES;
    const isLast = this.#soundAt >= this.#sound.length;
    if (isLast) this.#sound = undefined;
    this.#onFrame?.(isLast);
  }

  /** Resolves with when the first and the last of it were heard by the far end, in monotonic milliseconds. */
  async play(sound: Uint8Array, onBegin: () => void): Promise<[from: number, until: number]> {
    let from = Number.NaN;
    const done = new Promise<number>((resolve) => {
      this.#onFrame = (isLast) => {
        if (Number.isNaN(from)) {
          from = performance.now() - FRAME_MS;
          onBegin();
        }
        if (isLast) resolve(performance.now());
      };
    });
    this.#soundAt = 0;
    this.#sound = sound;
    const until = await Promise.race([done, this.ended]);
    return [from, until];
  }

  /** Resolves when the bot has been silent for so long, or at the latest after the limit. @returns whether it was */
  async quiet(ms: number, limitMs: number): Promise<boolean> {
    const until = performance.now() + limitMs;
    while (this.isOpen && performance.now() < until) {
      if (performance.now() >= this.playedAt + ms) return true;
      await delay(POLL_MS);
    }
    return false;
  }

  /** Resolves when the bot can be heard, having begun to speak after `since`, for so long. @returns whether it was */
  async speaking(since: number, ms: number, limitMs: number): Promise<boolean> {
    const until = performance.now() + limitMs;
    while (this.isOpen && performance.now() < until) {
      const from = this.#begunSince(since);
      if (from !== undefined && performance.now() >= from + ms) return true;
      await delay(POLL_MS);
    }
    return false;
  }

  /** What could be heard of the bot; told bit by bit, so that other calls go on meanwhile. */
  async heard(): Promise<CallRecord['heard']> {
    const heard: Array<CallRecord['heard'][number]> = [];
    for (const { from, payload } of this.#played) {
      for (let at = 0; at + FRAME_BYTES <= payload.length; at += FRAME_BYTES) {
        const word = heardWord(payload.subarray(at, at + FRAME_BYTES));
        if (word) heard.push({ at: commonTime(from + at / BYTES_PER_MS), ...word });
      }
      await setImmediate();
    }
    return heard;
  }

  override clear(): void {
    super.clear();
    const now = performance.now();
    for (let last = this.#played.at(-1); last && endOf(last) > now; last = this.#played.at(-1)) {
      if (last.from < now) {
        last.payload = last.payload.subarray(0, Math.floor((now - last.from) * BYTES_PER_MS));
        break;
      }
      this.#played.pop();
    }
  }

  protected override hear(payload: Uint8Array, now: number): void {
    const durationMs = payload.length / BYTES_PER_MS;
    const from = Math.max(now, this.playedAt - durationMs);
    // silence that the bot sends is no speech
    if (payload.every((byte) => byte === 0xff || byte === 0x7f)) return;
    this.#played.push({ from, payload: payload.slice() });
  }

  #begunSince(since: number): number | undefined {
    let before = Number.NEGATIVE_INFINITY;
    for (const played of this.#played) {
      if (played.from >= since && played.from - before > GAP_MS) return played.from;
      before = endOf(played);
    }
    return undefined;
  }

  #mixed(sound: Uint8Array | undefined): Uint8Array {
    const pcm = sound ? decodeMulaw(sound) : new Int16Array(FRAME_BYTES);
    for (let n = 0; n < FRAME_BYTES; n += 1) {
      this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) | 0;
      const hiss = ((this.#seed >> 16) / 32_768) * HISS;
      const noise = this.#noise ? (this.#noise[this.#noiseAt++ % this.#noise.length] as number) : 0;
      pcm[n] = Math.max(-32_768, Math.min(32_767, (pcm[n] ?? 0) + hiss + noise));
    }
    return encodeMulaw(pcm);
  }
}

const endOf = ({ from, payload }: Played) => from + payload.length / BYTES_PER_MS;
