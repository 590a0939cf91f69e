import { FRAME_MS } from '../frame.js';
import { levelDb } from '../level.js';
import { JitterBuffer, type JitterDelay } from './jitter-buffer.js';
import type { VoiceCodec } from './voice-codec.js';

/** A listener does not miss 20 ms that are quieter than this. */
const QUIET_DB = -50;

/** What of a received RTP packet matters. */
export interface ReceivedPacket {
  readonly ssrc: number;
  readonly sequence: number;
  readonly timestamp: number;
  readonly payload: Uint8Array;
}

/** One direction of a call, from packets as they arrive to 20 ms of PCM at a time. */
export class IncomingAudio {
  readonly #codec: VoiceCodec;
  readonly #frameLength: number;
  #buffer: JitterBuffer;
  #ssrc: number | undefined;
  #isListening = false;
  /** Decoded and not yet heard. */
  #pcm: Int16Array = new Int16Array(0);

  /**
   * @param sampleRate of the PCM, in hertz
   * @param delay default: that of a network
   */
  constructor(
    codec: VoiceCodec,
    sampleRate: number,
    private readonly delay?: JitterDelay,
  ) {
    this.#codec = codec;
    this.#frameLength = (sampleRate * FRAME_MS) / 1_000;
    this.#buffer = new JitterBuffer(codec.clockRate, delay);
  }

  /** Takes a packet. What comes before anybody listens is not kept. @param nowMs monotonic */
  receive({ ssrc, sequence, timestamp, payload }: ReceivedPacket, nowMs: number): void {
    const duration = this.#codec.durationOf(payload);
    if (!this.#isListening || duration === 0) return;
    if (ssrc !== this.#ssrc) this.#buffer = new JitterBuffer(this.#codec.clockRate, this.delay);
    this.#ssrc = ssrc;
    this.#buffer.push({ sequence, timestamp, duration, payload }, nowMs);
  }

  /** The next 20 ms, in an array of their own. @param nowMs monotonic */
  hear(nowMs: number): Int16Array {
    this.#isListening = true;
    while (this.#pcm.length < this.#frameLength) this.#append(this.#next(nowMs));
    const heard = this.#pcm.slice(0, this.#frameLength);
    this.#pcm = this.#pcm.subarray(this.#frameLength);
    return heard;
  }

  #next(nowMs: number): Int16Array {
    for (;;) {
      const packet = this.#buffer.take(nowMs);
      if (packet === 'silence') return this.#codec.silence();
      if (packet === 'lost') return this.#codec.conceal(this.#buffer.packetDuration);
      const pcm = this.#codec.decode(packet.payload) ?? this.#codec.conceal(packet.duration);
      const correction = this.#buffer.correction(levelDb(pcm) < QUIET_DB);
      if (correction === 'insert') this.#append(new Int16Array(this.#frameLength));
      if (correction !== 'skip') return pcm;
    }
  }

  #append(pcm: Int16Array): void {
    if (this.#pcm.length === 0) {
      this.#pcm = pcm;
      return;
    }
    const both = new Int16Array(this.#pcm.length + pcm.length);
    both.set(this.#pcm);
    both.set(pcm, this.#pcm.length);
    this.#pcm = both;
  }
}
