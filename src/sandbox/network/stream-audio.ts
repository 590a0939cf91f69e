import { decodeMulaw, encodeMulaw } from '../../base/audio/mulaw.js';
import { Resampler } from '../../base/audio/resampler.js';
import { FrameResampler } from './frame-resampler.js';

/** What a media stream carries, in both directions, mono. L16 is signed 16-bit, little-endian. */
export interface SandboxStreamFormat {
  readonly contentType: 'audio/x-mulaw' | 'audio/x-l16';
  /** Hertz. */
  readonly sampleRate: 8_000 | 16_000;
}

const PHONE_RATE = 8_000;

/** Converts between the mu-law of the phones and what one media stream carries. */
export class StreamAudio {
  readonly #isMulaw: boolean;
  readonly #toBot: FrameResampler;
  readonly #fromBot: Resampler;

  constructor({ contentType, sampleRate }: SandboxStreamFormat) {
    this.#isMulaw = contentType === 'audio/x-mulaw';
    this.#toBot = new FrameResampler(PHONE_RATE, sampleRate);
    this.#fromBot = new Resampler(sampleRate, PHONE_RATE);
  }

  /** @param frame 20 ms of mu-law from the phone */
  toBot(frame: Uint8Array): Buffer {
    if (this.#isMulaw) return Buffer.from(frame.buffer, frame.byteOffset, frame.length);
    const samples = this.#toBot.process(decodeMulaw(frame));
    const payload = Buffer.alloc(2 * samples.length);
    for (const [n, sample] of samples.entries()) payload.writeInt16LE(sample, 2 * n);
    return payload;
  }

  /** @param payload in the stream's format, whole samples */
  fromBot(payload: Buffer): Uint8Array {
    if (this.#isMulaw) return payload;
    const samples = Int16Array.from({ length: payload.length / 2 }, (_, n) => payload.readInt16LE(2 * n));
    return encodeMulaw(this.#fromBot.process(samples));
  }

  /** Ends what the bot has sent so far: gives the last 4 ms of it, which a change of the rate holds back. */
  flush(): Uint8Array {
    return encodeMulaw(this.#fromBot.flush());
  }
}
