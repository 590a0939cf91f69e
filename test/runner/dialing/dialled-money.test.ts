import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { amountText } from '../../../src/base/money.js';
import { asCallId, type CallId } from '../../../src/call/call-id.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import { newCallId } from '../../../src/runner/calls/life/call-registry.js';
import { MostOfCall } from '../../../src/runner/costs/most-of-call.js';
import { parsePrices } from '../../../src/runner/costs/prices.js';
import { DialLimits } from '../../../src/runner/dialing/dial-limits.js';
import { DialledMinutes } from '../../../src/runner/dialing/dialled-minutes.js';
import { DialledMoney } from '../../../src/runner/dialing/dialled-money.js';

let home: string;
let clock: Date;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-money-'));
  clock = new Date(2026, 0, 31, 12, 0, 0);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const ANY = { perMinute: 10_000, atOnce: 10_000, secondsPerNumber: 0 };
const NUMBER = '+12025550101';
const prices = parsePrices(
  {
    currency: 'USD',
    items: [
      {
        provider: 'twilio',
        service: 'carrier',
        direction: 'outbound',
        prefix: '+1',
        unit: 'minute',
        amount: '0.01',
        rounding: 60,
      },
    ],
  },
  'prices.json',
);
const mostOf = (maxSeconds = 600) =>
  new MostOfCall({
    prices,
    provider: 'twilio',
    stateDirectory: home,
    botFile: '/bot.ts',
    maxSeconds,
    now: () => clock,
  });
const money = (perDay: number, most: Pick<MostOfCall, 'carried' | 'ofServices' | 'see'> = mostOf()) =>
  new DialledMoney({ directory: join(home, 'dialled-money'), currency: 'USD', perDay, most, now: () => clock });
const ended = (id: CallId, micros: number, minutes = 1, services = 0): CallRecord => ({
  id,
  direction: 'outbound',
  to: NUMBER,
  state: 'ended',
  attempt: 1,
  startedAt: 0,
  answeredAt: 1_000,
  endedAt: 1_000 + minutes * 60_000,
  cost: {
    currency: 'USD',
    amount: amountText(micros),
    isComplete: true,
    parts: [
      { service: 'language_model', provider: 'openai', units: 1, unit: 'input_token', amount: amountText(services) },
    ],
  },
});
const refusal = { code: 'VB_DIAL_LIMIT' };

test('a call keeps the most that it may cost, and gives back what it has not', async () => {
  const limits = new DialLimits({ ...ANY, money: money(250_000) });
  const [first, second, third] = [newCallId(), newCallId(), newCallId()];
  await limits.admit(NUMBER, first);
  await limits.admit(NUMBER, second);
  await expect(limits.admit(NUMBER, third)).rejects.toMatchObject({
    ...refusal,
    message: expect.stringContaining('$0.20 of the $0.25 that dialled calls may cost today'),
    retryAfterS: 15,
  });
  limits.settled(ended(first, 10_000));
  await limits.admit(NUMBER, third);
  limits.settled(ended(second, 160_000));
  await expect(limits.admit(NUMBER, newCallId())).rejects.toMatchObject({ ...refusal, retryAfterS: 12 * 3_600 });
});

test('where the ended call has cost more than was kept, that counts', async () => {
  const limits = new DialLimits({ ...ANY, money: money(300_000) });
  const first = newCallId();
  await limits.admit(NUMBER, first);
  limits.settled(ended(first, 250_000));
  await expect(limits.admit(NUMBER, newCallId())).rejects.toMatchObject(refusal);
});

test('a call that was never placed costs nothing, and one of which the end is not known keeps the whole', async () => {
  const limits = new DialLimits({ ...ANY, money: money(100_000) });
  (await limits.admit(NUMBER, newCallId())).undo();
  (await limits.admit(NUMBER, newCallId())).release(60_000); // its cost is told later
  await expect(limits.admit(NUMBER, newCallId())).rejects.toMatchObject(refusal);
});

test('a number without a price is not called, and others may be', async () => {
  const limits = new DialLimits({ ...ANY, money: money(1_000_000) });
  await expect(limits.admit('+493012345678', newCallId())).rejects.toMatchObject({
    ...refusal,
    message: expect.stringContaining('no price for a call to this number'),
    isOfNumber: true,
    retryAfterS: undefined,
  });
  await limits.admit(NUMBER, newCallId());
});

test('a number whose minutes alone are dearer than a day may be is not called on any day', async () => {
  const limits = new DialLimits({ ...ANY, money: money(90_000) });
  await expect(limits.admit(NUMBER, newCallId())).rejects.toMatchObject({
    ...refusal,
    message: expect.stringContaining('may cost $0.10, and all dialled calls $0.09 a day'),
    isOfNumber: true,
    retryAfterS: undefined,
  });
});

test('a refusal for want of minutes keeps no money', async () => {
  const minutes = new DialledMinutes({ directory: join(home, 'dialled'), perDay: 15, perCall: 15 });
  const limits = new DialLimits({ ...ANY, minutes, money: money(200_000) });
  const first = await limits.admit(NUMBER, newCallId());
  for (let tries = 0; tries < 5; tries += 1) await expect(limits.admit(NUMBER, newCallId())).rejects.toThrow('minutes');
  first.undo();
  await limits.admit(NUMBER, newCallId());
});

