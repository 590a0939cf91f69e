import { SampleRing } from '../../../src/call/folder/heard-queue.js';

/** As many samples as there are, or the first ones. */
function take(ring: SampleRing, count = ring.length): number[] {
  const into = new Int16Array(count);
  ring.take(into, count);
  return [...into];
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, n) => (from + n) % 30_000);

test('gives what it got, in order, however much it keeps', () => {
  const ring = new SampleRing();
  const expected: number[] = [];
  let pushed = 0;
  for (let round = 0; round < 200; round += 1) {
    const count = (round * 37) % 400;
    ring.push(Int16Array.from(numbers(pushed, count)));
    expected.push(...numbers(pushed, count));
    pushed += count;
    const some = Math.min(ring.length, (round * 53) % 350);
    expect(take(ring, some)).toEqual(expected.splice(0, some));
    expect(ring).toHaveLength(expected.length);
  }
  expect(expected.length).toBeGreaterThan(2_048); // more than it begins with
  expect(take(ring)).toEqual(expected);
});

test('what is put back comes first, also when there is no room for it', () => {
  const ring = new SampleRing();
  ring.push(Int16Array.from(numbers(10, 5)));
  ring.putBack(Int16Array.from(numbers(5, 5)));
  ring.skip(1);
  expect(take(ring, 3)).toEqual([6, 7, 8]);
  ring.push(Int16Array.from(numbers(15, 2_040)));
  ring.putBack(Int16Array.from(numbers(-500, 509)));
  expect(take(ring)).toEqual(numbers(-500, 2_555));
});
