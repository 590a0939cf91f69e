import type { TimelineEvent } from '../../../src/call/timeline.js';
import { longestSilence, measure, overlaps } from '../../../src/lab/scenario/measure.js';
import { at, audioOf, said, storyOf } from './stories.js';

test('the longest silence is between sounds of both sides, before the first or behind the last', () => {
  const sounds = [
    { fromMs: 4_000, toMs: 5_000 },
    { fromMs: 1_000, toMs: 4_500 },
  ];
  expect(longestSilence(sounds, 5_500)).toEqual({ ms: 1_000, atMs: 0 });
  expect(longestSilence(sounds, 9_000)).toEqual({ ms: 4_000, atMs: 5_000 });
  expect(longestSilence([], 700)).toEqual({ ms: 700, atMs: 0 });
});

describe('a call measures', () => {
  const bot = audioOf(12_000, [300, 2_000], [4_400, 5_000], [9_500, 11_000]);
  const caller = audioOf(12_000, [3_000, 4_000], [6_000, 6_500], [8_000, 9_000]);

  test('its first word, how long the caller waited for each answer, and the longest silence', () => {
    expect(measure({ audio: { bot, caller }, lengthMs: 12_000, events: [], answeredAt: 0 })).toEqual({
      firstWordMs: 300,
      answersMs: [400, 500],
      silence: { ms: 1_500, atMs: 6_500 },
    });
  });

  test('no recorded line as an answer or a first word, though it breaks a silence', () => {
    const line = (fromMs: number, toMs: number): TimelineEvent =>
      at(toMs, { type: 'line_played', line: 'hold', text: '', startedAt: at(fromMs, { type: 'caller_joined' }).at });
    const { answeredAt } = storyOf();
    const events = [line(300, 2_000), line(4_400, 5_000)];
    expect(measure({ audio: { bot, caller }, lengthMs: 12_000, events, answeredAt })).toEqual({
      firstWordMs: 9_500,
      answersMs: [500],
      silence: { ms: 1_500, atMs: 6_500 },
    });
  });

  test('an answer right behind a recorded line from where it begins, however short it is', () => {
    const asked = audioOf(12_000, [3_000, 4_000]);
    const held = at(5_000, { type: 'line_played', line: 'hold', text: '', startedAt: 1_004_400 });
    const answersOf = (toMs: number, ...events: readonly TimelineEvent[]) =>
      measure({
        audio: { bot: audioOf(12_000, [4_400, toMs]), caller: asked },
        lengthMs: 12_000,
        events: [held, ...events],
        answeredAt: 1_000_000,
      }).answersMs;
    expect(answersOf(7_000)).toEqual([1_300]);
    expect(answersOf(7_000, said(5_000, 'bot', 'Yes, it is.'))).toEqual([1_000]);
    expect(answersOf(5_280, said(5_000, 'bot', 'Yes.'))).toEqual([1_000]);
    expect(answersOf(5_100)).toEqual([]); // the line was a little late
  });

  test('no speech that goes on, after it was held for a sound of the caller, as an answer', () => {
    const { answeredAt = 0 } = storyOf();
    const audio = {
      bot: audioOf(12_000, [300, 2_000], [2_700, 4_000], [6_000, 7_000]),
      caller: audioOf(12_000, [1_900, 2_200], [4_500, 5_100]),
    };
    const held = (resumed: boolean) =>
      measure({
        audio,
        lengthMs: 12_000,
        events: [at(2_680, { type: 'speech_held', ms: 700, resumed })],
        answeredAt,
      }).answersMs;
    expect(held(true)).toEqual([900]);
    expect(held(false)).toEqual([500, 900]);
  });

  test('nothing where there is no audio, and no words of a bot that has none', () => {
    expect(measure({ audio: undefined, lengthMs: 12_000, events: [], answeredAt: 0 })).toEqual({
      firstWordMs: undefined,
      answersMs: [],
      silence: { ms: 0, atMs: 0 },
    });
    expect(
      measure({ audio: { bot: audioOf(2_000), caller: audioOf(2_000) }, lengthMs: 1_000, events: [], answeredAt: 0 }),
    ).toEqual({
      firstWordMs: undefined,
      answersMs: [],
      silence: { ms: 1_000, atMs: 0 },
    });
  });
});

test('a bot that is talked over goes on for as long as it is heard, also after a pause while the caller still speaks', () => {
  const bot = audioOf(9_000, [0, 3_000], [3_800, 4_400], [6_000, 7_000]);
  const overlapsOf = (...caller: Array<[number, number]>) =>
    overlaps({ audio: { bot, caller: audioOf(9_000, ...caller) } });
  expect(overlapsOf([2_500, 3_600], [5_000, 6_500])).toEqual([{ ms: 500, atMs: 2_500 }]);
  expect(overlapsOf([2_500, 4_000])).toEqual([{ ms: 1_900, atMs: 2_500 }]);
  expect(overlaps({ audio: undefined })).toEqual([]);
});
