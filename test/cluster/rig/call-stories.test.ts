import { firstAudioOf, longestSilences, lostOf, mostAtOnce, spreadOf, takenOver } from './call-stories.js';
import type { CallStory, Stretch } from './caller.js';

const PATIENCE_MS = 30_000;

const story = (heard: Stretch[], more: Partial<CallStory> = {}): CallStory => ({
  startedMs: 0,
  answeredMs: 50,
  endedMs: (heard.at(-1)?.toMs ?? 0) + 20,
  isCut: false,
  cause: 'Normal Hangup',
  problems: [],
  heard,
  ...more,
});
const stretch = (runner: number, fromMs: number, toMs: number): Stretch => ({ runner, fromMs, toMs });

const whole = story([stretch(0, 100, 5_000)]);
const moved = story([stretch(0, 200, 2_000), stretch(1, 3_500, 6_000)]);
const cut = story([stretch(0, 100, 2_000)], { isCut: true, endedMs: 2_100 });
const deserted = story([stretch(0, 100, 2_000)], { endedMs: 2_000 + PATIENCE_MS });
const unheard = story([], { endedMs: PATIENCE_MS });

test('lost are callers who were cut off, who never heard a bot, and who gave up on the next one', () => {
  expect(lostOf([whole, moved, cut, deserted, unheard], PATIENCE_MS)).toEqual([cut, deserted, unheard]);
});

test('first audio counts from the moment of dialling, and the first bot is who greets', () => {
  expect(firstAudioOf([whole, moved, unheard])).toEqual([100, 200]);
  expect(spreadOf([whole, moved, unheard], 2)).toEqual([2, 0]);
});

test('the longest silence is the one between two sounds of bots', () => {
  expect(longestSilences([whole, moved, unheard])).toEqual([0, 1_500, 0]);
});

test('whoever heard a bot when its runner was killed waits for the next one', () => {
  expect(takenOver([whole, moved, cut, deserted, unheard], 0, 2_010)).toEqual([
    { story: whole, silenceMs: undefined },
    { story: moved, silenceMs: 1_500 },
    { story: cut, silenceMs: undefined },
    { story: deserted, silenceMs: undefined },
  ]);
});

test('callers of other runners, and those who have hung up before, have nothing to do with a kill', () => {
  expect(takenOver([moved], 1, 2_010)).toEqual([]);
  expect(takenOver([moved], 0, 3_000)).toEqual([]);
  expect(takenOver([whole], 0, 5_050)).toEqual([]);
});

test('the most calls at once are counted from dialling to the end', () => {
  expect(
    mostAtOnce([
      whole,
      story([], { startedMs: 4_000, endedMs: 9_000 }),
      story([], { startedMs: 6_000, endedMs: 7_000 }),
    ]),
  ).toBe(2);
});