test('a runner that is killed and started again goes on counting, and so does one beside it', async () => {
  const killed = new DialLimits({ ...ANY, money: money(250_000) });
  await killed.admit(NUMBER, newCallId());
  const settled = newCallId();
  await killed.admit(NUMBER, settled);
  killed.settled(ended(settled, 30_000));
  appendFileSync(join(home, 'dialled-money', '2026-01-31.jsonl'), '{"id":"cut off","mic');
  const next = new DialLimits({ ...ANY, money: money(250_000) });
  const beside = new DialLimits({ ...ANY, money: money(250_000) });
  await next.admit(NUMBER, newCallId()); // 100,000 kept, 30,000 spent
  await expect(beside.admit(NUMBER, newCallId())).rejects.toThrow('$0.23 of the $0.25');
  clock = new Date(2026, 1, 1, 0, 0, 1);
  await beside.admit(NUMBER, newCallId());
});

test('what cannot be written down is not dialled', async () => {
  appendFileSync(join(home, 'dialled-money'), 'a file in the place of the folder');
  const limits = new DialLimits({ ...ANY, money: money(1_000_000) });
  await expect(limits.admit(NUMBER, newCallId())).rejects.toMatchObject({
    ...refusal,
    message: expect.stringContaining('cannot be written down'),
  });
});

test('the services of the bot count with what they cost in a minute on average today, also after a restart', () => {
  const most = mostOf(600);
  expect([most.carried(NUMBER), most.ofServices]).toEqual([100_000, 0]);
  most.see(ended(asCallId('a'), 40_000, 2, 20_000));
  expect(most.ofServices).toBe(100_000);
  most.see(ended(asCallId('b'), 5_000, 1, 4_000));
  expect([most, mostOf(600)].map((one) => one.ofServices)).toEqual([80_000, 80_000]);
  clock = new Date(2026, 1, 1, 9, 0, 0);
  expect(mostOf(600).ofServices).toBe(80_000);
  most.see(ended(asCallId('c'), 2_000, 1, 2_000));
  expect([most, mostOf(600)].map((one) => one.ofServices)).toEqual([20_000, 20_000]);
});

test('one dear call keeps nothing from being dialled on the next day, and one that is not dear makes up for it', async () => {
  const limits = new DialLimits({ ...ANY, money: money(500_000) });
  const dear = newCallId();
  await limits.admit(NUMBER, dear);
  limits.settled(ended(dear, 100_000, 1, 90_000)); // ten such minutes are 1,000,000 with the carrier's
  await expect(limits.admit(NUMBER, newCallId())).rejects.toMatchObject({ ...refusal, retryAfterS: 12 * 3_600 });
  clock = new Date(2026, 1, 1, 0, 0, 1);
  const next = new DialLimits({ ...ANY, money: money(500_000) });
  const first = newCallId();
  await next.admit(NUMBER, first);
  await expect(next.admit(NUMBER, newCallId())).rejects.toMatchObject({ ...refusal, retryAfterS: 15 });
  next.settled(ended(first, 12_000, 1, 2_000));
  for (let calls = 0; calls < 4; calls += 1) await next.admit(NUMBER, newCallId()); // 120,000 are kept for each
});

test.each([
  '',
  '[7000]',
  '{"day":"2026-01-31","micros":-1,"minutes":1}',
  '{"day":"2026-01-31","micros":1,"minutes":0}',
])('a file of measured costs that holds %j says nothing', (damaged) => {
  mostOf().see(ended(asCallId('a'), 0, 1, 7_000));
  expect(mostOf(60).ofServices).toBe(7_000);
  const [name = ''] = readdirSync(join(home, 'measured-costs'));
  writeFileSync(join(home, 'measured-costs', name), damaged);
  expect(mostOf(60).ofServices).toBe(0);
});

type Step = { readonly do: 'admit' | 'settle' | 'undo' | 'crash'; readonly at: number; readonly micros: number };
const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('admit', 'admit', 'settle', 'undo', 'crash'),
  at: fc.nat(20),
  micros: fc.integer({ min: 0, max: 120_000 }),
});

test('whatever happens, what is spent and kept is never above the limit when a call is admitted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      rmSync(join(home, 'dialled-money'), { recursive: true, force: true });
      const PER_DAY = 500_000;
      const fixed = { carried: () => 100_000, ofServices: 0, see: () => {} };
      let limits = new DialLimits({ ...ANY, money: money(PER_DAY, fixed) });
      const held = new Map<CallId, number>();
      let live: Array<{ id: CallId; undo: () => void }> = [];
      const total = () => [...held.values()].reduce((sum, one) => sum + one, 0);
      for (const { do: what, at, micros } of steps) {
        const one = live[at % Math.max(1, live.length)];
        if (what === 'admit') {
          const id = newCallId();
          const fits = total() + 100_000 <= PER_DAY;
          const slot = await limits.admit(NUMBER, id).catch(() => undefined);
          expect(slot !== undefined).toBe(fits);
          if (slot) {
            held.set(id, 100_000);
            live.push({ id, undo: slot.undo });
          }
        } else if (what === 'settle' && one) {
          limits.settled(ended(one.id, micros));
          held.set(one.id, micros);
          live = live.filter((other) => other !== one);
        } else if (what === 'undo' && one) {
          one.undo();
          held.set(one.id, 0);
          live = live.filter((other) => other !== one);
        } else if (what === 'crash') {
          limits = new DialLimits({ ...ANY, money: money(PER_DAY, fixed) });
          live = []; // what they had kept stays
        }
      }
    }),
    { numRuns: 60 },
  );
});
