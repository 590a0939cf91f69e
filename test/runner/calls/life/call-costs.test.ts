import { asCallId } from '../../../../src/call/call-id.js';
import type { CallRecord } from '../../../../src/call/call-record.js';
import type { BotEntry } from '../../../../src/call/timeline.js';
import { CallCosts } from '../../../../src/runner/calls/life/call-costs.js';
import { CallRegistry } from '../../../../src/runner/calls/life/call-registry.js';
import type { ColdTransfers } from '../../../../src/runner/costs/paid-legs.js';
import { parsePrices } from '../../../../src/runner/costs/prices.js';

const ID = asCallId('call-1');
const prices = parsePrices(
  {
    currency: 'USD',
    items: [
      { provider: 'twilio', service: 'carrier', unit: 'minute', amount: '0.01', rounding: 60 },
      { provider: 'twilio', service: 'media_stream', unit: 'minute', amount: '0', rounding: 60 },
      { provider: 'openai', service: 'language_model', unit: 'input_token', per: 1_000, amount: '0.001' },
    ],
  },
  'prices.json',
);

let registry: CallRegistry;
let costs: CallCosts;
let settled: CallRecord[];
beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000 });
  registry = new CallRegistry();
  costs = new CallCosts(registry, prices, { provider: 'twilio', media: 'stream' });
  settled = [];
  registry.on('settled', (record) => settled.push(record));
});
afterEach(() => jest.useRealTimers());

const noted = (entry: BotEntry) =>
  registry.timelines.receive(ID, [{ at: Date.now(), source: 'bot', bot: 1, ...entry }]);
const used = (count: number, model = 'a') =>
  noted({
    type: 'usage',
    used: [{ does: 'language_model', provider: 'OpenAI', model, units: { input_token: count } }],
  });
const bot = (no: number) => registry.timelines.note(ID, { type: 'bot_assigned', bot: no });
const done = (no: number) => registry.timelines.note(ID, { type: 'bot_done', bot: no, outcome: 'returned' });
const cost = () => registry.get(ID)?.cost;
const seconds = () => cost()?.parts.map(({ service, direction, units }) => [service, direction, units]);

/** An answered call with a bot. */
async function begin(): Promise<void> {
  registry.open({ id: ID, direction: 'outbound', to: '+12025550101', state: 'dialling' });
  bot(1);
  registry.update(ID, { answeredAt: Date.now() });
  registry.update(ID, { state: 'connected' });
  await Promise.resolve();
}

test('of a call that a killed runner had before, which another one knows nothing of, the cost is incomplete', async () => {
  registry.open({ id: ID, direction: 'inbound', to: '+12025550101', state: 'starting' }, 2);
  bot(1);
  registry.update(ID, { answeredAt: Date.now() });
  registry.update(ID, { state: 'connected' });
  await Promise.resolve();
  registry.end(ID, 'caller_hung_up');
  expect(cost()).toMatchObject({ isComplete: false });
});

test('the record has the cost while the call goes on, and the end has all of it', async () => {
  await begin();
  expect(cost()).toMatchObject({ currency: 'USD', isComplete: true });
  used(1_000);
  expect(cost()).toMatchObject({ parts: expect.arrayContaining([expect.objectContaining({ units: 1_000 })]) });
  jest.advanceTimersByTime(61_000);
  registry.end(ID, 'bot_ended');
  expect(cost()).toMatchObject({ amount: '0.021', isComplete: true });
  expect(settled).toEqual([]);
});

test('what a bot tells when its call is over changes the record once more, and then it is settled', async () => {
  await begin();
  const amended: CallRecord[] = [];
  const changed: CallRecord[] = [];
  registry.on('amended', (record) => amended.push(record));
  registry.on('change', (record) => changed.push(record));
  jest.advanceTimersByTime(10_000);
  registry.end(ID, 'bot_ended');
  const waited = registry.settledOf(ID);
  used(5_000);
  expect([amended.length, changed.length]).toEqual([1, 1]);
  expect(amended[0]).toMatchObject({ state: 'ended', cost: { amount: '0.015' } });
  done(1);
  await waited;
  expect(settled).toMatchObject([{ id: ID, cost: { amount: '0.015' } }]);
  used(5_000); // too late
  expect(cost()?.amount).toBe('0.015');
});

