import type { Ear, EarSource } from '../../../../src/bot/services/stt/ear.js';
import { Hearing } from '../../../../src/bot/services/stt/hearing.js';

const RATE = 8_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

test.each([
  [undefined, false],
  [true, true],
])('after an empty text, ears whose answersSilence is %s are late in a silence: %s', (answersSilence, isLate) => {
  const source: EarSource = { provider: 'One', answersSilence, create: () => ({}) as Ear };
  const hearing = new Hearing(source, 0, RATE);
  hearing.connected(true);
  hearing.told();
  for (let ms = 0; ms < 5_000; ms += 20) {
    hearing.write(new Int16Array(RATE / 50));
    jest.advanceTimersByTime(20);
  }
  expect(hearing.lateMs > 0).toBe(isLate);
});
