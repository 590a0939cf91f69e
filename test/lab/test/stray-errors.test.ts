import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { StrayErrors } from '../../../src/lab/test/stray-errors.js';

const own = new EventEmitter();
const strayErrors = new StrayErrors(own);
let unlisten: () => void;
beforeEach(() => {
  unlisten = strayErrors.listen();
});
afterEach(() => unlisten());

const happens = (words: string) => own.emit('unhandledRejection', new Error(words));

test('what a check does not wait for and fails while it runs is its failure', async () => {
  const check = async () => void happens('no ledger');
  await expect(strayErrors.within('./checks.ts', check)).rejects.toThrow('no ledger');
  expect(strayErrors.take()).toEqual([]);
});

test('what fails of a check that has ended, or of none, is told of the test', async () => {
  let later = () => {};
  const check = async () => {
    later = AsyncLocalStorage.bind(() => void happens('too late'));
    return 'wrong';
  };
  expect(await strayErrors.within('./checks.ts', check)).toBe('wrong');
  later();
  happens('from nowhere');
  expect(strayErrors.take()).toEqual([
    'the check ./checks.ts has left something running, which failed: too late',
    'something has failed that nothing waited for: from nowhere',
  ]);
  expect(strayErrors.take()).toEqual([]);
});

test('when the test is over nothing is listened for any more', () => {
  expect(own.eventNames()).toEqual(['uncaughtException', 'unhandledRejection']);
  unlisten();
  expect(own.eventNames()).toEqual([]);
});
