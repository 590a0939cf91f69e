import { isFields } from '../../base/http/json-fields.js';
import type { StreamFormat } from '../carrier.js';

/** What a `start` without `media_format` means. */
export const DEFAULT_FORMAT: StreamFormat = { encoding: 'PCMU', sampleRate: 8000 };

/** L16 is little-endian, as its users found; RFC 3551 would have it otherwise, and the carrier does not say. */
export const WIDEBAND_FORMAT: StreamFormat = { encoding: 'L16', sampleRate: 16_000 };

/** Of a call whose audio the carrier has not brought into what was asked for: A-law comes in, and what we send stays mu-law. */
const ALAW_FORMAT: StreamFormat = { encoding: 'PCMA', sampleRate: 8000 };

const FORMATS: readonly StreamFormat[] = [DEFAULT_FORMAT, WIDEBAND_FORMAT, ALAW_FORMAT];

/** Whether streams of this carrier carry the format. */
export const isSupported = ({ encoding, sampleRate }: StreamFormat): boolean =>
  FORMATS.some((known) => known.encoding === encoding && known.sampleRate === sampleRate);

/**
 * Reads `start.media_format`. A stream whose audio the carrier could not bring into the encoding that was asked for comes
 * in that of the call: PCMA, which is read, or G722 and OPUS, which are not.
 * @returns undefined when the stream's audio cannot be decoded
 * @see carrier reference 7.2
 */
export function parseMediaFormat(mediaFormat: unknown): StreamFormat | undefined {
  if (mediaFormat === undefined) return DEFAULT_FORMAT;
  if (!isFields(mediaFormat)) return undefined;
  const { encoding, sample_rate: rate, channels = 1 } = mediaFormat;
  if (typeof encoding !== 'string' || Number(textOfNumber(channels)) !== 1) return undefined;
  const sampleRate = Number(textOfNumber(rate));
  return FORMATS.find((known) => known.encoding === encoding.toUpperCase() && known.sampleRate === sampleRate);
}

/** Numbers may come as strings. Not `String`: what came as JSON may be an object whose `toString` is no function. */
const textOfNumber = (value: unknown) => (typeof value === 'number' || typeof value === 'string' ? value : Number.NaN);
