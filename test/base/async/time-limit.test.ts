import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { timeLimit } from '../../../src/base/async/time-limit.js';

setFlagsFromString('--expose_gc');
const tidyMemory = runInNewContext('gc') as () => void;

test('a time limit passes with a TimeoutError', async () => {
  const limit = timeLimit(1);
  await new Promise((resolve) => limit.addEventListener('abort', resolve));
  expect(limit.reason).toMatchObject({ name: 'TimeoutError' });
});

test('a time limit passes although nothing but another signal holds it, and the memory is tidied', async () => {
  const either = AbortSignal.any([new AbortController().signal, timeLimit(50)]);
  const aborted = new Promise((resolve) => either.addEventListener('abort', resolve));
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    tidyMemory();
  }
  await aborted;
  expect(either.reason).toMatchObject({ name: 'TimeoutError' });
});
