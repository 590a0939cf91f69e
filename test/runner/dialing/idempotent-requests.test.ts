import { deferred } from '../../../src/base/async/deferred.js';
import { VoicebotError } from '../../../src/base/errors.js';
import { IdempotentRequests, MAX_KEYS, REMEMBERED_MS } from '../../../src/runner/dialing/idempotent-requests.js';

function numbered() {
  const clock = { ms: 0 };
  const requests = new IdempotentRequests<number>(() => clock.ms);
  let count = 0;
  const work = async () => ++count;
  return { clock, requests, work };
}

test('without a key every request is done', async () => {
  const { requests, work } = numbered();
  expect([await requests.run(undefined, 'a', work), await requests.run(undefined, 'a', work)]).toEqual([1, 2]);
});

test('the same key gets the same outcome while running, and for 24 hours after', async () => {
  const { clock, requests, work } = numbered();
  const gate = deferred();
  const slow = async () => {
    await gate.promise;
    return work();
  };
  const waiting = Array.from({ length: 20 }, () => requests.run('key', 'a', slow));
  clock.ms = 10_000;
  gate.resolve();
  expect(await Promise.all(waiting)).toEqual(Array(20).fill(1));
  clock.ms += REMEMBERED_MS - 1;
  expect(await requests.run('key', 'a', work)).toBe(1);
  clock.ms += 1;
  expect(await requests.run('key', 'a', work)).toBe(2);
});

test('the same key with another request is a conflict, running or settled', async () => {
  const { requests, work } = numbered();
  const gate = deferred();
  const running = requests.run('key', 'a', async () => {
    await gate.promise;
    return work();
  });
  await expect(requests.run('key', 'b', work)).rejects.toMatchObject({ code: 'VB_REQUEST_CONFLICT' });
  gate.resolve();
  await running;
  await expect(requests.run('key', 'b', work)).rejects.toMatchObject({ code: 'VB_REQUEST_CONFLICT' });
  expect(await requests.run('other', 'b', work)).toBe(2);
});

test.each([
  ['the carrier could not be reached', new VoicebotError('VB_CARRIER_UNREACHABLE')],
  ['a limit was reached', new VoicebotError('VB_DIAL_LIMIT')],
  ['of a bug', new Error('a bug')],
])('what failed because %s may be tried again', async (_why, failure) => {
  const { requests, work } = numbered();
  const fail = () => Promise.reject(failure);
  await expect(requests.run('key', 'a', fail)).rejects.toBe(failure);
  expect(await requests.run('key', 'a', work)).toBe(1);
});

test('work that throws at once is forgotten too', async () => {
  const { requests, work } = numbered();
  const crash = (): Promise<number> => {
    throw new Error('a bug');
  };
  await expect(requests.run('key', 'a', crash)).rejects.toThrow('a bug');
  expect(await requests.run('key', 'a', work)).toBe(1);
});

test('what may have been done is never done again', async () => {
  const { clock, requests, work } = numbered();
  const failure = new VoicebotError('VB_CALL_UNCERTAIN');
  await expect(requests.run('key', 'a', () => Promise.reject(failure))).rejects.toBe(failure);
  clock.ms += REMEMBERED_MS - 1;
  await expect(requests.run('key', 'a', work)).rejects.toBe(failure);
  await expect(requests.run('key', 'b', work)).rejects.toMatchObject({ code: 'VB_REQUEST_CONFLICT' });
});

test('all who wait for one request get its failure', async () => {
  const { requests } = numbered();
  const gate = deferred();
  const fail = async (): Promise<number> => {
    await gate.promise;
    throw new VoicebotError('VB_CARRIER_UNREACHABLE');
  };
  const waiting = [requests.run('key', 'a', fail), requests.run('key', 'a', fail)];
  gate.resolve();
  const outcomes = await Promise.allSettled(waiting);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('remembers a bounded number of keys and drops the oldest', async () => {
  const { requests, work } = numbered();
  for (let index = 0; index <= MAX_KEYS; index += 1) await requests.run(`key ${index}`, 'a', work);
  expect(await requests.run('key 1', 'a', work)).toBe(2);
  expect(await requests.run('key 0', 'a', work)).toBe(MAX_KEYS + 2);
});

test('a running request is never dropped; too many of them are refused', async () => {
  const { requests, work } = numbered();
  const gate = deferred();
  const slow = async () => {
    await gate.promise;
    return work();
  };
  const running = Array.from({ length: MAX_KEYS }, (_, index) => requests.run(`key ${index}`, 'a', slow));
  await expect(requests.run('one more', 'a', work)).rejects.toMatchObject({ code: 'VB_DIAL_LIMIT' });
  gate.resolve();
  await Promise.all(running);
  expect(await requests.run('one more', 'a', work)).toBe(MAX_KEYS + 1);
});
