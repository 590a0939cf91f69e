import { FRAME_MS } from '../../../base/audio/frame.js';
import type { VoiceCodec } from '../../../base/audio/line/voice-codec.js';
import { loadOpus, MAX_OPUS_PACKET_BYTES, type OpusHandler } from './opus-native.js';

const CLOCK_RATE = 48_000;

/**
 * OPUS_APPLICATION_AUDIO: keeps to the waveform, which at this rate is 13 dB nearer to what was said than the model of speech of
 * OPUS_APPLICATION_VOIP. That would send in-band FEC, which costs 1 dB and which this decoder cannot be asked for.
 */
const AUDIO = 2_049;

/**
 * OPUS_SET_BITRATE in bits per second, as much as PCMU; OPUS_SET_PACKET_LOSS_PERC, for which frames lean less on those before
 * them; OPUS_SET_COMPLEXITY, half the work of 5 at the same distance. Measured by `npm run bench -- voice-codecs`.
 */
const SETTINGS = [
  [4_002, 64_000],
  [4_014, 10],
  [4_010, 3],
] as const;

/** What is made up fades between these: left to itself, the decoder would drone on. */
const FADE_FROM_MS = 40;
const FADE_TO_MS = 120;

/** RFC 6716 section 3.2.5: no packet holds more. */
const LONGEST_MS = 120;

/**
 * Opus, mono, at the sample rate of our side; what others send in stereo is mixed down.
 * @see RFC 6716, RFC 7587
 */
export class OpusCodec implements VoiceCodec {
  readonly clockRate = CLOCK_RATE;
  readonly #native = loadOpus();
  #handler: OpusHandler | undefined;
  /** First byte of a packet that would hold one frame like those of the last one: what a lost frame is for the decoder. */
  #lostFrame: Uint8Array | undefined;
  /** Made up since the last packet, in samples. */
  #concealed = 0;

  /** @param sampleRate one of 8000, 12 000, 16 000, 24 000 and 48 000 Hz */
  constructor(readonly sampleRate: number) {
    this.#handler = new this.#native.module.OpusScriptHandler(sampleRate, 1, AUDIO);
    for (const [request, value] of SETTINGS) this.#handler._encoder_ctl(request, value);
  }

  encode(pcm: Int16Array): Uint8Array {
    const { module, pcmAt, packetAt } = this.#native;
    module.HEAPU16.set(new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength), pcmAt >> 1);
    const bytes = this.#handler?._encode(pcmAt, pcm.byteLength, packetAt, pcm.length) ?? 0;
    return module.HEAPU8.slice(packetAt, packetAt + Math.max(0, bytes));
  }

  pauseEncoding(): void {}

  durationOf(payload: Uint8Array): number {
    if (payload.length > MAX_OPUS_PACKET_BYTES) return 0;
    const durationMs = frameMs(payload[0] ?? 0) * frameCount(payload);
    return durationMs <= LONGEST_MS ? durationMs * (CLOCK_RATE / 1_000) : 0;
  }

  decode(payload: Uint8Array): Int16Array | undefined {
    const pcm = this.#decode(payload);
    if (!pcm) return undefined;
    this.#lostFrame = Uint8Array.of((payload[0] as number) & 0xfc);
    this.#concealed = 0;
    return pcm;
  }

  /** A frame of no bytes is one that was lost, and the decoder makes it up (RFC 6716 sections 2.1.7 and 3.2.1). */
  conceal(duration: number): Int16Array {
    const pcm = new Int16Array((duration * this.sampleRate) / CLOCK_RATE);
    if (!this.#lostFrame) return pcm;
    for (let at = 0; at < pcm.length; ) {
      const frame = this.#decode(this.#lostFrame)?.subarray(0, pcm.length - at);
      if (!frame) break;
      pcm.set(frame, at);
      at += frame.length;
    }
    const msPerSample = 1_000 / this.sampleRate;
    for (let n = 0; n < pcm.length; n += 1, this.#concealed += 1) {
      const gain = (FADE_TO_MS - this.#concealed * msPerSample) / (FADE_TO_MS - FADE_FROM_MS);
      pcm[n] = (pcm[n] as number) * Math.max(0, Math.min(1, gain));
    }
    return pcm;
  }

  silence(): Int16Array {
    return new Int16Array((this.sampleRate * FRAME_MS) / 1_000);
  }

  close(): void {
    if (this.#handler) this.#native.module.OpusScriptHandler.destroy_handler(this.#handler);
    this.#handler = undefined;
  }

  #decode(payload: Uint8Array): Int16Array | undefined {
    const { module, pcmAt, packetAt } = this.#native;
    module.HEAPU8.set(payload, packetAt);
    const samples = this.#handler?._decode(packetAt, payload.length, pcmAt) ?? 0;
    if (samples <= 0) return undefined;
    const pcm = new Int16Array(samples);
    new Uint8Array(pcm.buffer).set(module.HEAPU16.subarray(pcmAt >> 1, (pcmAt >> 1) + 2 * samples));
    return pcm;
  }
}

/** Length of a frame by the table-of-contents byte (RFC 6716 section 3.1). */
function frameMs(toc: number): number {
  const config = toc >> 3;
  if (config < 12) return [10, 20, 40, 60][config & 3] as number;
  if (config < 16) return [10, 20][config & 1] as number;
  return [2.5, 5, 10, 20][config & 3] as number;
}

/** How many frames a packet holds (RFC 6716 section 3.2). */
function frameCount(payload: Uint8Array): number {
  if (payload.length === 0) return 0;
  const code = (payload[0] as number) & 3;
  if (code === 0) return 1;
  return code === 3 ? (payload[1] ?? 0) & 0x3f : 2;
}
