import { callLengthMs, passedSeconds } from '../../src/call/call-length.js';
import { inWords } from '../../src/call/view/events.js';

test('a call is as long as its two sides were connected', () => {
  expect(callLengthMs({ answeredAt: 1_000, connectedAt: 2_000, endedAt: 5_000 }, 9_000)).toBe(3_000);
  expect(callLengthMs({ answeredAt: 1_000, endedAt: 5_000 }, 9_000)).toBe(4_000);
  expect(callLengthMs({ connectedAt: 2_000 }, 9_000)).toBe(7_000);
  expect(callLengthMs({ connectedAt: 2_000 }, 1_990)).toBe(0);
  expect(callLengthMs({ endedAt: 5_000 }, 9_000)).toBeUndefined();
});

test.each([0, 999, 3_950, 3_999, 9_960, 9_999, 10_000, 59_999])(
  '%s ms are as many seconds in each of its texts',
  (ms) => {
    const seconds = Math.floor(ms / 1_000);
    expect(Math.floor(Number(passedSeconds(ms)))).toBe(seconds);
    expect(Math.floor(Number.parseFloat(inWords(ms)))).toBe(seconds);
  },
);
