import { parseRetryAfter } from '../../../src/base/http/retry-after.js';

const now = Date.UTC(2026, 0, 2, 3, 4, 5);

test.each([
  ['0', 0],
  ['1', 1_000],
  [' 120 ', 120_000],
  ['Fri, 02 Jan 2026 03:04:35 GMT', 30_000],
  ['Friday, 02-Jan-26 03:05:05 GMT', 60_000],
  ['Fri Jan  2 03:04:06 2026 GMT', 1_000],
  ['Fri, 02 Jan 2026 03:04:00 GMT', 0],
])('reads %j', (header, ms) => {
  expect(parseRetryAfter(header, now)).toBe(ms);
});

test.each([undefined, '', 'soon', '-1', '1.5', '1e3', '2026-01-02', 'tomorrow at 10:00'])(
  'finds no time in %j',
  (header) => {
    expect(parseRetryAfter(header, now)).toBeUndefined();
  },
);

test('reads no time out of a header that came twice', () => {
  expect(parseRetryAfter(['1', '2'], now)).toBeUndefined();
});
