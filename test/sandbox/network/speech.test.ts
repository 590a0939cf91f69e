import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deferred } from '../../../src/base/async/deferred.js';
import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import { encodeWav } from '../../../src/base/audio/wav.js';
import { murmur, wavToMulaw } from '../../../src/sandbox/network/prompt-audio.js';
import { SandboxSpeech } from '../../../src/sandbox/network/speech.js';

const NEVER = new AbortController().signal;

test.each([8_000, 11_025, 16_000, 22_050, 44_100, 48_000])(
  'brings a %i Hz tone to 8000 Hz mu-law',
  async (sampleRate) => {
    const tone = Int16Array.from(
      { length: sampleRate },
      (_, n) => 10_000 * Math.sin((2 * Math.PI * 400 * n) / sampleRate),
    );
    const pcm = decodeMulaw(await wavToMulaw(encodeWav({ sampleRate, channels: [tone, tone], encoding: 'L16' })));
    expect(Math.abs(pcm.length - 8_000)).toBeLessThanOrEqual(2);
    const rises = pcm.filter((sample, n) => n > 0 && (pcm[n - 1] ?? 0) < 0 && sample >= 0).length;
    expect(Math.abs(rises - 400)).toBeLessThanOrEqual(2);
    expect(Math.max(...pcm)).toBeGreaterThan(9_000);
  },
);

test.each([
  ['is missing', 'no-such-program'],
  ['may not be run', fileURLToPath(import.meta.url)],
  ['fails', 'false'],
  ['says nothing', 'true'],
])('speaks English with flite where the program %s', async (_, program) => {
  const speech = new SandboxSpeech(program);
  const audio = await speech.speak('Hello there.', 'en-US', NEVER);
  expect(Math.max(...decodeMulaw(audio ?? new Uint8Array(1)))).toBeGreaterThan(2_000);
  expect(await speech.speak('Guten Tag.', 'de-DE', NEVER)).toBeUndefined();
});

test('speaks one text after the other, or gives nothing where the program and flite are missing or fail', async () => {
  const withoutFlite = async () => await Promise.reject(new Error('not installed'));
  for (const program of ['no-such-program', 'false', 'true'])
    expect(await new SandboxSpeech(program, withoutFlite).speak('Hello', 'en-US', NEVER)).toBeUndefined();
  expect(await new SandboxSpeech().speak('Hello', 'en-US', AbortSignal.abort())).toBeUndefined();
});

test('waits no longer for flite once the call goes on', async () => {
  const spoken = deferred<Int16Array>();
  const speech = new SandboxSpeech('no-such-program', () => spoken.promise);
  const call = new AbortController();
  const audio = speech.speak('This takes a while.', 'en-US', call.signal);
  call.abort();
  expect(await audio).toBeUndefined();
  const next = speech.speak('This takes a while.', 'en-US', NEVER);
  spoken.resolve(new Int16Array(160));
  expect((await next)?.length).toBe(160);
});

test('runs the program once for a text that many calls hear', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'voicebot-speech-'));
  try {
    const program = join(folder, 'speak');
    await writeFile(
      join(folder, 'voice.wav'),
      encodeWav({ sampleRate: 8_000, channels: [new Int16Array(800).fill(99)], encoding: 'L16' }),
    );
    await writeFile(program, '#!/bin/sh\ncd "$(dirname "$0")"\ncat >/dev/null\necho run >>runs\nexec cat voice.wav\n', {
      mode: 0o755,
    });
    const speech = new SandboxSpeech(program);
    const spoken = await Promise.all(['a', 'b', 'a', 'a'].map((text) => speech.speak(text, 'en-US', NEVER)));
    expect(spoken.map((audio) => audio?.length)).toEqual([800, 800, 800, 800]);
    expect(await readFile(join(folder, 'runs'), 'utf8')).toBe('run\nrun\n');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('has a substitute voice as long as the text', () => {
  const audio = murmur('four words of text');
  expect(audio.length).toBe(4 * 1_920);
  expect(Math.max(...decodeMulaw(audio))).toBeGreaterThan(2_000);
});
