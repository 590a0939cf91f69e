import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import wavefile from 'wavefile';
import { levelDb } from '../../../src/base/audio/level.js';
import { decodeMulaw, encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { decodeWav, encodeWav } from '../../../src/base/audio/wav.js';
import { VoicebotError } from '../../../src/base/errors.js';
import { noise, sine } from './signals.js';

const { WaveFile } = wavefile;

const SAMPLES = Int16Array.of(0, 1, -1, 32_767, -32_768, 12_345, -23_456);
const OTHER = Int16Array.of(7, 6, 5, 4, 3, 2, 1);
const L16_BYTES = Buffer.from(SAMPLES.buffer);
const SUB_FORMAT_TAIL = '000000001000800000aa00389b71';

interface Fmt {
  format?: number;
  channelCount?: number;
  sampleRate?: number;
  bits?: number;
  blockBytes?: number;
  extension?: string;
}

function fmt(options: Fmt = {}): Buffer {
  const { format = 1, channelCount = 1, sampleRate = 8_000, bits = 16, extension = '' } = options;
  const { blockBytes = (channelCount * bits) / 8 } = options;
  const body = Buffer.alloc(16);
  body.writeUInt16LE(format, 0);
  body.writeUInt16LE(channelCount, 2);
  body.writeUInt32LE(sampleRate, 4);
  body.writeUInt32LE(sampleRate * blockBytes, 8);
  body.writeUInt16LE(blockBytes, 12);
  body.writeUInt16LE(bits, 14);
  return chunk('fmt ', Buffer.concat([body, Buffer.from(extension, 'hex')]));
}

/** The 24 bytes an extensible `fmt ` chunk adds, with `format` in its sub-format GUID. */
function extension(format: number, bits: number, tail = SUB_FORMAT_TAIL): string {
  const head = Buffer.alloc(10);
  head.writeUInt16LE(22, 0);
  head.writeUInt16LE(bits, 2);
  head.writeUInt16LE(format, 8);
  return head.toString('hex') + tail;
}

function chunk(id: string, content: Buffer, size = content.length): Buffer {
  const head = Buffer.from(`${id}....`);
  head.writeUInt32LE(size, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length & 1)]);
}

function riff(chunks: Buffer[], size?: number): Buffer {
  return chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...chunks]), size);
}

