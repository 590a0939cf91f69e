import { estimateWords } from '../../../../src/bot/services/tts/estimate-words.js';

/** 8000 Hz: sounds and silences in turn, in milliseconds. */
const sound = (...lengths: readonly number[]) =>
  Int16Array.from(
    lengths.flatMap((ms, index) => Array.from({ length: ms * 8 }, (_, at) => (index % 2 ? 0 : 3_000) * (at % 2 || -1))),
  );
const startsOf = (text: string, pcm: Int16Array) =>
  estimateWords(text, pcm, 8_000).map((word) => [word.text, Math.round(word.startMs)]);

test('words without marks take time in proportion to their sounds', () => {
  const words = estimateWords('tick tick tick tick', sound(800), 8_000);
  expect(words.map(({ startMs }) => Math.round(startMs))).toEqual([0, 200, 400, 600]);
  expect(words.at(-1)?.endMs).toBe(800);
});

test('silence before and after the voice is none of the words', () => {
  const pcm = Int16Array.from([...new Int16Array(200 * 8), ...sound(400), ...new Int16Array(300 * 8)]);
  expect(startsOf('tick tick', pcm)).toEqual([
    ['tick', 200],
    ['tick', 400],
  ]);
  expect(estimateWords('tick tick', pcm, 8_000).at(-1)?.endMs).toBe(600);
});

test('the words behind a comma or a full stop begin behind the pauses, however long the words before were', () => {
  expect(startsOf('No, extraordinarily long words. Yes', sound(400, 200, 1_200, 300, 300))).toMatchObject([
    ['No,', 0],
    ['extraordinarily', 600],
    ['long', expect.any(Number)],
    ['words.', expect.any(Number)],
    ['Yes', 2_100],
  ]);
});

test('a voice that makes fewer pauses than there are marks is taken by the sounds alone', () => {
  expect(startsOf('tick, tick, tick', sound(300, 200, 300))).toEqual([
    ['tick,', 0],
    ['tick,', 200],
    ['tick', 600],
  ]);
});

test('writing without spaces has words too, whose characters take the same time each, and its marks stand at pauses', () => {
  expect(startsOf('您好，欢迎致电', sound(400, 200, 800))).toEqual([
    ['您好，', 0],
    ['欢迎', 600],
    ['致电', 1_000],
  ]);
  expect(startsOf('สวัสดี ยินดี', sound(400, 200, 400))).toEqual([
    ['สวัสดี', 0],
    ['ยินดี', 600],
  ]);
});

test('of silence, and of a text without words, nothing is estimated', () => {
  expect(estimateWords('tick', new Int16Array(800), 8_000)).toEqual([]);
  expect(estimateWords(' ', sound(100), 8_000)).toEqual([]);
  expect(estimateWords('tick', new Int16Array(0), 8_000)).toEqual([]);
});