test('the bots of a call add up, and one that was killed counts as far as it has told', async () => {
  await begin();
  used(1_000);
  registry.timelines.note(ID, { type: 'bot_done', bot: 1, outcome: 'lost' });
  bot(2);
  used(1_000);
  used(1_000, 'b');
  registry.end(ID, 'caller_hung_up');
  done(2);
  expect(cost()).toMatchObject({ amount: '0.003' });
  expect(cost()?.parts.filter(({ service }) => service === 'language_model')).toMatchObject([
    { model: 'a', units: 2_000, amount: '0.002' },
    { model: 'b', units: 1_000, amount: '0.001' },
  ]);
});

test('a bot that does not end is not waited for forever', async () => {
  await begin();
  registry.end(ID, 'caller_hung_up');
  jest.advanceTimersByTime(600_000);
  expect(settled).toHaveLength(1);
});

test('a runner that leaves settles what is over', async () => {
  await begin();
  registry.end(ID, 'runner_stopped');
  await costs.close();
  expect(settled).toHaveLength(1);
});

test('the destination of a transfer is a leg of its own, estimated where the bot could not tell its answer', async () => {
  await begin();
  jest.advanceTimersByTime(10_000);
  noted({ type: 'transfer_asked', to: '+12025550102' });
  jest.advanceTimersByTime(5_000);
  noted({ type: 'transfer_over', to: '+12025550102', status: 'answered' });
  jest.advanceTimersByTime(61_000);
  registry.end(ID, 'transferred');
  expect(cost()).toMatchObject({ amount: '0.04' });
  expect(cost()?.parts.at(-1)).toMatchObject({ direction: 'transfer', units: 61, amount: '0.02' });
});

test('without an answer of the destination, the time since it was asked for counts', async () => {
  await begin();
  noted({ type: 'transfer_asked', to: '+12025550102' });
  jest.advanceTimersByTime(30_000);
  registry.end(ID, 'transferred');
  expect(cost()?.parts.at(-1)).toMatchObject({ direction: 'transfer', units: 30, isEstimated: true });
});

describe('a warm transfer', () => {
  const COLLEAGUE = { id: asCallId('call-2'), direction: 'outbound', to: '+12025550102', linkedTo: ID } as const;
  const warm = { to: COLLEAGUE.to, isWarm: true } as const;

  /** The colleague is dialled beside the call, and answers 5 s later. */
  async function dialColleague(): Promise<void> {
    noted({ type: 'transfer_asked', ...warm });
    registry.open({ ...COLLEAGUE, state: 'dialling' });
    jest.advanceTimersByTime(5_000);
    registry.update(COLLEAGUE.id, { answeredAt: Date.now() });
    registry.update(COLLEAGUE.id, { state: 'connected' });
    await Promise.resolve();
  }

  /** They talk for two minutes. */
  function talk(): void {
    jest.advanceTimersByTime(120_000);
    registry.end(ID, 'transferred');
    registry.end(COLLEAGUE.id, 'transferred');
  }

  const colleaguesMinutes = () => registry.get(COLLEAGUE.id)?.cost;

  test('is paid once: the minutes of the colleague are those of their call, and the caller is on the stream to the end', async () => {
    await begin();
    jest.advanceTimersByTime(10_000);
    await dialColleague();
    noted({ type: 'transfer_over', ...warm, status: 'answered' });
    talk();
    expect(seconds()).toEqual([
      ['carrier', 'outbound', 135],
      ['media_stream', 'outbound', 135],
    ]);
    expect(colleaguesMinutes()).toMatchObject({ amount: '0.02' });
    expect(colleaguesMinutes()?.parts).toHaveLength(2);
  });

  test('is paid once where the bot that wanted it has died, and the next one has connected the two', async () => {
    await begin();
    await dialColleague();
    registry.timelines.note(ID, { type: 'bot_done', bot: 1, outcome: 'lost' });
    bot(2);
    talk();
    expect(seconds()).toEqual([
      ['carrier', 'outbound', 125],
      ['media_stream', 'outbound', 125],
    ]);
    expect(colleaguesMinutes()).toMatchObject({ amount: '0.02' });
  });

  test.each(['has failed', 'was asked for by a bot that has died'])(
    'is paid once after a cold one that %s',
    async (how) => {
      await begin();
      noted({ type: 'transfer_asked', to: '+12025550103' });
      jest.advanceTimersByTime(20_000);
      if (how === 'has failed') noted({ type: 'transfer_over', to: '+12025550103', status: 'busy' });
      await dialColleague();
      talk();
      expect(seconds()).toEqual([
        ['carrier', 'outbound', 145],
        ['media_stream', 'outbound', 145],
      ]);
    },
  );
});