function refusal(bytes: Uint8Array): VoicebotError {
  try {
    decodeWav(bytes);
  } catch (error) {
    if (error instanceof VoicebotError && error.code === 'VB_WAV_INVALID') return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('encodeWav', () => {
  test.each([8_000, 16_000, 48_000])('writes 16-bit PCM at %d Hz that wavefile reads', (sampleRate) => {
    const oracle = new WaveFile(encodeWav({ sampleRate, channels: [SAMPLES, OTHER], encoding: 'L16' }));
    expect(oracle.fmt).toMatchObject({ audioFormat: 1, numChannels: 2, sampleRate, bitsPerSample: 16, blockAlign: 4 });
    const [left, right] = oracle.getSamples(false, Int16Array) as unknown as [Int16Array, Int16Array];
    expect(left).toEqual(SAMPLES);
    expect(right).toEqual(OTHER);
  });

  test('writes mu-law that wavefile reads', () => {
    const samples = SAMPLES.subarray(0, 6); // wavefile counts the padding after an odd number of bytes as a sample
    const bytes = encodeWav({ sampleRate: 8_000, channels: [samples], encoding: 'PCMU' });
    const oracle = new WaveFile(bytes);
    expect(oracle.fmt).toMatchObject({
      audioFormat: 7,
      numChannels: 1,
      sampleRate: 8_000,
      bitsPerSample: 8,
      byteRate: 8_000,
    });
    expect(oracle.fact).toMatchObject({ dwSampleLength: samples.length });
    oracle.fromMuLaw();
    expect(oracle.getSamples(false, Int16Array)).toEqual(decodeMulaw(encodeMulaw(samples)));
  });

  test('pads an odd number of bytes and counts the file length right', () => {
    const bytes = Buffer.from(encodeWav({ sampleRate: 8_000, channels: [SAMPLES], encoding: 'PCMU' }));
    expect(bytes.length % 2).toBe(0);
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(bytes.readUInt32LE(bytes.indexOf('data') + 4)).toBe(7);
  });

  test.each([
    ['no channel', []],
    ['three channels', [SAMPLES, SAMPLES, SAMPLES]],
    ['channels of different length', [SAMPLES, new Int16Array(3)]],
  ])('refuses %s', (_, channels) => {
    expect(() => encodeWav({ sampleRate: 8_000, channels, encoding: 'L16' })).toThrow(
      expect.objectContaining({ code: 'VB_AUDIO_INVALID', hint: expect.any(String) }),
    );
  });
});

describe('decodeWav', () => {
  test.each([1, 2])('reads 16-bit PCM with %d channels that wavefile wrote', (channelCount) => {
    const oracle = new WaveFile();
    const channels = [SAMPLES, OTHER].slice(0, channelCount);
    oracle.fromScratch(channelCount, 16_000, '16', channels);
    expect(decodeWav(oracle.toBuffer())).toEqual({ sampleRate: 16_000, channels });
  });

  test('gives a first channel that its types promise', () => {
    const first: Int16Array = decodeWav(riff([fmt(), chunk('data', L16_BYTES)])).channels[0];
    expect(first).toEqual(SAMPLES);
  });

  test('reads mu-law that wavefile wrote', () => {
    const oracle = new WaveFile();
    oracle.fromScratch(1, 8_000, '8m', encodeMulaw(SAMPLES));
    expect(decodeWav(oracle.toBuffer())).toEqual({
      sampleRate: 8_000,
      channels: [decodeMulaw(encodeMulaw(SAMPLES))],
    });
  });

  test('gives back what encodeWav was given', () => {
    const samples = fc.array(fc.integer({ min: -32_768, max: 32_767 })).map((values) => Int16Array.from(values));
    fc.assert(
      fc.property(samples, fc.integer({ min: 1, max: 192_000 }), fc.boolean(), (left, sampleRate, isStereo) => {
        const channels = isStereo ? [left, left.map((sample) => ~sample)] : [left];
        expect(decodeWav(encodeWav({ sampleRate, channels, encoding: 'L16' }))).toEqual({ sampleRate, channels });
        expect(decodeWav(encodeWav({ sampleRate, channels, encoding: 'PCMU' }))).toEqual({
          sampleRate,
          channels: channels.map((channel) => decodeMulaw(encodeMulaw(channel))),
        });
      }),
    );
  });

  test('reads the extensible form of both encodings', () => {
    const pcm = fmt({ format: 0xfffe, extension: extension(1, 16) });
    expect(decodeWav(riff([pcm, chunk('data', L16_BYTES)])).channels).toEqual([SAMPLES]);
    const mulaw = fmt({ format: 0xfffe, bits: 8, extension: extension(7, 8) });
    expect(decodeWav(riff([mulaw, chunk('data', Buffer.of(0x80, 0xff))])).channels).toEqual([Int16Array.of(32_124, 0)]);
  });

  test('skips other chunks, with their padding, before and after the audio', () => {
    const odd = chunk('LIST', Buffer.from('odd'));
    const bytes = riff([odd, fmt(), odd, chunk('fact', Buffer.alloc(4)), chunk('data', L16_BYTES), odd]);
    expect(decodeWav(bytes).channels).toEqual([SAMPLES]);
  });

  test.each([
    ['0', 0, 0],
    ['0, with the size of the bare header', 0, 36],
    ['0xffffffff', 0xffff_ffff, 0xffff_ffff],
    ['sox to a pipe', 0x7fff_ffdb, 0x7fff_ffff],
    ['an interrupted recording', 100_000, 100_036],
  ])('reads to the end of the file when the data size is that of %s', (_, dataSize, riffSize) => {
    expect(decodeWav(riff([fmt(), chunk('data', L16_BYTES, dataSize)], riffSize)).channels).toEqual([SAMPLES]);
  });

  test('believes an empty data chunk in a file of the right length', () => {
    const bytes = riff([fmt(), chunk('data', Buffer.alloc(0)), chunk('LIST', Buffer.from('some text'))]);
    expect(decodeWav(bytes).channels).toEqual([new Int16Array(0)]);
  });

  test('drops half a sample and half a pair at the end', () => {
    expect(decodeWav(riff([fmt(), chunk('data', L16_BYTES.subarray(0, 5))])).channels).toEqual([SAMPLES.slice(0, 2)]);
    const stereo = riff([fmt({ channelCount: 2 }), chunk('data', L16_BYTES.subarray(0, 6))]);
    expect(decodeWav(stereo).channels).toEqual([SAMPLES.slice(0, 1), SAMPLES.slice(1, 2)]);
  });

  test('reads from an odd address', () => {
    const bytes = riff([fmt(), chunk('data', L16_BYTES)]);
    const shifted = Buffer.concat([Buffer.alloc(1), bytes]).subarray(1);
    expect(decodeWav(shifted).channels).toEqual([SAMPLES]);
  });

  test('keeps nothing of the given bytes', () => {
    const bytes = riff([fmt(), chunk('data', L16_BYTES)]);
    const { channels } = decodeWav(bytes);
    bytes.fill(0);
    expect(channels).toEqual([SAMPLES]);
  });

  test('reads the speech fixture that sox wrote', () => {
    const { sampleRate, channels } = decodeWav(
      readFileSync(new URL('../../fixtures/audio/speech.wav', import.meta.url)),
    );
    expect(sampleRate).toBe(8_000);
    expect(channels).toHaveLength(1);
    expect(levelDb(channels[0] as Int16Array)).toBeGreaterThan(-25);
  });

  const data = chunk('data', L16_BYTES);
  test.each<[string, Buffer, string]>([
    ['nothing', Buffer.alloc(0), '0 bytes'],
    ['an MP3 file', Buffer.from('ID3\u0004 and so on and so forth'), 'RIFF/WAVE'],
    ['another RIFF file', Buffer.from('RIFF\u0010\0\0\0AVI LIST and so on'), 'RIFF/WAVE'],
    ['a file without format', riff([chunk('LIST', Buffer.alloc(8))]), 'no "fmt " chunk'],
    ['a file without data', riff([fmt()]), 'no "data" chunk'],
    ['data before the format', riff([data, fmt()]), 'before'],
    ['a short format', riff([chunk('fmt ', Buffer.alloc(14)), data]), 'cut short'],
    ['a format cut off by the end of the file', riff([fmt().subarray(0, 20)]), 'cut short'],
    ['an extensible format without extension', riff([fmt({ format: 0xfffe }), data]), 'cut short'],
    [
      'an unknown sub-format',
      riff([fmt({ format: 0xfffe, extension: extension(1, 16, '00'.repeat(14)) }), data]),
      'sub-format',
    ],
    ['12-bit PCM', riff([fmt({ bits: 12 }), data]), 'format 1 with 12 bits'],
    ['floating point of 16 bits', riff([fmt({ format: 3 }), data]), 'format 3 with 16 bits'],
    ['GSM', riff([fmt({ format: 0x31, bits: 0 }), data]), 'format 49 (GSM 6.10) with 0 bits'],
    ['ADPCM', riff([fmt({ format: 2, bits: 4 }), data]), 'format 2 (Microsoft ADPCM) with 4 bits'],
    ['MP3', riff([fmt({ format: 0x55, bits: 0 }), data]), 'format 85 (MP3)'],
    ['16-bit mu-law', riff([fmt({ format: 7 }), data]), 'format 7 with 16 bits'],
    ['no channel', riff([fmt({ channelCount: 0 }), data]), '0 channels'],
    ['six channels', riff([fmt({ channelCount: 6 }), data]), '6 channels'],
    ['a sample rate of 0', riff([fmt({ sampleRate: 0 }), data]), 'sample rate'],
    ['a block size that does not fit', riff([fmt({ blockBytes: 3 }), data]), '3 bytes'],
  ])('refuses %s, says so and how to convert it', (_, bytes, detail) => {
    const error = refusal(bytes);
    expect(error.message).toContain(detail);
    expect(error.hint).toMatch(/sox in\.wav .* out\.wav.*ffmpeg -i in\.wav .* out\.wav/);
  });

  /** 440 Hz, not quite at full scale, as the package wavefile writes it. */
  const TONE = sine(440, 8_000, 800, 30_000);

  test.each(['8', '24', '32', '32f', '64'] as const)('reads %s bits that wavefile writes', (depth) => {
    for (const channels of [[TONE], [TONE, TONE.map((sample) => -sample)]] as [Int16Array, ...Int16Array[]][]) {
      const file = new WaveFile();
      const samples = channels.length === 1 ? channels[0] : channels;
      file.fromScratch(channels.length, 8_000, '16', samples as never);
      file.toBitDepth(depth);
      const { channels: read } = decodeWav(file.toBuffer());
      const most = depth === '8' ? 512 : 1;
      for (const [no, channel] of channels.entries()) {
        const off = channel.map((sample, n) => Math.abs(sample - (read[no]?.[n] ?? Number.NaN)));
        expect(Math.max(...off)).toBeLessThanOrEqual(most);
        expect(read[no]).toHaveLength(channel.length);
      }
    }
  });

  test('reads A-law that wavefile writes, to the sample', () => {
    const file = new WaveFile();
    file.fromScratch(1, 8_000, '16', TONE);
    file.toALaw();
    const bytes = file.toBuffer();
    file.fromALaw();
    expect(decodeWav(bytes).channels[0]).toEqual(file.getSamples(false, Int16Array) as unknown as Int16Array);
    expect(Math.abs(levelDb(decodeWav(bytes).channels[0]) - levelDb(TONE))).toBeLessThan(0.1);
  });

  test('reads every code of A-law as ITU-T G.711 has it: symmetric, falling, from 8 to 32256', () => {
    const bytes = riff([
      fmt({ format: 6, bits: 8 }),
      chunk('data', Buffer.from(Array.from({ length: 256 }, (_, n) => n ^ 0x55))),
    ]);
    const [codes] = decodeWav(bytes).channels;
    const positive = [...codes.subarray(128)];
    expect([positive[0], positive.at(-1)]).toEqual([8, 32_256]);
    expect(positive).toEqual(positive.toSorted((a, b) => a - b));
    expect([...codes.subarray(0, 128)]).toEqual(positive.map((sample) => -sample));
  });

  test.each([
    ['24 bits', { bits: 24, format: 1 }, '000080000000ffff7f', [-32_768, 0, 32_767]],
    [
      'floating point above full scale, and no numbers',
      { bits: 32, format: 3 },
      '000000c000000040' + '0000c07f',
      [-32_768, 32_767, 0],
    ],
  ])('clips %s', (_, { bits, format }, hex, samples) => {
    const plain = riff([fmt({ bits, format }), chunk('data', Buffer.from(hex, 'hex'))]);
    const extensible = riff([
      fmt({ bits, format: 0xfffe, extension: extension(format, bits) }),
      chunk('data', Buffer.from(hex, 'hex')),
    ]);
    for (const bytes of [plain, extensible]) expect([...decodeWav(bytes).channels[0]]).toEqual(samples);
  });

  test('reads what is behind an odd chunk without the byte that fills it up, and with it', () => {
    const odd = chunk('LIST', Buffer.from('odd'));
    for (const list of [odd, odd.subarray(0, -1)]) {
      expect(decodeWav(riff([fmt(), list, chunk('data', L16_BYTES)])).channels).toEqual([SAMPLES]);
    }
  });

  test('believes the rate of bytes where the size of a frame is wrong', () => {
    const wrong = fmt();
    wrong.writeUInt16LE(1, 20);
    expect(decodeWav(riff([wrong, chunk('data', L16_BYTES)])).channels).toEqual([SAMPLES]);
  });

  test('throws nothing but VoicebotError at any bytes', () => {
    const valid = [
      riff([chunk('LIST', Buffer.from('odd')), fmt({ channelCount: 2 }), data]),
      riff([fmt({ format: 0xfffe, extension: extension(7, 8), bits: 8 }), data]),
      Buffer.from(encodeWav({ sampleRate: 8_000, channels: [noise(20, 9_000)], encoding: 'PCMU' })),
    ];
    const change = fc.record({ at: fc.nat(120), bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }) });
    const mutated = fc
      .tuple(fc.constantFrom(...valid), fc.array(change, { maxLength: 4 }), fc.nat(150))
      .map(([original, changes, length]) => {
        const bytes = Buffer.from(original);
        for (const { at, bytes: other } of changes) if (at + other.length <= bytes.length) bytes.set(other, at);
        return bytes.subarray(0, length);
      });
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 100 })), (bytes) => {
        try {
          const { channels } = decodeWav(bytes);
          expect(channels.length).toBeLessThanOrEqual(2);
        } catch (error) {
          expect(error).toBeInstanceOf(VoicebotError);
          expect(error).toMatchObject({ code: 'VB_WAV_INVALID' });
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('reads every prefix of a file, or refuses it', () => {
    const whole = encodeWav({ sampleRate: 8_000, channels: [sine(440, 8_000, 50)], encoding: 'L16' });
    for (let length = 0; length < 44; length += 1) refusal(whole.subarray(0, length));
    for (let length = 44; length <= whole.length; length += 1) {
      expect(decodeWav(whole.subarray(0, length)).channels[0]).toHaveLength((length - 44) >> 1);
    }
  });
});
