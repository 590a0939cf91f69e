import { asCallId } from '../../../src/call/call-id.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { ServiceUsage } from '../../../src/call/usage.js';
import { legsOf } from '../../../src/runner/costs/paid-legs.js';
import { costOfCall, isPriced, mostOfCall, type PaidLeg, paidSeconds } from '../../../src/runner/costs/price-usage.js';
import { parsePrices } from '../../../src/runner/costs/prices.js';

const pricesOf = (...items: object[]) => parsePrices({ currency: 'USD', items }, 'prices.json');
const carrier = { provider: 'twilio', service: 'carrier', unit: 'minute', rounding: 60 };
const leg = (number: string, seconds: number, more: Partial<PaidLeg> = {}): PaidLeg => ({
  service: 'carrier',
  provider: 'twilio',
  direction: 'outbound',
  number,
  seconds,
  ...more,
});
const llm = (units: ServiceUsage['units'], model = 'gpt-5-mini'): ServiceUsage => ({
  does: 'language_model',
  provider: 'OpenAI',
  model,
  units,
});

test.each([
  [{ rounding: 60 }, 0, 0],
  [{ rounding: 60 }, 0.5, 60],
  [{ rounding: 60 }, 60, 60],
  [{ rounding: 60 }, 60.0004, 60],
  [{ rounding: 60 }, 60.001, 120],
  [{ rounding: 6 }, 61, 66],
  [{ rounding: 1 }, 61.2, 62],
  [{ rounding: 6, minimum: 30 }, 7, 30],
  [{}, 61.2, 61.2],
])('with %j %d s are paid as %d s', (item, seconds, paid) => {
  expect(paidSeconds(item, seconds)).toBe(paid);
});

test('the longest prefix counts, then the direction', () => {
  const prices = pricesOf(
    { ...carrier, direction: 'outbound', amount: '0.01' },
    { ...carrier, direction: 'outbound', prefix: '+49', amount: '0.02' },
    { ...carrier, direction: 'outbound', prefix: '+4915', amount: '0.05' },
    { ...carrier, direction: 'transfer', prefix: '+49', amount: '0.03' },
    { ...carrier, direction: 'inbound', amount: '0.004' },
  );
  const amountOf = (of: PaidLeg) => costOfCall(prices, [of], []).amount;
  expect(amountOf(leg('+12025550101', 61))).toBe('0.02');
  expect(amountOf(leg('+493012345', 30))).toBe('0.02');
  expect(amountOf(leg('+4915112345', 30))).toBe('0.05');
  expect(amountOf(leg('+493012345', 30, { direction: 'transfer' }))).toBe('0.03');
  expect(amountOf(leg('+12025550101', 30, { direction: 'transfer' }))).toBe('0.01');
  expect(amountOf(leg('+12025550101', 30, { direction: 'inbound' }))).toBe('0.004');
});

test('what has no price is a part without an amount, and the cost is not complete', () => {
  const cost = costOfCall(pricesOf({ ...carrier, prefix: '+1', amount: '0.01' }), [leg('+33123456789', 5)], []);
  expect(cost).toEqual({
    currency: 'USD',
    amount: '0',
    isComplete: false,
    parts: [
      { service: 'carrier', provider: 'twilio', direction: 'outbound', to: '+33123456789', units: 5, unit: 'second' },
    ],
  });
});

test('each leg is rounded for itself', () => {
  const prices = pricesOf({ ...carrier, amount: '0.01' });
  const cost = costOfCall(prices, [leg('+1', 61), leg('+2', 1, { direction: 'transfer' })], []);
  expect(cost.amount).toBe('0.03');
});

test('tokens by model and kind; cached ones count as others where they have no price', () => {
  const of = { provider: 'openai', service: 'language_model', per: 1_000_000 };
  const prices = pricesOf(
    { ...of, model: 'gpt-5*', unit: 'input_token', amount: '2' },
    { ...of, model: 'gpt-5-mini', unit: 'input_token', amount: '0.25' },
    { ...of, model: 'gpt-5-mini', unit: 'cached_input_token', amount: '0.025' },
    { ...of, unit: 'output_token', amount: '10' },
  );
  const used = { input_token: 1_000, cached_input_token: 1_000, output_token: 100 };
  expect(costOfCall(prices, [], [llm(used)])).toMatchObject({ amount: '0.001275', isComplete: true });
  expect(costOfCall(prices, [], [llm(used, 'gpt-5')])).toMatchObject({ amount: '0.005', isComplete: true });
  expect(costOfCall(prices, [], [llm(used, 'o9')])).toMatchObject({ amount: '0.001', isComplete: false });
  expect(costOfCall(prices, [], [llm({ ...used, cache_write_token: 5 })]).isComplete).toBe(false);
});

