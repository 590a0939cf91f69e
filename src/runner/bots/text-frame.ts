import { isUtf8 } from 'node:buffer';

/** The first byte of a text that is one frame (RFC 6455 section 5.2). */
const FINAL_TEXT = 0x81;
/** Longest text whose length stands in seven bits, in bytes. */
const SHORT_BYTES = 125;
/** Stands where the length of a short text would: two bytes of length follow. */
const LONG = 126;
/** Of the second byte: the text is masked, as a client's always is. */
const MASKED = 0x80;
const MASK_BYTES = 4;

/** What stands before a server's text of up to 65535 bytes; a character is a byte. */
export function textHead(textBytes: number): string {
  const { fromCharCode } = String;
  if (textBytes <= SHORT_BYTES) return fromCharCode(FINAL_TEXT, textBytes);
  return fromCharCode(FINAL_TEXT, LONG, textBytes >> 8, textBytes & 0xff);
}

/** Of the frame of a client's text of so many bytes, in bytes. */
export function frameBytes(textBytes: number): number {
  return (textBytes > SHORT_BYTES ? 4 : 2) + MASK_BYTES + textBytes;
}

/**
 * The text of a frame that begins in `chunk` at `at`, is whole and masked, and no part of a longer message; in memory of its own.
 * Undefined where there is anything else.
 * @param end where what counts of `chunk` ends
 */
export function textFrameAt(chunk: Buffer, at: number, end: number): Buffer | undefined {
  if (chunk[at] !== FINAL_TEXT || at + frameBytes(0) > end) return undefined;
  const second = chunk[at + 1] as number;
  const isLong = second === (MASKED | LONG);
  if (second < MASKED || (second > (MASKED | SHORT_BYTES) && !isLong)) return undefined;
  const textBytes = isLong ? chunk.readUInt16BE(at + 2) : second - MASKED;
  const frameEnd = at + frameBytes(textBytes);
  const isShortest = textBytes > SHORT_BYTES === isLong;
  if (!isShortest || frameEnd > end) return undefined;
  return unmasked(chunk, frameEnd - textBytes, textBytes);
}

/** RFC 6455 section 5.3. Undefined for what is not UTF-8. @param at where the text begins, behind its mask */
function unmasked(chunk: Buffer, at: number, textBytes: number): Buffer | undefined {
  const text = Buffer.allocUnsafe(textBytes);
  const a = chunk[at - 4] as number;
  const b = chunk[at - 3] as number;
  const c = chunk[at - 2] as number;
  const d = chunk[at - 1] as number;
  let bits = 0;
  let i = 0;
  for (const whole = textBytes - (textBytes % 4); i < whole; i += 4) {
    const w = (chunk[at + i] as number) ^ a;
    const x = (chunk[at + i + 1] as number) ^ b;
    const y = (chunk[at + i + 2] as number) ^ c;
    const z = (chunk[at + i + 3] as number) ^ d;
    text[i] = w;
    text[i + 1] = x;
    text[i + 2] = y;
    text[i + 3] = z;
    bits |= w | x | y | z;
  }
  for (; i < textBytes; i += 1) {
    text[i] = (chunk[at + i] as number) ^ (chunk[at - 4 + (i % 4)] as number);
    bits |= text[i] as number;
  }
  const isAscii = bits < 0x80;
  return isAscii || isUtf8(text) ? text : undefined;
}
