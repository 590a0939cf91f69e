import { medianOf, percentileOf } from '../../src/base/percentile.js';

test('a median is the value in the middle, of two the lower one, whatever their order', () => {
  expect(medianOf([])).toBeUndefined();
  expect(medianOf([7])).toBe(7);
  expect(medianOf([30, 4, 9])).toBe(9);
  expect(medianOf([30, 4, 9, 100])).toBe(9);
});

test('a percentile is the least value that so large a share does not exceed', () => {
  const values = Array.from({ length: 20 }, (_, at) => 20 - at);
  expect([0, 0.05, 0.5, 0.95, 0.99, 1].map((share) => percentileOf(values, share))).toEqual([1, 1, 10, 19, 20, 20]);
  expect(percentileOf([], 0.95)).toBeUndefined();
});
