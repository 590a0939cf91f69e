import type { StreamFormat } from '../carrier.js';

/** What we ask for in the answer document, and therefore what a `start` without `mediaFormat` means. */
export const DEFAULT_FORMAT: StreamFormat = { encoding: 'PCMU', sampleRate: 8000 };

/** The audio this wire can carry, with the carrier's names; L16 is little-endian. 24 kHz occurs on compatible carriers. */
const FORMATS: ReadonlyArray<StreamFormat & { contentType: string }> = [
  { contentType: 'audio/x-mulaw', ...DEFAULT_FORMAT },
  { contentType: 'audio/x-l16', encoding: 'L16', sampleRate: 8000 },
  { contentType: 'audio/x-l16', encoding: 'L16', sampleRate: 16000 },
  { contentType: 'audio/x-l16', encoding: 'L16', sampleRate: 24000 },
];

/** The carrier's name for `format`, without `;rate=`; undefined when its streams cannot carry it. */
export function contentTypeOf({ encoding, sampleRate }: StreamFormat): string | undefined {
  return FORMATS.find((known) => known.encoding === encoding && known.sampleRate === sampleRate)?.contentType;
}

/**
 * Reads `start.mediaFormat`. The encoding may carry `;rate=`, which counts when `sampleRate` is missing; `sampleRate`
 * may be a number or a numeric string.
 * @returns undefined when the stream's audio cannot be decoded
 * @see carrier reference 5.2
 */
export function parseMediaFormat(mediaFormat: unknown): StreamFormat | undefined {
  if (mediaFormat === undefined) return DEFAULT_FORMAT;
  const { encoding, sampleRate } = (mediaFormat ?? {}) as Record<string, unknown>;
  if (typeof encoding !== 'string') return undefined;
  const [contentType, parameter] = encoding.toLowerCase().replaceAll(' ', '').split(';');
  const rate = sampleRate ?? parameter?.replace('rate=', '');
  if (typeof rate !== 'number' && typeof rate !== 'string') return undefined;
  const found = FORMATS.find((known) => known.contentType === contentType && known.sampleRate === Number(rate));
  return found && { encoding: found.encoding, sampleRate: found.sampleRate };
}
