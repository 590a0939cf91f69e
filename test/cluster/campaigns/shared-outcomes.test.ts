import { asCallId } from '../../../src/call/call-id.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import { SharedOutcomes } from '../../../src/cluster/campaigns/shared-outcomes.js';
import { costOfRow } from '../../../src/runner/campaigns/campaign.js';

const CALL = {
  id: 'out_1',
  direction: 'outbound',
  from: '+12025550100',
  to: '+12025550101',
  attempt: 1,
  startedAt: 1,
} as const;
const LIVE: CallRecord = { ...CALL, state: 'connected' };
const ENDED: CallRecord = { ...CALL, state: 'ended', endedAt: 2, endReason: 'bot_ended' };

afterEach(() => jest.useRealTimers());

interface OutcomesOptions {
  readonly owner?: string;
  readonly isAlive?: boolean;
  readonly own?: CallRecord;
  /** What the directory says, one after the other. */
  readonly settled?: boolean[];
}

function outcomesOf(
  records: Array<CallRecord | undefined | Error>,
  { owner, isAlive = true, own, settled = [] }: OutcomesOptions = {},
) {
  const next = () => (records.length > 1 ? records.shift() : records[0]);
  return new SharedOutcomes({
    registry: { get: () => own, settledOf: async () => {} },
    directory: {
      record: async () => {
        const record = next();
        if (record instanceof Error) throw record;
        return record;
      },
      ownerOf: async () => owner,
      isSettled: async () => (settled.length > 1 ? settled.shift() : settled[0]) ?? false,
    },
    members: { isAlive: () => isAlive },
  });
}

/** Lets as many looks pass as there are. */
async function waited<T>(promise: Promise<T>): Promise<T> {
  jest.useFakeTimers({ doNotFake: ['performance', 'setImmediate', 'nextTick', 'queueMicrotask'] });
  const result = promise;
  for (let look = 0; look < 6; look += 1) await jest.advanceTimersByTimeAsync(1_000);
  return result;
}

test('tells how a call has ended that another runner has', async () => {
  expect(await waited(outcomesOf([LIVE, LIVE, ENDED]).ended('out_1', new AbortController().signal))).toEqual(ENDED);
});

test('goes on looking while Redis is away', async () => {
  const records = [LIVE, new Error('away'), new Error('away'), ENDED];
  expect(await waited(outcomesOf(records).ended('out_1', new AbortController().signal))).toEqual(ENDED);
});

test('a call that the directory has forgotten has ended with an error of the telephony', async () => {
  const ended = await waited(outcomesOf([LIVE, undefined]).ended('out_1', new AbortController().signal));
  expect(ended).toMatchObject({ state: 'ended', endReason: 'telephony_error' });
});

test('gives up when it is told to', async () => {
  const over = new AbortController();
  const asked = outcomesOf([LIVE]).ended('out_1', over.signal);
  over.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
});

test.each([
  ['is known while its runner is there', true, true],
  ['is not when that has died before anything was heard of the call', false, false],
])('a call that a runner is dialling %s', async (_, isAlive, isKnown) => {
  const dialling: CallRecord = { ...CALL, state: 'dialling' };
  const found = await outcomesOf([dialling], { owner: 'runner', isAlive }).find('out_1');
  expect(found !== undefined).toBe(isKnown);
});

test('a call of this runner needs no directory', async () => {
  const outcomes = outcomesOf([new Error('away')], { own: ENDED });
  expect(await outcomes.find('out_1')).toEqual(ENDED);
  expect(await outcomes.ended('out_1', new AbortController().signal)).toEqual(ENDED);
});

describe('what a call of another runner has cost', () => {
  const cost = { currency: 'EUR', amount: '0.01', isComplete: true, parts: [] };
  const PRICED: CallRecord = { ...ENDED, cost };
  const WHOLE: CallRecord = { ...PRICED, cost: { ...cost, amount: '0.03' } };
  const { signal } = new AbortController();

  /** In the time that is waited at most. */
  async function inTime<T>(asked: () => Promise<T>): Promise<T> {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const costs = asked();
    for (let second = 0; second < 60; second += 1) await jest.advanceTimersByTimeAsync(1_000);
    return await costs;
  }

  test('is told when all of it is known, with that of the calls that were dialled beside it', async () => {
    const away = new Error('away');
    const records = [PRICED, away, LIVE, PRICED, WHOLE];
    const outcomes = outcomesOf(records, { settled: [false, false, false, false, true] });
    const consulted = [asCallId('out_2')];
    expect(await inTime(() => outcomes.costs({ ...PRICED, consulted }, signal))).toEqual([WHOLE.cost, WHOLE.cost]);
  });

  test('is not waited for where calls are not priced', async () => {
    expect(await outcomesOf([ENDED]).costs(ENDED, signal)).toEqual([undefined]);
  });

  test.each([
    [
      'the rest of it never comes',
      PRICED,
      [
        { ...cost, isComplete: false },
        { ...cost, isComplete: false },
      ],
    ],
    ['its runner has died, and the call ends nowhere', LIVE, [{ ...cost, isComplete: false }, undefined]],
    ['the directory has forgotten it', undefined, [{ ...cost, isComplete: false }, undefined]],
    ['Redis does not come back', new Error('away'), [{ ...cost, isComplete: false }, undefined]],
  ])('is incomplete where %s', async (_why, record, costs) => {
    const consulted = [asCallId('out_2')];
    const asked = () => outcomesOf([record]).costs({ ...PRICED, consulted }, signal);
    expect(await inTime(asked)).toEqual(costs);
    expect(costOfRow(costs)).toEqual({ currency: 'EUR', amount: expect.any(String), isComplete: false });
  });

  test('is that of its own registry where the call is here', async () => {
    expect(await outcomesOf([PRICED], { own: WHOLE }).costs(PRICED, signal)).toEqual([WHOLE.cost]);
  });

  test('is not waited for when the runner stops', async () => {
    const over = new AbortController();
    const asked = outcomesOf([PRICED]).costs(PRICED, over.signal);
    over.abort(new Error('stops'));
    await expect(asked).rejects.toThrow('stops');
  });
});