test('a cold transfer that has failed is no leg of a call that is bridged with another one later', async () => {
  await begin();
  noted({ type: 'transfer_asked', to: '+12025550103' });
  noted({ type: 'transfer_over', to: '+12025550103', status: 'no_answer' });
  jest.advanceTimersByTime(30_000);
  registry.end(ID, 'transferred');
  expect(seconds()?.map(([service]) => service)).toEqual(['carrier', 'media_stream']);
});

test.each(['asked for', 'answered'])(
  'a call that comes from another runner while its transfer is %s keeps that leg',
  async (step) => {
    await begin();
    jest.advanceTimersByTime(10_000);
    noted({ type: 'transfer_asked', to: '+12025550102' });
    jest.advanceTimersByTime(5_000);
    if (step === 'answered') noted({ type: 'transfer_over', to: '+12025550102', status: 'answered' });
    const other = new CallRegistry();
    new CallCosts(other, prices, { provider: 'twilio', media: 'stream' });
    const moved = JSON.parse(JSON.stringify([registry.get(ID), registry.transfersOf(ID)]));
    other.adopt(...(moved as [CallRecord, ColdTransfers]));
    jest.advanceTimersByTime(60_000);
    other.end(ID, 'transferred');
    const [carrier, stream, leg] = other.get(ID)?.cost?.parts ?? [];
    const since = step === 'answered' ? 15 : 10;
    expect([carrier?.units, stream?.units]).toEqual([75, since]);
    expect(leg).toMatchObject({ service: 'carrier', direction: 'transfer', units: 75 - since });
    expect(leg?.isEstimated).toBe(step === 'answered' ? undefined : true);
  },
);

test('a call that comes from another runner goes on with what it has used there', async () => {
  await begin();
  used(1_000);
  const record = registry.get(ID) as CallRecord;
  const other = new CallRegistry();
  new CallCosts(other, prices, { provider: 'twilio', media: 'stream' });
  other.adopt(JSON.parse(JSON.stringify(record)));
  const at = { at: Date.now(), source: 'bot' } as const;
  const units = { input_token: 500 };
  const usage = { does: 'language_model', provider: 'OpenAI', model: 'a', units } as const;
  other.timelines.receive(ID, [{ ...at, type: 'usage', used: [usage] }]);
  expect(other.get(ID)?.cost?.parts.find(({ service }) => service === 'language_model')?.units).toBe(1_500);
});

test('without prices a record has no cost', () => {
  const unpriced = new CallRegistry();
  unpriced.open({ id: ID, direction: 'inbound', to: '+12025550101', state: 'ringing' });
  unpriced.end(ID, 'caller_hung_up');
  expect(unpriced.get(ID)).not.toHaveProperty('cost');
});
