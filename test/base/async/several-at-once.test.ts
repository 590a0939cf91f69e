import { type Deferred, deferred } from '../../../src/base/async/deferred.js';
import { severalAtOnce } from '../../../src/base/async/several-at-once.js';

/** Work of which each piece is ended by hand. */
function work(pieces: number, atOnce: number) {
  const waiting = Array.from({ length: pieces }, (_, at) => at);
  const begun: Array<Deferred<void>> = [];
  const stop = new AbortController();
  let isOver = false;
  const done = severalAtOnce(
    atOnce,
    () => waiting.shift(),
    () => {
      const one = deferred();
      begun.push(one);
      return one.promise;
    },
    stop.signal,
  ).finally(() => {
    isOver = true;
  });
  done.catch(() => {}); // looked at later
  return { begun, stop, done, isOver: () => isOver };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('so many go on at the same time, and the next begins when one is over', async () => {
  const { begun, done } = work(3, 2);
  expect(begun).toHaveLength(2);
  begun[1]?.resolve();
  await turn();
  expect(begun).toHaveLength(3);
  for (const one of begun) one.resolve();
  await done;
});

test('when one rejects no more are begun, and its error is thrown once the others are over', async () => {
  const { begun, done, isOver } = work(5, 2);
  begun[0]?.reject(new Error('the first'));
  await turn();
  expect(begun).toHaveLength(2);
  expect(isOver()).toBe(false);
  begun[1]?.reject(new Error('the second'));
  await expect(done).rejects.toThrow('the first');
  expect(begun).toHaveLength(2);
});

test('aborted, no more are begun, and those that go on are waited for', async () => {
  const { begun, stop, done, isOver } = work(5, 2);
  stop.abort();
  begun[0]?.resolve();
  await turn();
  expect([begun.length, isOver()]).toEqual([2, false]);
  begun[1]?.resolve();
  await done;
  expect(begun).toHaveLength(2);
});
