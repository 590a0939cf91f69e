import { isSpeech, SilenceWatch } from '../../src/call/silence-watch.js';
import { gain, noise, sine } from '../base/audio/signals.js';

const LIMIT_MS = 10_000;
const FRAME_MS = 20;
const SILENCE = new Int16Array(160);
const SPEECH = sine(400, 8_000, 160, 3_000);

let isExcused: boolean;
let elapsedMs: number;
/** When silence was reported, in milliseconds. */
let reports: number[];
let watch: SilenceWatch;
const watchOf = (limitMs: number) =>
  new SilenceWatch({ limitMs, isExcused: () => isExcused, onSilence: () => reports.push(elapsedMs) });
beforeEach(() => {
  jest.useFakeTimers();
  [isExcused, elapsedMs, reports] = [false, 0, []];
  watch = watchOf(LIMIT_MS);
});
afterEach(() => {
  watch.stop();
  jest.useRealTimers();
});

/** Time goes on frame by frame; `each` is what happens in each. */
function pass(seconds: number, each: () => void = () => {}): void {
  for (let ms = 0; ms < seconds * 1_000; ms += FRAME_MS) {
    each();
    elapsedMs += FRAME_MS;
    jest.advanceTimersByTime(FRAME_MS);
  }
}

test('silence is reported after the limit, once, and counts from the start of the watch', () => {
  pass(60);
  watch.start();
  pass(9.98, () => watch.hear(SILENCE));
  expect(reports).toEqual([]);
  pass(0.02);
  expect(reports).toEqual([70_000]);
  watch.activity();
  watch.start();
  pass(60, () => watch.hear(SILENCE));
  expect(reports).toHaveLength(1);
});

test.each([0, -1])('with a limit of %d ms nothing is ever reported', (limitMs) => {
  watch = watchOf(limitMs);
  watch.start();
  pass(600, () => watch.hear(SILENCE));
  expect(reports).toEqual([]);
});

test.each([
  ['the other side speaks', () => watch.hear(SPEECH)],
  [
    'the bot speaks to somebody who is silent',
    () => {
      watch.botSpoke();
      watch.hear(SILENCE);
    },
  ],
  ['somebody tells of it', () => watch.activity()],
])('while %s there is no silence, and the limit counts from then on', (_, each) => {
  watch.start();
  pass(30, each);
  expect(reports).toEqual([]);
  pass(9.5, () => watch.hear(SILENCE));
  expect(reports).toEqual([]);
  pass(0.5);
  expect(reports).toHaveLength(1);
});

test('silence that means nothing is not reported, and the limit begins afresh', () => {
  watch.start();
  isExcused = true;
  pass(15);
  isExcused = false;
  pass(4.98);
  expect(reports).toEqual([]);
  pass(0.02);
  expect(reports).toEqual([20_000]);
});

test('a watch that is started again counts from then on', () => {
  watch.start();
  pass(6);
  watch.start();
  pass(9.98);
  expect(reports).toEqual([]);
  pass(0.02);
  expect(reports).toEqual([16_000]);
});

test('nothing is reported once it was stopped', () => {
  watch.start();
  watch.stop();
  watch.start();
  pass(30);
  expect(reports).toEqual([]);
});

test.each([
  ['digital silence', SILENCE, false],
  ['comfort noise at -55 dBFS', gain(noise(160, 32_767), -50), false],
  ['speech at -40 dBFS', gain(noise(160, 32_767), -35), true],
])('%s: is that speech? (%#)', (_, pcm, isIt) => {
  expect(isSpeech(pcm)).toBe(isIt);
});
