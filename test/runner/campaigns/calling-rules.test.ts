import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../src/base/logger.js';
import { Campaigns } from '../../../src/runner/campaigns/campaigns.js';
import { LocalQueue } from '../../../src/runner/campaigns/local-queue.js';
import { CalleeHours } from '../../../src/runner/dialing/callee-hours.js';
import type { CallingRule } from '../../../src/runner/dialing/calling-rules.js';
import { until } from '../../e2e/processes.js';
import { hurried } from '../../hasty-clock.js';
import { FakePhones } from './fake-phones.js';
import { campaignOf, numberOf } from './runner-of-campaigns.js';

hurried();

const [SERVES, HOUR_MS] = ['bot.ts', 3_600_000];
/** A Sunday, at three in the afternoon in Washington. */
const SUNDAY = Date.parse('2026-11-29T20:00:00Z');
const MONDAY_AT_NINE = Date.parse('2026-11-30T14:00:00Z');

const times = { hours: [{ days: [1, 2, 3, 4, 5], from: 540, to: 1_080 }] };
const rule: CallingRule = { country: 'US', appliesTo: 'calls', times, publicHolidays: 'allowed' };

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-rules-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** The campaigns of a runner whose clock is the test's. */
class Hours implements AsyncDisposable {
  readonly phones = new FakePhones();
  readonly campaigns: Campaigns;
  now = SUNDAY;

  constructor() {
    const queue = new LocalQueue({ stateDirectory: directory, serves: SERVES, runner: 'one', now: () => this.now });
    const hours = new CalleeHours({ rules: [rule], switchedOff: [] });
    let calls = 0;
    const call = { dial: this.phones.dial, outcomes: this.phones, newCallId: () => `out_${++calls}` };
    this.campaigns = new Campaigns({ queue, hours, ...call, newsWithinMs: 1_000, logger: silentLogger });
  }

  async begin(change = {}, rows = 1): Promise<string> {
    await this.campaigns.start();
    const { id } = await this.campaigns.create(campaignOf(rows, { serves: SERVES, createdAt: this.now, ...change }));
    return id;
  }

  /** Until the first row is known to be called then. */
  async waits(id: string, until_: number): Promise<void> {
    await until(
      () => this.campaigns.progress(id)?.waitingUntil === until_,
      `it waits until ${new Date(until_).toISOString()}`,
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.campaigns.close();
  }
}

test('a row waits for the hours of its country, and is called when they have come', async () => {
  await using hours = new Hours();
  const id = await hours.begin();
  await hours.waits(id, MONDAY_AT_NINE);
  expect(hours.campaigns.progress(id)).toMatchObject({ waiting: 1, waitingFor: 'calling hours of US' });
  expect(hours.phones.dialled.all).toEqual([]);
  hours.now = MONDAY_AT_NINE;
  await until(() => hours.campaigns.progress(id)?.condition === 'done', 'it is called');
  expect(hours.campaigns.progress(id)).not.toHaveProperty('waitingFor');
});

test('the hours of the campaign have to hold as well', async () => {
  await using hours = new Hours();
  const id = await hours.begin({ hours: { from: 600, to: 1_200 } });
  await hours.waits(id, MONDAY_AT_NINE + HOUR_MS);
  hours.now = MONDAY_AT_NINE + HOUR_MS / 2;
  await until(
    () => hours.campaigns.progress(id)?.waitingFor === 'calling hours',
    'only those of the campaign are missing',
  );
  expect(hours.phones.dialled.all).toEqual([]);
});

test('the zone of the row goes with the call', async () => {
  await using hours = new Hours();
  hours.now = MONDAY_AT_NINE - HOUR_MS;
  const timeZone = 'America/Halifax';
  const id = await hours.begin({ contacts: [{ phoneNumber: numberOf(1), timeZone, body: {} }] });
  await until(() => hours.campaigns.progress(id)?.condition === 'done', 'it is called');
  expect(hours.phones.dialled.all).toMatchObject([{ phoneNumber: numberOf(1), timeZone }]);
});

test('a row that waits by a clock that was a year ahead is called when the clock is put right', async () => {
  await using hours = new Hours();
  const yearMs = 365 * 24 * HOUR_MS;
  const [first, second] = [1, 2].map((row) => ({ phoneNumber: numberOf(row), body: {} }));
  hours.now = MONDAY_AT_NINE + yearMs; // a Tuesday
  const done = await hours.begin({ contacts: [first] });
  await until(() => hours.campaigns.progress(done)?.condition === 'done', 'one is called by the wrong clock');
  hours.now += 12 * HOUR_MS;
  const id = await hours.begin({ contacts: [second], createdAt: SUNDAY });
  await hours.waits(id, Date.parse('2027-12-01T14:00:00Z'));
  hours.now = SUNDAY;
  await hours.waits(id, MONDAY_AT_NINE);
  hours.now = MONDAY_AT_NINE + HOUR_MS;
  await until(() => hours.campaigns.progress(id)?.condition === 'done', 'it is called');
});

test('a campaign that has dialled by a clock that was ahead goes on when it is put right', async () => {
  await using hours = new Hours();
  hours.now = MONDAY_AT_NINE + 24 * HOUR_MS;
  const id = await hours.begin({ perMinute: 60 }, 2);
  await until(() => hours.campaigns.progress(id)?.done === 1, 'the first is called');
  hours.now = MONDAY_AT_NINE + HOUR_MS;
  await until(() => hours.campaigns.progress(id)?.condition === 'done', 'the second is called');
});
