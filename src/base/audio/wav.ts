export { decodeWav } from './wav-decoder.js';
export { encodeWav, type WavContent } from './wav-encoder.js';
export type { WavAudio } from './wav-format.js';
