import type { SandboxStreamFormat } from '../network/stream-audio.js';

/** By the `contentType` of a `<Stream>`. @see carrier reference 4.2 */
export const STREAM_FORMATS: ReadonlyMap<string, SandboxStreamFormat> = new Map([
  ['audio/x-mulaw;rate=8000', { contentType: 'audio/x-mulaw', sampleRate: 8_000 }],
  ['audio/x-l16;rate=8000', { contentType: 'audio/x-l16', sampleRate: 8_000 }],
  ['audio/x-l16;rate=16000', { contentType: 'audio/x-l16', sampleRate: 16_000 }],
]);

/** What a `<Stream>` without `contentType` carries: the carrier's guide says mu-law, its reference says this. */
export const UNNAMED_STREAM_FORMAT = 'audio/x-l16;rate=8000';