test('a voice is paid by its characters or by its sound, whichever has a price', () => {
  const usage: ServiceUsage = { does: 'text_to_speech', provider: 'Cartesia', units: { character: 500, second: 30 } };
  const of = { provider: 'cartesia', service: 'text_to_speech' };
  const costBy = (...items: object[]) => costOfCall(pricesOf(...items), [], [usage]);
  expect(costBy({ ...of, unit: 'character', per: 1_000, amount: '0.05' })).toMatchObject({
    amount: '0.025',
    isComplete: true,
    parts: [{ unit: 'character', units: 500 }],
  });
  expect(costBy({ ...of, unit: 'minute', amount: '0.1' })).toMatchObject({ amount: '0.05', isComplete: true });
  expect(costBy()).toMatchObject({ isComplete: false, parts: [{ unit: 'character' }] });
});

test('a part without a price has one as soon as the file has it, also under another unit', () => {
  const bare = pricesOf();
  const partsOf = (legs: PaidLeg[], used: ServiceUsage[]) => costOfCall(bare, legs, used).parts;
  const voice = { does: 'text_to_speech', provider: 'Cartesia', units: { character: 500, second: 30 } } as const;
  const transfer = leg('+4915112345', 30, { direction: 'transfer' });
  const parts = partsOf([transfer], [llm({ cached_input_token: 9 }), voice]);
  expect(parts.map((part) => isPriced(bare, part))).toEqual([false, false, false]);
  const prices = pricesOf(
    { ...carrier, direction: 'transfer', prefix: '+4915', amount: '0.05' },
    { provider: 'openai', service: 'language_model', unit: 'input_token', amount: '0.000002' },
    { provider: 'cartesia', service: 'text_to_speech', unit: 'minute', amount: '0.1' },
  );
  expect(parts.map((part) => isPriced(prices, part))).toEqual([true, true, true]);
  const others = partsOf([leg('+33123456789', 30, { direction: 'transfer' })], [llm({ output_token: 9 })]);
  expect(others.map((part) => isPriced(prices, part))).toEqual([false, false]);
});

test('the most that a call may cost counts every minute that it may begin, and its stream', () => {
  const prices = pricesOf(
    { ...carrier, direction: 'outbound', prefix: '+1', amount: '0.01' },
    { ...carrier, service: 'media_stream', amount: '0.004' },
  );
  const of = { provider: 'twilio', seconds: 601 };
  expect(mostOfCall(prices, { ...of, number: '+12025550101' })).toBe(154_000);
  expect(mostOfCall(prices, { ...of, number: '+4930' })).toBeUndefined();
});

describe('what is paid by the minute', () => {
  const [at, provider] = [1_000_000, 'twilio'];
  const record = (more: Partial<CallRecord>): CallRecord => ({
    id: asCallId('call-1'),
    direction: 'outbound',
    to: '+4930',
    state: 'ended',
    attempt: 1,
    startedAt: at,
    ...more,
  });
  const answered = { answeredAt: at + 5_000, connectedAt: at + 6_000, endedAt: at + 66_000 };

  test('a call that was not answered has nothing, and neither has one that stayed on this machine', () => {
    expect(legsOf(record({ endedAt: at + 9_000 }), [], { provider, media: 'stream' })).toEqual([]);
    expect(legsOf(record({ ...answered, isLocal: true }), [], { provider, media: 'stream' })).toEqual([]);
  });

  test('a transfer is a leg of its own, and the stream ends with it', () => {
    const legs = legsOf(record(answered), [{ to: '+331', at: at + 36_000 }], { provider, media: 'stream' });
    expect(legs).toEqual([
      { service: 'carrier', provider, direction: 'outbound', number: '+4930', seconds: 61 },
      { service: 'media_stream', provider, direction: 'outbound', number: '+4930', seconds: 30 },
      { service: 'carrier', provider, direction: 'transfer', number: '+331', seconds: 30 },
    ]);
  });

  test('in a room both participants count', () => {
    const legs = legsOf(record(answered), [], { provider: 'daily', media: 'room' });
    expect(legs).toMatchObject([
      { service: 'carrier', seconds: 61 },
      { service: 'room', seconds: 60, count: 2 },
    ]);
  });
});
