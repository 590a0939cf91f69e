import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { DTMF_DIGITS, DtmfDetector, type DtmfDigit, generateDtmf, isDtmfDigit } from '../../../src/base/audio/dtmf.js';
import { levelDb } from '../../../src/base/audio/level.js';
import { decodeMulaw, encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { decodeWav } from '../../../src/base/audio/wav.js';
import { concat, cut, fitSine, gain, mix, noise } from './signals.js';

const ROWS = [697, 770, 852, 941];
const COLUMNS = [1209, 1336, 1477, 1633];
const KEYS = ROWS.flatMap((row) => COLUMNS.map((column) => [row, column] as const));

/** 58 s of synthetic speech in eight voices; fixtures/audio/make-speech.sh tells how it was made. */
const SPEECH = decodeWav(readFileSync(new URL('../../fixtures/audio/speech.wav', import.meta.url))).channels[0];

const silence = (ms: number, sampleRate = 8_000) => new Int16Array((ms * sampleRate) / 1_000);
const detect = (...parts: Int16Array[]) => new DtmfDetector().process(concat(...parts)).join('');
const throughMulaw = (pcm: Int16Array) => decodeMulaw(encodeMulaw(pcm));

/** Every key in turn, `onMs` of tone and `offMs` of silence each. */
function dial(onMs: number, offMs: number, digits: readonly DtmfDigit[] = DTMF_DIGITS): Int16Array {
  return concat(...digits.flatMap((digit) => [generateDtmf(digit, { durationMs: onMs }), silence(offMs)]));
}

/** Two tones of any frequency and amplitude, after some silence. */
function tonePair(row: number, column: number, ms: number, rowAmplitude = 6_000, columnAmplitude = 6_000): Int16Array {
  const tones = Int16Array.from({ length: ms * 8 }, (_, n) => {
    const turns = (2 * Math.PI * n) / 8_000;
    return Math.round(rowAmplitude * Math.sin(row * turns) + columnAmplitude * Math.sin(column * turns));
  });
  return concat(silence(20), tones, silence(60));
}

describe('isDtmfDigit', () => {
  test('accepts the sixteen keys and nothing else', () => {
    expect(DTMF_DIGITS.filter(isDtmfDigit)).toHaveLength(16);
    for (const other of ['', 'a', 'E', '10', ' ', 1, null, undefined, ['1']]) expect(isDtmfDigit(other)).toBe(false);
  });
});

describe('generateDtmf', () => {
  test.each(DTMF_DIGITS)('makes key %s of its row and column tone at equal level', (digit) => {
    const tone = generateDtmf(digit, { durationMs: 1_000 });
    const key = '123A456B789C*0#D'.indexOf(digit);
    const [row, column] = KEYS[key] as [number, number];
    const amplitude = 32_767 * 10 ** (-10 / 20);
    expect(fitSine(tone, row, 8_000).amplitude / amplitude).toBeCloseTo(1, 2);
    expect(fitSine(tone, column, 8_000).amplitude / amplitude).toBeCloseTo(1, 2);
  });

  test('keeps to duration, rate and level', () => {
    expect(generateDtmf('5')).toHaveLength(800);
    expect(generateDtmf('5', { durationMs: 250, sampleRate: 16_000 })).toHaveLength(4_000);
    expect(levelDb(generateDtmf('5', { durationMs: 1_000 }))).toBeCloseTo(-10, 1);
    expect(levelDb(generateDtmf('5', { durationMs: 1_000, levelDb: -25 }))).toBeCloseTo(-25, 1);
    expect(Math.max(...generateDtmf('5', { levelDb: -6.03 }))).toBeLessThanOrEqual(32_767);
  });

  test.each([-6, 0, Number.NaN])('refuses a level of %d dB, at which it would clip', (levelDb) => {
    expect(() => generateDtmf('5', { levelDb })).toThrow(
      expect.objectContaining({ code: 'VB_AUDIO_INVALID', hint: expect.stringContaining('-6.03') }),
    );
  });
});

describe('DtmfDetector', () => {
  test.each([
    [100, 50],
    [50, 50],
    [40, 40],
  ])('hears every key once with %d ms of tone and %d ms of pause, through mu-law', (onMs, offMs) => {
    expect(detect(throughMulaw(dial(onMs, offMs)))).toBe(DTMF_DIGITS.join(''));
  });

  test('hears a repeated key as often as it is pressed', () => {
    expect(detect(dial(50, 40, ['7', '7', '7', '0', '0']))).toBe('77700');
  });

  test('hears keys that follow each other without a pause', () => {
    expect(detect(dial(60, 0))).toBe(DTMF_DIGITS.join(''));
  });

  test('reports a key while it is still held, and only once', () => {
    const detector = new DtmfDetector();
    expect(detector.process(generateDtmf('4', { durationMs: 40 }))).toEqual(['4']);
    expect(new DtmfDetector().process(generateDtmf('4', { durationMs: 5_000 }))).toEqual(['4']);
  });

  test('bridges an interruption of 10 ms', () => {
    const press = generateDtmf('9', { durationMs: 60 });
    expect(detect(press, silence(10), press)).toBe('9');
  });

  test('ignores tones of 20 ms', () => {
    for (let lead = 0; lead < 32; lead += 1) {
      expect(detect(new Int16Array(lead), dial(20, 60))).toBe('');
    }
  });

  test.each([16_000, 24_000, 48_000])('works at %d Hz', (sampleRate) => {
    const keys = DTMF_DIGITS.flatMap((digit) => [
      generateDtmf(digit, { durationMs: 50, sampleRate }),
      silence(50, sampleRate),
    ]);
    expect(new DtmfDetector(sampleRate).process(concat(...keys)).join('')).toBe(DTMF_DIGITS.join(''));
  });

  test('hears the same however the samples are cut', () => {
    const dialled = dial(60, 45);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 8 }), (sizes) => {
        const detector = new DtmfDetector();
        expect(
          cut(dialled, sizes)
            .flatMap((piece) => detector.process(piece))
            .join(''),
        ).toBe(DTMF_DIGITS.join(''));
      }),
      { numRuns: 20 },
    );
  });

  describe.each([40, 100])('with %d ms of tone', (ms) => {
    const offsets = [
      [1, 1],
      [1, -1],
      [-1, 1],
      [-1, -1],
    ] as const;

    test('accepts both tones off by 1.5 % and 2 Hz, at any twist up to 8 dB', () => {
      for (const [row, column] of KEYS) {
        for (const [rowSign, columnSign] of offsets) {
          const off = (frequency: number, sign: number) => frequency + sign * (frequency * 0.015 + 2);
          const weak = 6_000 * 10 ** (-8 / 20);
          for (const [rowAmplitude, columnAmplitude] of [
            [6_000, 6_000],
            [6_000, weak],
            [weak, 6_000],
          ]) {
            const pair = tonePair(off(row, rowSign), off(column, columnSign), ms, rowAmplitude, columnAmplitude);
            expect(detect(pair)).toHaveLength(1);
          }
        }
      }
    });

    test('refuses either tone off by 3.5 %', () => {
      for (const [row, column] of KEYS) {
        for (const sign of [-1, 1]) {
          expect(detect(tonePair(row * (1 + sign * 0.035), column, ms))).toBe('');
          expect(detect(tonePair(row, column * (1 + sign * 0.035), ms))).toBe('');
        }
      }
    });

    test('refuses a twist of 12 dB, one tone alone, and two of one group', () => {
      const weak = 6_000 * 10 ** (-12 / 20);
      for (const [row, column] of KEYS) {
        expect(detect(tonePair(row, column, ms, 6_000, weak))).toBe('');
        expect(detect(tonePair(row, column, ms, weak, 6_000))).toBe('');
        expect(detect(tonePair(row, column, ms, 6_000, 0))).toBe('');
        expect(detect(tonePair(row, column, ms, 0, 6_000))).toBe('');
      }
      expect(detect(tonePair(697, 852, ms))).toBe('');
      expect(detect(tonePair(1209, 1477, ms))).toBe('');
    });
  });

  test('hears keys down to -35 dB and ignores them at -50 dB', () => {
    const level = (db: number) => gain(dial(50, 50), db + 10);
    expect(detect(throughMulaw(level(-35)))).toBe(DTMF_DIGITS.join(''));
    expect(detect(throughMulaw(level(-50)))).toBe('');
  });

  test('hears keys 15 dB above white noise, and none in the noise alone', () => {
    const dialled = dial(50, 50);
    const background = noise(dialled.length, 3_200);
    expect(levelDb(background)).toBeCloseTo(-25, 0);
    expect(detect(mix(dialled, background))).toBe(DTMF_DIGITS.join(''));
    expect(detect(noise(8_000 * 60, 20_000))).toBe('');
  });

  test('hears no key in a minute of speech, quiet or loud', () => {
    expect(SPEECH.length).toBeGreaterThan(8_000 * 55);
    for (const db of [-20, -10, 0]) expect(detect(gain(SPEECH, db))).toBe('');
  });

  test('hears every key over speech 15 dB below it, through mu-law', () => {
    const dialled = dial(100, 50);
    for (let at = 0; at + dialled.length <= SPEECH.length; at += dialled.length) {
      const background = SPEECH.subarray(at, at + dialled.length);
      const speech = gain(background, -25 - levelDb(background));
      expect(detect(throughMulaw(mix(dialled, speech)))).toBe(DTMF_DIGITS.join(''));
    }
  });

  test('forgets half a key on reset, and counts a held key anew', () => {
    const detector = new DtmfDetector();
    const press = generateDtmf('3', { durationMs: 60 });
    expect(detector.process(press.subarray(0, 160))).toEqual([]);
    detector.reset();
    expect(detector.process(press.subarray(160, 320))).toEqual([]);
    detector.reset();
    expect(detector.process(press)).toEqual(['3']);
    expect(detector.process(press)).toEqual([]);
    detector.reset();
    expect(detector.process(press)).toEqual(['3']);
  });
});
