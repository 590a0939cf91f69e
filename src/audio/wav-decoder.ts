import { VoicebotError } from '../errors.js';
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
  encoding: 'L16' | 'PCMU';
  channelCount: number;
  sampleRate: number;
}

/**
 * Reads a WAV file: 16-bit PCM or 8-bit mu-law, plain or WAVE_FORMAT_EXTENSIBLE, one or two channels, any rate.
 * Chunks other than `fmt ` and `data` are skipped. A data size that is 0, 0xffffffff or larger than the file, as
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
    at = start + size + (size & 1); // chunks start at even places
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
  const isPcm = formatTag === WAVE_FORMAT.PCM && sampleBits === 16;
  if (!isPcm && !(formatTag === WAVE_FORMAT.MULAW && sampleBits === 8)) {
    throw invalid(`format ${formatTag} with ${sampleBits} bits is neither 16-bit PCM nor 8-bit mu-law`);
  }
  if (channelCount !== 1 && channelCount !== 2) throw invalid(`it has ${channelCount} channels, not one or two`);
  if (sampleRate === 0) throw invalid('its sample rate is 0');
  if (blockBytes !== (channelCount * sampleBits) / 8) {
    throw invalid(`${blockBytes} bytes per sample frame do not fit ${channelCount} channels of ${sampleBits} bits`);
  }
  return { encoding: isPcm ? 'L16' : 'PCMU', channelCount, sampleRate };
}

/** A size of 0 is believed only when the RIFF header, written with it, is right about the file's length. */
function dataEnd(view: DataView, start: number, size: number): number {
  const riffEnd = view.getUint32(4, true) + CHUNK_HEADER_BYTES;
  const isUnknown = size === UNKNOWN_SIZE || (size === 0 && riffEnd !== view.byteLength);
  return isUnknown ? view.byteLength : Math.min(start + size, view.byteLength);
}

function readSamples(data: Uint8Array, { encoding, channelCount, sampleRate }: Format): WavAudio {
  const interleaved = encoding === 'L16' ? readInt16(data) : decodeMulaw(data);
  const length = Math.floor(interleaved.length / channelCount);
  const channel = (position: number) => {
    const samples = new Int16Array(length);
    for (let i = 0; i < length; i += 1) samples[i] = interleaved[i * channelCount + position] as number;
    return samples;
  };
  return { sampleRate, channels: channelCount === 2 ? [channel(0), channel(1)] : [channel(0)] };
}

/** Works at odd addresses and on any machine, where an Int16Array over the same bytes would not. */
function readInt16(data: Uint8Array): Int16Array {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const samples = new Int16Array(data.length >> 1);
  for (let i = 0; i < samples.length; i += 1) samples[i] = view.getInt16(i * 2, true);
  return samples;
}

function tag(view: DataView, at: number): string {
  return String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));
}

function invalid(detail: string): VoicebotError {
  return new VoicebotError('VB_WAV_INVALID', detail, { hint: CONVERT_HINT });
}
