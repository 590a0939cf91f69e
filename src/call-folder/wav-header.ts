import { encodeWav } from '../audio/wav.js';

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

/** The header of a stereo file with so many blocks. @param sampleRate hertz */
export function headerOf(blocks: number, sampleRate: number): Buffer {
  const nothing = new Int16Array();
  const header = Buffer.from(encodeWav({ sampleRate, channels: [nothing, nothing], encoding: 'L16' }));
  tellBlocks(header, blocks);
  return header;
}

/** Has a header of {@link headerOf} tell of so many blocks. */
export function tellBlocks(header: Buffer, blocks: number): void {
  const bytes = blocks * WAV_BLOCK_BYTES;
  header.writeUInt32LE(Math.min(bytes + WAV_HEADER_BYTES - 8, MAX_SIZE), 4);
  header.writeUInt32LE(Math.min(bytes, MAX_SIZE), 40);
}
