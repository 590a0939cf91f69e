import { LiveAnswer } from '../../../../src/bot/services/live/live-answer.js';
import { LivePatience } from '../../../../src/bot/services/live/live-patience.js';

const RATE = 8_000;
const answerOf = () => new LiveAnswer({ key: {} }, { audio: () => {}, text: () => {} });
const second = new Int16Array(RATE);

test('a session that is not known is joined after a second, and others by what they usually take', () => {
  const patience = new LivePatience('joined', 6_000, true);
  expect(patience.joinMs).toBe(1_000);
  patience.took(300);
  expect(patience.joinMs).toBe(700);
  patience.took(900);
  expect(patience.joinMs).toBe(1_350);
  for (let count = 0; count < 3; count += 1) patience.took(2_000);
  expect(patience.joinMs).toBe(2_700);
});

test('a session is never joined later than its limit, nor where nothing stands beside it', () => {
  const patience = new LivePatience('limited', 2_500, true);
  for (let count = 0; count < 3; count += 1) patience.took(10_000);
  expect(patience.joinMs).toBe(2_500);
  expect(new LivePatience('limited', 2_500, false).joinMs).toBeUndefined();
});

test('a session whose sound has run out has half a second to go on', () => {
  const patience = new LivePatience('stalls', 6_000, true);
  const answer = answerOf();
  expect(patience.limitOf(answer)).toBe(6_000);
  answer.addAudio('item', second, RATE);
  expect(patience.limitOf(answer)).toBeGreaterThan(500);
  expect(patience.limitOf(answer)).toBeLessThanOrEqual(1_500);
  const played = answerOf();
  played.addAudio('item', second.subarray(0, 0), RATE);
  expect(patience.limitOf(played)).toBe(500);
});

test('what follows the sound of an answer, such as a function, is waited for as long as without a cascade', () => {
  const patience = new LivePatience('functions', 6_000, true);
  const answer = answerOf();
  answer.addAudio('item', second.subarray(0, 0), RATE);
  answer.isSoundWhole = true;
  expect(patience.limitOf(answer)).toBe(3_000);
});
