import { isUtf8 } from 'node:buffer';

/** The first byte of a text that is one frame (RFC 6455 section 5.2). */
export const FINAL_TEXT = 0x81;
/** Longest text whose length stands in seven bits, in bytes. */
export const SHORT_BYTES = 125;
/** Stands where the length of a short text would: two bytes of length follow. */
export const LONG = 126;
/** Of the second byte: the text is masked, as a client's always is. */
const MASKED = 0x80;
const MASK_BYTES = 4;

/**
 * The text of a frame that stands in `chunk` at `at`, whole, masked, and not part of a longer message: unmasked in place.
 * Undefined, and nothing is changed, where there is anything else.
 */
export function textFrameAt(chunk: Buffer, at: number): Buffer | undefined {
  if (chunk[at] !== FINAL_TEXT) return undefined;
  const second = chunk[at + 1] ?? 0;
  const isLong = second === (MASKED | LONG);
  if (second < MASKED || (second > (MASKED | SHORT_BYTES) && !isLong)) return undefined;
  const maskAt = at + (isLong ? 4 : 2);
  const start = maskAt + MASK_BYTES;
  if (chunk.length < start) return undefined;
  const end = start + (isLong ? chunk.readUInt16BE(at + 2) : second - MASKED);
  if (chunk.length < end) return undefined;
  mask(chunk, maskAt, start, end);
  const text = chunk.subarray(start, end);
  if (isUtf8(text)) return text;
  mask(chunk, maskAt, start, end); // once more: as it was
  return undefined;
}

/** RFC 6455 section 5.3. */
function mask(chunk: Buffer, maskAt: number, start: number, end: number): void {
  const a = chunk[maskAt] as number;
  const b = chunk[maskAt + 1] as number;
  const c = chunk[maskAt + 2] as number;
  const d = chunk[maskAt + 3] as number;
  let at = start;
  for (const last = end - ((end - start) % 4); at < last; at += 4) {
    (chunk[at] as number) ^= a;
    (chunk[at + 1] as number) ^= b;
    (chunk[at + 2] as number) ^= c;
    (chunk[at + 3] as number) ^= d;
  }
  if (at < end) (chunk[at] as number) ^= a;
  if (at + 1 < end) (chunk[at + 1] as number) ^= b;
  if (at + 2 < end) (chunk[at + 2] as number) ^= c;
}
