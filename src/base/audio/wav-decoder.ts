import { VoicebotError } from '../errors.js';
import { decodeAlaw } from './alaw.js';
import { decodeMulaw } from './mulaw.js';
import { WAVE_FORMAT, type WavAudio } from './wav-format.js';

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const FMT_BYTES = 16;
const EXTENSIBLE_FMT_BYTES = 40;
/** The size that a program writes when it writes to a pipe and cannot know the size. */
const UNKNOWN_SIZE = 0xffff_ffff;
/** A sub-format is a GUID: a format tag and then always these bytes (KSDATAFORMAT_SUBTYPE_WAVEFORMATEX). */
const SUB_FORMAT_TAIL = '000000001000800000aa00389b71';

const CONVERT_HINT =
  'Convert it with "sox in.wav -r 8000 -c 1 -e mu-law out.wav" or ' +
  '"ffmpeg -i in.wav -ar 8000 -ac 1 -c:a pcm_mulaw out.wav".';

interface Format {
  read: SampleReader;
  channelCount: number;
  sampleRate: number;
}

/**
 * Reads a WAV file: PCM of 8, 16, 24 or 32 bits, floating point of 32 or 64 bits, A-law or mu-law, plain or WAVE_FORMAT_EXTENSIBLE, one or
 * two channels, any rate. What is louder than 16 bits can say is clipped. Chunks other than `fmt ` and `data` are skipped, also those of odd
 * length that lack the byte behind them. A data size that is 0, 0xffffffff or larger than the file, as
 * programs leave it that write to a pipe or are interrupted, means "to the end of the file"; half a sample at the end
 * is dropped.
 * @throws VoicebotError VB_WAV_INVALID for everything else, saying what was found
 * @see "Multimedia Programming Interface and Data Specifications 1.0" (IBM and Microsoft, 1991) and RFC 2361
 */
export function decodeWav(bytes: Uint8Array): WavAudio {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < RIFF_HEADER_BYTES) throw invalid(`${bytes.length} bytes are too few`);
  if (tag(view, 0) !== 'RIFF' || tag(view, 8) !== 'WAVE') throw invalid('it does not start with a RIFF/WAVE header');

  let format: Format | undefined;
  let at = RIFF_HEADER_BYTES;
  while (at + CHUNK_HEADER_BYTES <= bytes.length) {
    const id = tag(view, at);
    const size = view.getUint32(at + 4, true);
    const start = at + CHUNK_HEADER_BYTES;
    if (id === 'fmt ') format = readFormat(view, start, size);
    if (id === 'data') {
      if (!format) throw invalid('the "data" chunk comes before any "fmt " chunk');
      return readSamples(bytes.subarray(start, dataEnd(view, start, size)), format);
    }
    at = nextChunk(view, start + size);
  }
  throw invalid(format ? 'it has no "data" chunk' : 'it has no "fmt " chunk');
}

function readFormat(view: DataView, start: number, size: number): Format {
  if (size < FMT_BYTES || start + size > view.byteLength) throw invalid('the "fmt " chunk is cut short');
  let formatTag = view.getUint16(start, true);
  const channelCount = view.getUint16(start + 2, true);
  const sampleRate = view.getUint32(start + 4, true);
  const blockBytes = view.getUint16(start + 12, true);
  const sampleBits = view.getUint16(start + 14, true);
  if (formatTag === WAVE_FORMAT.EXTENSIBLE) {
    if (size < EXTENSIBLE_FMT_BYTES) throw invalid('the extensible "fmt " chunk is cut short');
    const tail = new Uint8Array(view.buffer, view.byteOffset + start + 26, 14);
    if (Buffer.from(tail).toString('hex') !== SUB_FORMAT_TAIL) throw invalid('its sub-format is unknown');
    formatTag = view.getUint16(start + 24, true);
  }
  const read = sampleReaderOf(formatTag, sampleBits);
  if (!read) {
    throw invalid(`${formatName(formatTag)} with ${sampleBits} bits is neither PCM, floating point, A-law nor mu-law`);
  }
  if (channelCount !== 1 && channelCount !== 2) throw invalid(`it has ${channelCount} channels, not one or two`);
  if (sampleRate === 0) throw invalid('its sample rate is 0');
  const frameBytes = (channelCount * sampleBits) / 8;
  // Of the two fields that say the same, one may be wrong.
  if (blockBytes !== frameBytes && view.getUint32(start + 8, true) !== frameBytes * sampleRate) {
    throw invalid(`${blockBytes} bytes per sample frame do not fit ${channelCount} channels of ${sampleBits} bits`);
  }
  return { read, channelCount, sampleRate };
}

