import { silentLogger } from '../../../src/base/logger.js';
import { AttemptRunner, type AttemptRunnerOptions } from '../../../src/runner/campaigns/attempt-runner.js';
import type { CampaignQueue } from '../../../src/runner/campaigns/campaign-queue.js';
import type { CalleeHours } from '../../../src/runner/dialing/callee-hours.js';

const ATTEMPT = { campaign: 'c1', row: 1, attempt: 1 };
const CLOSES_AT = 1_000;

/** A campaign of one row that has to wait for its place, and the clock that goes on meanwhile. @param waits by how much, each time */
async function placed(waits: readonly number[]): Promise<string[]> {
  const done: string[] = [];
  let now = 0;
  const left = [...waits];
  const state = {
    campaign: { id: 'c1', contacts: [{ phoneNumber: '+493012345678', body: {} }], hours: { from: 9, to: 18 } },
    row: () => ({ is: 'waiting', attempt: 1 }),
    outcomesOf: () => [],
  };
  const queue = {
    states: new Map([['c1', state]]),
    now: () => now,
    begin: async () => {
      const wait = left.shift();
      done.push(wait === undefined ? 'begins' : 'waits');
      if (wait === undefined) return { is: 'begun' };
      now += wait;
      return { is: 'wait', ms: 1 };
    },
    write: async () => {},
  } as unknown as CampaignQueue;
  const hours = { next: (_callee: unknown, at: number) => (at < CLOSES_AT ? at : undefined) } as unknown as CalleeHours;
  const dial = async () => void done.push('dials');
  const options = { queue, hours, dial, newCallId: () => 'out_1', newsWithinMs: 1, logger: silentLogger };
  const ended = () => Promise.reject(new Error('how it ends is nothing here'));
  const outcomes = { ended } as unknown as AttemptRunnerOptions['outcomes'];
  await new AttemptRunner({ ...options, outcomes }).handle(ATTEMPT);
  return done;
}

test('a row that waits for its place is dialled when it has one', async () => {
  expect(await placed([400, 400])).toEqual(['waits', 'waits', 'begins', 'dials']);
});

test('and not when the hours in which it may be called are over by then', async () => {
  expect(await placed([400, 600])).toEqual(['waits', 'waits']);
});
