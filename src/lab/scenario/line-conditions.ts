import { FRAME_MS } from '../../base/audio/frame.js';
import { decodeMulaw, encodeMulaw, MULAW_SILENCE } from '../../base/audio/mulaw.js';
import type { CheckedScenario } from './scenario-schema.js';
import { randomFrom } from './seeded-random.js';

type Network = NonNullable<CheckedScenario['network']>;

/** Of a voice on the line, as the sandbox speaks, in decibels below full scale. */
const VOICE_DB = -18;

/** What a line does to the audio of a call, the same each time. Frames are 20 ms of mu-law, 8000 Hz. */
export class LineConditions {
  readonly #random = randomFrom(0x1234);
  readonly #noiseAmplitude: number;
  #frames = 0;

  constructor(private readonly network: Network = { stalls: [] }) {
    const { noise } = network;
    this.#noiseAmplitude = noise === undefined ? 0 : 32_768 * 10 ** ((VOICE_DB - noise) / 20) * Math.sqrt(3);
  }

  /** What the caller hears. */
  heard(frame: Uint8Array): Uint8Array {
    return this.#isLost() ? silent(frame) : frame;
  }

  /** What of the caller reaches the network. Once for each frame. */
  said(frame: Uint8Array): Uint8Array {
    this.#frames += 1;
    if (this.#isLost()) return silent(frame);
    if (this.#noiseAmplitude === 0) return frame;
    const noise = () => Math.round((2 * this.#random() - 1) * this.#noiseAmplitude);
    return encodeMulaw(decodeMulaw(frame).map((sample) => Math.max(-32_768, Math.min(32_767, sample + noise()))));
  }

  /** How much too late the next frame of the caller is sent, in milliseconds. */
  holdMs(): number {
    const { jitter = 0, stalls } = this.network;
    const nowMs = this.#frames * FRAME_MS;
    const stalledMs = stalls.map(({ after, for: lasts }) => (nowMs >= after ? after + lasts - nowMs : 0));
    return Math.max(0, jitter === 0 ? 0 : this.#random() * jitter, ...stalledMs);
  }

  #isLost(): boolean {
    return this.network.loss !== undefined && this.#random() < this.network.loss;
  }
}

const silent = ({ length }: Uint8Array) => new Uint8Array(length).fill(MULAW_SILENCE);
