import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import { encodeWav } from '../../../src/base/audio/wav.js';
import { readSpeech } from '../../../src/lab/stage/speech-file.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-speech-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const tone = (hertz: number, sampleRate: number, amplitude = 8_000) =>
  Int16Array.from({ length: sampleRate }, (_, i) => amplitude * Math.sin((2 * Math.PI * hertz * i) / sampleRate));

function speechOf(sampleRate: number, ...channels: Int16Array[]): Int16Array {
  const path = join(directory, 'in.wav');
  writeFileSync(path, encodeWav({ sampleRate, channels, encoding: 'L16' }));
  return decodeMulaw(readSpeech(path));
}

/** Power of `heard` over the power of its difference to `wanted`, in decibels, away from the edges. */
function signalToNoiseDb(heard: Int16Array, wanted: Int16Array): number {
  let signal = 0;
  let noise = 0;
  for (let i = 400; i < heard.length - 400; i += 1) {
    signal += (wanted[i] as number) ** 2;
    noise += ((heard[i] as number) - (wanted[i] as number)) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}

// Mu-law itself leaves 33 to 38 dB.
test.each([8_000, 11_025, 16_000, 22_050, 44_100, 48_000])('a tone in a file of %i Hz comes out true', (sampleRate) => {
  const heard = speechOf(sampleRate, tone(1_000, sampleRate));
  expect(heard).toHaveLength(8_000);
  expect(signalToNoiseDb(heard, tone(1_000, 8_000))).toBeGreaterThan(32);
});

test('what the telephone cannot carry is left out rather than folded back', () => {
  const heard = speechOf(44_100, tone(6_000, 44_100));
  expect(Math.max(...heard.subarray(400, -400))).toBeLessThan(30);
});

test('two channels are mixed', () => {
  const heard = speechOf(8_000, tone(1_000, 8_000), new Int16Array(8_000));
  expect(signalToNoiseDb(heard, tone(1_000, 8_000, 4_000))).toBeGreaterThan(32);
});

test('full scale stays full scale', () => {
  const heard = speechOf(22_050, new Int16Array(22_050).fill(32_767));
  expect(Math.min(...heard.subarray(400, -400))).toBeGreaterThan(32_000);
});
