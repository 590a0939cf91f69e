import { dist } from '../processes/dist.js';

const { encodeMulaw } = await dist<typeof import('../../src/base/audio/mulaw.js')>('base/audio/mulaw.js');

const SAMPLE_RATE = 8_000;
const FRAME_BYTES = 160;
const HARMONICS = [1, 2, 3, 4, 5, 6];

/** Four seconds that a voice detector takes for a voice: harmonics of 120 Hz, louder and softer four times a second, never silent. */
const voice = encodeMulaw(
  Int16Array.from({ length: 4 * SAMPLE_RATE }, (_, n) => {
    const seconds = n / SAMPLE_RATE;
    const loudness = 2_500 * (1 - 0.6 * Math.cos(2 * Math.PI * 4 * seconds));
    return loudness * HARMONICS.reduce((sum, k) => sum + Math.sin(2 * Math.PI * k * 120 * seconds) / k, 0);
  }),
);

/** What a caller says, in frames of 20 ms. */
export const VOICE_FRAMES: readonly Uint8Array[] = Array.from({ length: voice.length / FRAME_BYTES }, (_, index) =>
  voice.subarray(index * FRAME_BYTES, (index + 1) * FRAME_BYTES),
);

export const SILENT_FRAME = new Uint8Array(FRAME_BYTES).fill(0xff);
