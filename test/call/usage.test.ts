import { costText, partCells, sumOfCosts, unpricedIn } from '../../src/call/call-cost.js';
import { type ServiceUsage, UsageSum } from '../../src/call/usage.js';

const model = { does: 'language_model', provider: 'openai', model: 'a' } as const;

test('each service counts by its own', () => {
  const sum = new UsageSum();
  sum.add({ ...model, units: { input_token: 10, output_token: 2 } });
  sum.add({ ...model, model: 'b', units: { input_token: 1 } });
  sum.add({ ...model, units: { input_token: 5, cached_input_token: 3 } });
  sum.add({ ...model, units: { input_token: 7 }, isEstimated: true });
  expect(sum.take()).toEqual([
    { ...model, units: { input_token: 15, output_token: 2, cached_input_token: 3 } },
    { ...model, model: 'b', units: { input_token: 1 } },
    { ...model, units: { input_token: 7 }, isEstimated: true },
  ]);
  expect(sum.isEmpty).toBe(true);
});

test('what is no number of units counts for nothing', () => {
  const sum = new UsageSum();
  for (const count of [-1, Number.NaN, Number.POSITIVE_INFINITY, '5', null]) {
    sum.add({ ...model, units: { input_token: count } } as ServiceUsage);
  }
  expect(sum.isEmpty).toBe(true);
});

const cost = (amount: string, isComplete = true, currency = 'USD') => ({ currency, amount, isComplete });

test('a sum of calls says whether all of them have a price', () => {
  expect(sumOfCosts([])).toBeUndefined();
  expect(sumOfCosts([undefined])).toBeUndefined();
  expect(sumOfCosts([cost('0.1'), cost('0.2')])).toEqual({ ...cost('0.3'), calls: 2 });
  expect(sumOfCosts([cost('0.1'), cost('0.2', false)])?.isComplete).toBe(false);
  expect(sumOfCosts([cost('0.1'), undefined])).toMatchObject({ amount: '0.1', isComplete: false, calls: 1 });
  expect(sumOfCosts([cost('0.1'), cost('5', true, 'EUR')])).toMatchObject({ amount: '0.1', isComplete: false });
});

test('what has no price is named, and the amount is told as the least', () => {
  const parts = [
    { service: 'carrier', provider: 'twilio', direction: 'outbound', units: 61, unit: 'second', amount: '0.02' },
    { service: 'language_model', provider: 'openai', model: 'a', units: 9, unit: 'input_token' },
    { service: 'language_model', provider: 'openai', model: 'a', units: 9, unit: 'input_token', isEstimated: true },
  ] as const;
  expect(unpricedIn({ parts })).toEqual(['openai a (input_token)']);
  expect(parts.map((part) => partCells(part, 'USD'))).toEqual([
    ['twilio carrier outbound', '61 seconds', '$0.02'],
    ['openai a', '9 input tokens', 'no price'],
    ['openai a', 'about 9 input tokens', 'no price'],
  ]);
  expect(costText(cost('0.02', false))).toBe('at least $0.02');
});
