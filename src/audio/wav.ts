export { decodeWav } from './wav-decoder.js';
export { encodeWav } from './wav-encoder.js';
export type { WavAudio } from './wav-format.js';
