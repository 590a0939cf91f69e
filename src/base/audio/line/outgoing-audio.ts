import { randomInt } from 'node:crypto';
import { VoicebotError } from '../../errors.js';
import { FRAME_MS } from '../frame.js';
import type { VoiceCodec } from './voice-codec.js';

/** Digital silence is sent for this long, so that the far end hears the end of what was said; then it is not. */
const HANGOVER_MS = 100;

/** Who has said nothing for longer than this was silent. */
const GAP_MS = 100;

/** What of an RTP packet is not the same in all of them. */
export interface SentPacket {
  readonly sequence: number;
  readonly timestamp: number;
  /** The first after a silence. */
  readonly marker: boolean;
  readonly payload: Uint8Array;
}

/**
 * One direction of a call, from 20 ms of PCM at a time to packets. Timestamps follow what is said, and real time while
 * nothing is.
 * @see RFC 3550 section 5.1, RFC 3551 section 4.1
 */
export class OutgoingAudio {
  readonly #codec: VoiceCodec;
  readonly #frameLength: number;
  /** 20 ms, in units of the RTP clock. */
  readonly #step: number;
  #sequence = randomInt(2 ** 16);
  #timestamp = randomInt(2 ** 32);
  #silentMs = HANGOVER_MS;
  /** When the last frame was said, and when the next one follows it. */
  #saidAtMs = Number.NEGATIVE_INFINITY;
  #dueAtMs: number | undefined;

  /** @param sampleRate of the PCM, in hertz */
  constructor(codec: VoiceCodec, sampleRate: number) {
    this.#codec = codec;
    this.#frameLength = (sampleRate * FRAME_MS) / 1_000;
    this.#step = (codec.clockRate * FRAME_MS) / 1_000;
  }

  /**
   * @param pcm 20 ms
   * @param nowMs monotonic
   * @returns undefined for a silence that goes on
   * @throws VoicebotError VB_AUDIO_INVALID for anything but 20 ms
   */
  say(pcm: Int16Array, nowMs: number): SentPacket | undefined {
    if (pcm.length !== this.#frameLength) {
      throw new VoicebotError('VB_AUDIO_INVALID', `a frame is ${this.#frameLength} samples here, not ${pcm.length}`);
    }
    this.#keepTime(nowMs);
    const timestamp = this.#timestamp;
    this.#timestamp = (this.#timestamp + this.#step) % 2 ** 32;
    const marker = this.#silentMs >= HANGOVER_MS;
    this.#silentMs = pcm.some((sample) => sample !== 0) ? 0 : this.#silentMs + FRAME_MS;
    if (this.#silentMs > HANGOVER_MS) return undefined;
    if (marker) this.#codec.pauseEncoding();
    this.#sequence = (this.#sequence + 1) & 0xffff;
    return { sequence: this.#sequence, timestamp, marker, payload: this.#codec.encode(pcm) };
  }

  #keepTime(nowMs: number): void {
    const dueAtMs = this.#dueAtMs ?? nowMs;
    if (nowMs - this.#saidAtMs > GAP_MS && nowMs > dueAtMs) {
      const units = Math.round(((nowMs - dueAtMs) * this.#codec.clockRate) / 1_000);
      this.#timestamp = (this.#timestamp + units) % 2 ** 32;
      this.#silentMs = HANGOVER_MS;
      this.#dueAtMs = nowMs + FRAME_MS;
    } else {
      this.#dueAtMs = Math.max(dueAtMs + FRAME_MS, nowMs - GAP_MS);
    }
    this.#saidAtMs = nowMs;
  }
}
