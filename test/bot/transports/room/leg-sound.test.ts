import { spawnSync } from 'node:child_process';
import { decodeMulaw } from '../../../../src/base/audio/mulaw.js';
import { ToneSource } from '../../../../src/base/audio/tones.js';
import { LegSound } from '../../../../src/bot/transports/room/leg-sound.js';
import { murmur } from '../../../../src/sandbox/network/prompt-audio.js';
import { concat, cut, gain, mix, sine } from '../../../base/audio/signals.js';
import { spoken } from '../../../base/audio/spoken.js';
import { hiss, silence, vowel } from '../../../base/audio/voices.js';

/** What was heard in a sound, and after how much of it, in milliseconds. */
function listen(pcm: Int16Array, sampleRate = 8_000): { heard: string; atMs: number } | undefined {
  const sound = new LegSound(sampleRate);
  let atMs = 0;
  for (const frame of cut(pcm, [sampleRate / 50])) {
    atMs += 20;
    const heard = sound.hear(frame);
    if (heard) return { heard, atMs };
  }
  return undefined;
}

/** A ringing tone: these frequencies, on and off in turns of these lengths. */
function ringing(frequencies: readonly number[], cadenceMs: readonly number[]): Int16Array {
  const parts = cadenceMs.map((ms, n) =>
    n % 2 === 1
      ? silence(ms)
      : frequencies.map((hz) => sine(hz, 8_000, 8 * ms, 3_000)).reduce((one, other) => mix(one, other)),
  );
  return concat(...Array.from({ length: 4 }, () => parts).flat());
}

const words = decodeMulaw(murmur('hello who is there'));

test.each([
  ['words', words],
  ['quiet words', gain(words, -18)],
  ['words after a pause', concat(silence(3_000), words)],
  ['words in noise', mix(words, hiss(words.length / 8, 150))],
  ['syllables', concat(...[200, 120, 350].flatMap((ms) => [vowel(ms), silence(100)]))],
])('hears somebody who speaks: %s', (_, pcm) => {
  expect(listen(pcm)).toMatchObject({ heard: 'voice' });
});

test('hears one hello, at both rates of a room', () => {
  const hello = concat(vowel(180, 16_000, 1_000), vowel(320, 16_000, 2_500), silence(300, 16_000));
  expect(listen(hello, 16_000)).toMatchObject({ heard: 'voice' });
});

const isThere = spawnSync('espeak-ng', ['--version']).status === 0;
(isThere ? test : test.skip).each([
  ['Hello?', 'en-us'],
  ['Yes, who is it?', 'en-gb'],
  ['Allô, oui ?', 'fr'],
  ['Müller, guten Tag.', 'de'],
])('hears %j (needs espeak-ng)', (text, voice) => {
  expect(listen(concat(spoken(text, voice), silence(500)))).toMatchObject({ heard: 'voice' });
});

test.each([
  ['the United States', ToneSource.ringback().read(8 * 20_000)],
  ['Germany', ringing([425], [1_000, 4_000])],
  ['Britain', ringing([400, 450], [400, 200, 400, 2_000])],
  ['Australia', ringing([400, 425, 450], [400, 200, 400, 2_000])],
  ['Japan', ringing([384, 400, 416], [1_000, 2_000])],
])('never takes a telephone that rings as in %s for somebody who speaks', (_, pcm) => {
  for (const beforeMs of [0, 10, 30, 50, 70, 90]) {
    const sound = new LegSound(8_000);
    const heard = cut(concat(silence(beforeMs), pcm), [160]).map((frame) => sound.hear(frame));
    expect(heard.filter((what) => what === 'voice')).toEqual([]);
  }
});

test.each([
  ['one tone', ringing([425], [1_000, 4_000])],
  ['two tones', ToneSource.ringback().read(8 * 5_000)],
])('knows a ringing tone of %s', (_, pcm) => {
  expect(listen(pcm)).toEqual({ heard: 'ringing', atMs: expect.any(Number) });
});

test.each([
  ['silence', silence(10_000)],
  ['comfort noise', hiss(10_000, 120)],
  ['a noisy line', hiss(10_000, 1_000)],
  ['noise that begins', concat(silence(2_000), hiss(5_000, 1_000))],
  ['a click', concat(silence(1_000), hiss(30, 4_000), silence(2_000))],
])('hears nothing in %s', (_, pcm) => {
  expect(listen(pcm)).toBeUndefined();
});