/** A size of 0 is believed only when the RIFF header, written with it, is right about the file's length. */
function dataEnd(view: DataView, start: number, size: number): number {
  const riffEnd = view.getUint32(4, true) + CHUNK_HEADER_BYTES;
  const isUnknown = size === UNKNOWN_SIZE || (size === 0 && riffEnd !== view.byteLength);
  return isUnknown ? view.byteLength : Math.min(start + size, view.byteLength);
}

function readSamples(data: Uint8Array, { read, channelCount, sampleRate }: Format): WavAudio {
  const interleaved = read(data);
  const length = Math.floor(interleaved.length / channelCount);
  const channel = (position: number) => {
    const samples = new Int16Array(length);
    for (let i = 0; i < length; i += 1) samples[i] = interleaved[i * channelCount + position] as number;
    return samples;
  };
  return { sampleRate, channels: channelCount === 2 ? [channel(0), channel(1)] : [channel(0)] };
}

/** Chunks start at even places; some programs do not fill up one of odd length. */
function nextChunk(view: DataView, end: number): number {
  const isOdd = ((end - RIFF_HEADER_BYTES) & 1) === 1;
  return isOdd && !(hasTag(view, end) && !hasTag(view, end + 1)) ? end + 1 : end;
}

/** A name of four characters that can be printed. */
const hasTag = (view: DataView, at: number): boolean =>
  at + CHUNK_HEADER_BYTES <= view.byteLength && /^[ -~]{4}$/.test(tag(view, at));

function tag(view: DataView, at: number): string {
  return String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));
}

function invalid(detail: string): VoicebotError {
  return new VoicebotError('VB_WAV_INVALID', detail, { hint: CONVERT_HINT });
}

/** Decodes samples to signed 16-bit ones; what of them is no whole sample is dropped. */
type SampleReader = (data: Uint8Array) => Int16Array;

const { PCM, FLOAT, ALAW, MULAW } = WAVE_FORMAT;

/** Works at odd addresses and on any machine, where an array of numbers over the same bytes would not. */
const readWith =
  (bytes: number, sampleAt: (view: DataView, at: number) => number): SampleReader =>
  (data) => {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const samples = new Int16Array(Math.floor(data.length / bytes));
    for (let i = 0; i < samples.length; i += 1) samples[i] = clipped(sampleAt(view, i * bytes));
    return samples;
  };

/** Without a fraction, and nothing for what is no number. */
const clipped = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample) || 0));

/**
 * What this package reads, by format tag and bits. 8-bit PCM is unsigned, floating point is full at 1 (RFC 2361 and "Multimedia Programming
 * Interface and Data Specifications 1.0", IBM and Microsoft, 1991).
 */
const READERS: ReadonlyMap<string, SampleReader> = new Map([
  [`${PCM}/8`, readWith(1, (view, at) => (view.getUint8(at) - 128) << 8)],
  [`${PCM}/16`, readWith(2, (view, at) => view.getInt16(at, true))],
  [`${PCM}/24`, readWith(3, (view, at) => view.getInt16(at + 1, true) + view.getUint8(at) / 256)],
  [`${PCM}/32`, readWith(4, (view, at) => view.getInt32(at, true) / 65_536)],
  [`${FLOAT}/32`, readWith(4, (view, at) => view.getFloat32(at, true) * 32_768)],
  [`${FLOAT}/64`, readWith(8, (view, at) => view.getFloat64(at, true) * 32_768)],
  [`${ALAW}/8`, decodeAlaw],
  [`${MULAW}/8`, decodeMulaw],
]);

/** @returns undefined for what cannot be read */
const sampleReaderOf = (formatTag: number, bits: number): SampleReader | undefined =>
  READERS.get(`${formatTag}/${bits}`);

/** Names of formats that cannot be read (RFC 2361, appendix A). */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0x0002, 'Microsoft ADPCM'],
  [0x0011, 'IMA ADPCM'],
  [0x0031, 'GSM 6.10'],
  [0x0040, 'G.721 ADPCM'],
  [0x0050, 'MPEG'],
  [0x0055, 'MP3'],
]);

function formatName(formatTag: number): string {
  const name = NAMES.get(formatTag);
  return name === undefined ? `format ${formatTag}` : `format ${formatTag} (${name})`;
}
