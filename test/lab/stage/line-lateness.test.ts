import { LineLateness } from '../../../src/lab/stage/line-lateness.js';

test('the worst of the frames counts, against the one that came soonest for its place', () => {
  const lateness = new LineLateness();
  for (const ms of [1_000, 1_015, 1_040, 1_190, 1_195, 1_200]) lateness.came(ms);
  expect(lateness.worstMs).toBe(135);
});

test('a line that comes in time is not late, wherever it begins', () => {
  const lateness = new LineLateness();
  expect(lateness.worstMs).toBe(0);
  for (const ms of [5, 25, 45]) lateness.came(ms);
  expect(lateness.worstMs).toBe(0);
});
