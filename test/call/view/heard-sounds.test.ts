import { joinedSounds, levelsOf, soundsIn, soundsWithout, speakingDbOf } from '../../../src/call/view/heard-sounds.js';
import { noise } from '../../base/audio/signals.js';
import { audioOf } from '../../lab/scenario/stories.js';

const RATE = 8_000;
const heard = (pcm: Int16Array, gapMs?: number) => soundsIn(levelsOf(pcm, RATE), gapMs);

test('sounds are where one side is heard; shorter gaps belong to them', () => {
  expect(heard(audioOf(6_000, [500, 1_000], [1_400, 2_000], [3_000, 3_500]))).toEqual([
    { fromMs: 500, toMs: 2_000 },
    { fromMs: 3_000, toMs: 3_500 },
  ]);
});

test('sounds are told apart by a shorter gap where that is asked for', () => {
  expect(heard(audioOf(3_000, [500, 1_000], [1_400, 2_000]), 200)).toHaveLength(2);
});

test('clicks, alone and one after another, and the noise of a line are no sounds', () => {
  expect(heard(audioOf(4_000, [500, 520], [900, 920], [3_000, 3_040]))).toEqual([]);
  expect(heard(noise(16_000, 100))).toEqual([]);
  expect(heard(new Int16Array(0))).toEqual([]);
});

test('steady noise is no speech, however loud: what is heard above it is', () => {
  const loud = noise(6 * RATE, 600);
  const speech = audioOf(6_000, [2_000, 3_000]);
  const levels = levelsOf(
    loud.map((sample, at) => sample + (speech[at] as number)),
    RATE,
  );
  expect(soundsIn(levels)).toEqual([{ fromMs: 0, toMs: 6_000 }]);
  expect(soundsIn(levels, 500, speakingDbOf(levels))).toEqual([{ fromMs: 2_000, toMs: 3_000 }]);
});

test('a quiet line, a line without silence, and one without sound have a level of speech that is neither too low nor too high', () => {
  expect(speakingDbOf(levelsOf(audioOf(2_000, [0, 1_000]), RATE))).toBe(-45);
  expect(speakingDbOf(levelsOf(audioOf(2_000, [0, 2_000]), RATE))).toBe(-30);
  expect(speakingDbOf(new Float32Array())).toBe(-45);
});

test('sounds that are close are joined, one within another too', () => {
  const sounds = [
    { fromMs: 0, toMs: 500 },
    { fromMs: 100, toMs: 200 },
    { fromMs: 550, toMs: 600 },
    { fromMs: 660, toMs: 700 },
  ];
  expect(joinedSounds(sounds, 60)).toEqual([
    { fromMs: 0, toMs: 600 },
    { fromMs: 660, toMs: 700 },
  ]);
});

test('what lies in a stretch is taken out of sounds: their ends, their middle, all of them', () => {
  const stretches = [
    { fromMs: 100, toMs: 200 },
    { fromMs: 400, toMs: 900 },
  ];
  expect(
    soundsWithout(
      [
        { fromMs: 0, toMs: 300 },
        { fromMs: 350, toMs: 500 },
        { fromMs: 600, toMs: 700 },
        { fromMs: 800, toMs: 1_000 },
        { fromMs: 850, toMs: 919 },
      ],
      stretches,
    ),
  ).toEqual([
    { fromMs: 0, toMs: 100 },
    { fromMs: 200, toMs: 300 },
    { fromMs: 350, toMs: 400 },
    { fromMs: 900, toMs: 1_000 },
  ]);
});
