import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepSpeech, keepSpeechIn, keptSpeech } from '../../../../src/bot/services/tts/kept-speech.js';

const ORDER = { voice: 'slt', text: 'Good morning.', sampleRate: 8_000 } as const;
const PCM = Int16Array.from([0, 1, -1, 32_767, -32_768]);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'voicebot-kept-speech-'));
});
afterEach(() => {
  keepSpeechIn(undefined);
  rmSync(folder, { recursive: true });
});

test('what was said is there for the same words of the same voice at the same rate, and for no others', async () => {
  keepSpeechIn(folder);
  expect(keptSpeech(ORDER)).toBeUndefined();
  await keepSpeech(ORDER, PCM.subarray(1));
  expect(keptSpeech(ORDER)).toEqual(PCM.subarray(1));
  expect(keptSpeech({ ...ORDER, text: 'Good evening.' })).toBeUndefined();
  expect(keptSpeech({ ...ORDER, voice: 'rms' })).toBeUndefined();
  expect(keptSpeech({ ...ORDER, sampleRate: 16_000 })).toBeUndefined();
});

test('nothing is kept, nor found, by a process that was told of no folder', async () => {
  await keepSpeech(ORDER, PCM);
  expect(readdirSync(folder)).toEqual([]);
  expect(keptSpeech(ORDER)).toBeUndefined();
});

test('a folder that is gone is no failure', async () => {
  keepSpeechIn(join(folder, 'gone'));
  await keepSpeech(ORDER, PCM);
  expect(keptSpeech(ORDER)).toBeUndefined();
});
