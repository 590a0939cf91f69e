import type { SandboxStreamFormat } from '../network/stream-audio.js';

/** By codec and sampling rate. @see carrier reference 7.2 */
export const STREAM_FORMATS: ReadonlyMap<string, SandboxStreamFormat> = new Map([
  ['PCMU 8000', { contentType: 'audio/x-mulaw', sampleRate: 8_000 }],
  ['L16 8000', { contentType: 'audio/x-l16', sampleRate: 8_000 }],
  ['L16 16000', { contentType: 'audio/x-l16', sampleRate: 16_000 }],
]);

/** What the carrier's streams can carry; the sandbox plays those of {@link STREAM_FORMATS}. */
export const STREAM_CODECS = ['PCMU', 'PCMA', 'G722', 'OPUS', 'AMR-WB', 'L16'] as const;

/** `media_format.encoding` */
export const encodingOf = ({ contentType }: SandboxStreamFormat): string =>
  contentType === 'audio/x-l16' ? 'L16' : 'PCMU';
