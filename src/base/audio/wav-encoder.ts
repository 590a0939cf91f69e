import { VoicebotError } from '../errors.js';
import { encodeMulaw } from './mulaw.js';
import { WAVE_FORMAT } from './wav-format.js';

/** What a WAV file is to hold: 16-bit PCM (`L16`), or mu-law (`PCMU`). */
export interface WavContent {
  /** Hertz. */
  readonly sampleRate: number;
  /** One or two channels of equally many samples; of two, the first is the left one. */
  readonly channels: readonly Int16Array[];
  readonly encoding: 'L16' | 'PCMU';
}

/**
 * Writes a WAV file of 16-bit PCM (`L16`) or 8-bit mu-law (`PCMU`).
 * @throws VoicebotError VB_AUDIO_INVALID unless there are one or two channels of equally many samples
 * @see "Multimedia Programming Interface and Data Specifications 1.0" (IBM and Microsoft, 1991) and RFC 2361
 */
export function encodeWav({ sampleRate, channels, encoding }: WavContent): Uint8Array {
  const [first, second = first] = channels;
  if (!first || channels.length > 2 || second?.length !== first.length) {
    const lengths = channels.map((channel) => channel.length).join(' and ');
    throw new VoicebotError(
      'VB_AUDIO_INVALID',
      `cannot write ${channels.length} channels of ${lengths || 'no'} samples`,
      {
        hint: 'Give one channel, or two of the same length.',
      },
    );
  }
  const isPcm = encoding === 'L16';
  const sampleBytes = isPcm ? 2 : 1;
  const blockBytes = channels.length * sampleBytes;
  const data = isPcm ? int16Bytes(interleave(channels)) : encodeMulaw(interleave(channels));

  const fmt = new DataView(new ArrayBuffer(isPcm ? 16 : 18)); // mu-law adds an empty extension
  fmt.setUint16(0, isPcm ? WAVE_FORMAT.PCM : WAVE_FORMAT.MULAW, true);
  fmt.setUint16(2, channels.length, true);
  fmt.setUint32(4, sampleRate, true);
  fmt.setUint32(8, sampleRate * blockBytes, true);
  fmt.setUint16(12, blockBytes, true);
  fmt.setUint16(14, sampleBytes * 8, true);

  const chunks = [chunk('fmt ', fmt)];
  if (!isPcm) {
    const fact = new DataView(new ArrayBuffer(4)); // required of every format but PCM
    fact.setUint32(0, first.length, true);
    chunks.push(chunk('fact', fact));
  }
  chunks.push(chunk('data', data));
  return chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...chunks]));
}

function chunk(id: string, content: ArrayBufferView): Buffer {
  const padded = content.byteLength + (content.byteLength & 1);
  const bytes = Buffer.alloc(8 + padded);
  bytes.write(id, 'latin1');
  bytes.writeUInt32LE(content.byteLength, 4);
  bytes.set(new Uint8Array(content.buffer, content.byteOffset, content.byteLength), 8);
  return bytes;
}

function interleave(channels: readonly Int16Array[]): Int16Array {
  const [first, second] = channels as [Int16Array, Int16Array?];
  if (!second) return first;
  const samples = new Int16Array(first.length * 2);
  for (let i = 0; i < first.length; i += 1) {
    samples[2 * i] = first[i] as number;
    samples[2 * i + 1] = second[i] as number;
  }
  return samples;
}

function int16Bytes(samples: Int16Array): DataView {
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  for (let i = 0; i < samples.length; i += 1) view.setInt16(i * 2, samples[i] as number, true);
  return view;
}
