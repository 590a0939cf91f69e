import { type LimitedKind, RateLimits } from '../../../src/sandbox/rooms/rate-limits.js';

test.each([
  ['most', 100, 5_000],
  ['roomDeletion', 50, 30_000],
  ['dialout', 5, 5_000],
] as const)('lets %s through %i times in %i ms, wherever the window begins', (kind: LimitedKind, count, windowMs) => {
  let now = 0;
  const limits = new RateLimits(() => now);
  limits.take(kind);
  now = windowMs - 1;
  for (let n = 1; n < count; n += 1) limits.take(kind);
  expect(() => limits.take(kind)).toThrow(expect.objectContaining({ status: 429, error: 'rate-limit-error' }));
  now = windowMs;
  limits.take(kind);
  expect(() => limits.take(kind)).toThrow('rate-limit-error');
  now = 2 * windowMs - 1;
  for (let n = 1; n < count; n += 1) limits.take(kind);
  expect(() => limits.take(kind)).toThrow('rate-limit-error');
});

test('counts each kind by itself, and nothing that was refused', () => {
  let now = 0;
  const limits = new RateLimits(() => now);
  for (let n = 0; n < 5; n += 1) limits.take('dialout');
  for (let n = 0; n < 100; n += 1) expect(() => limits.take('dialout')).toThrow('rate-limit-error');
  limits.take('most');
  limits.take('roomDeletion');
  now = 5_000;
  limits.take('dialout');
});
