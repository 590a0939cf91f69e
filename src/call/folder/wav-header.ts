import { encodeWav } from '../../base/audio/wav.js';

/** Of the header that {@link headerOf} makes. */
export const WAV_HEADER_BYTES = 44;
/** Both sides of one moment, 16 bits each. */
export const WAV_BLOCK_BYTES = 4;
/** What the sample rate is taken for where the header does not tell, in hertz. */
export const DEFAULT_RATE = 8_000;
/** What the size fields of the format can say at most. */
const MAX_SIZE = 0xffff_ffff;

/** How many blocks a file of so many bytes holds, whatever its header tells. */
export const blocksIn = (size: number): number => Math.max(0, Math.floor((size - WAV_HEADER_BYTES) / WAV_BLOCK_BYTES));

/**
 * The header of a stereo file with so many blocks. @param sampleRate hertz
 * @param blocks `unknown`: until the file ends, as programs that write to a pipe say it and those that read understand it
 */
export function headerOf(blocks: number | 'unknown', sampleRate: number): Buffer {
  const nothing = new Int16Array();
  const header = Buffer.from(encodeWav({ sampleRate, channels: [nothing, nothing], encoding: 'L16' }));
  const bytes = blocks === 'unknown' ? MAX_SIZE : blocks * WAV_BLOCK_BYTES;
  header.writeUInt32LE(Math.min(bytes + WAV_HEADER_BYTES - 8, MAX_SIZE), 4);
  header.writeUInt32LE(Math.min(bytes, MAX_SIZE), 40);
  return header;
}

/** How many blocks a header of {@link headerOf} tells of. */
export function blocksToldBy(header: Buffer): number | 'unknown' {
  const bytes = header.readUInt32LE(40);
  return bytes === MAX_SIZE ? 'unknown' : Math.floor(bytes / WAV_BLOCK_BYTES);
}
