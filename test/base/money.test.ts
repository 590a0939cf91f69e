import fc from 'fast-check';
import { amountText, costOf, microsOf, moneyText, type Picos, picosOf } from '../../src/base/money.js';

const price = (text: string | number) => picosOf(text) as Picos;

test.each([
  ['0.0085', 8_500_000_000n],
  [0.0085, 8_500_000_000n],
  ['1', 1_000_000_000_000n],
  [4e-7, 400_000n],
  ['1000000', 10n ** 18n],
  ['0.10', 100_000_000_000n],
  [0, 0n],
])('%s is a price', (written, picos) => {
  expect(picosOf(written)).toBe(picos);
});

test.each(['', '-1', '1,5', '.5', '1e', 'NaN', '0x10', '1000000.1', '0.0000000000001', ' 1', '1e99', '∞'])(
  '%j is no price',
  (written) => {
    expect(picosOf(written)).toBeUndefined();
  },
);

test('a part is rounded once, to the nearest millionth', () => {
  expect(costOf(price('0.40'), 1_234, 1_000_000)).toBe(494); // 493.6
  expect(costOf(price('0.0000005'), 1, 1)).toBe(1);
  expect(costOf(price('0.00000049'), 1, 1)).toBe(0);
  expect(costOf(price('0.014'), 61.5, 60)).toBe(14_350);
});

test('an amount is written as it is, and read back', () => {
  for (const micros of [0, 1, 10, 999_999, 1_000_000, 1_500_000, 123_456_789]) {
    expect(microsOf(amountText(micros))).toBe(micros);
  }
  expect(amountText(13_500)).toBe('0.0135');
  expect(amountText(2_000_000)).toBe('2');
  for (const text of ['', '-1', '1.0000001', '1e3', '0x1', '12345678901']) expect(microsOf(text)).toBeUndefined();
});

test('sums of any parts do not drift, and each part is within half a millionth', () => {
  const parts = fc.array(fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 13n }), fc.integer({ min: 0, max: 10_000_000 })));
  fc.assert(
    fc.property(parts, (all) => {
      const amounts = all.map(([picos, units]) => costOf(picos, units, 1_000));
      const sum = amounts.reduce((one, other) => one + other, 0);
      expect(sum).toBe(amounts.toReversed().reduce((one, other) => one + other, 0));
      for (const [index, [picos, units]] of all.entries()) {
        const error = BigInt(amounts[index] as number) * 1_000_000n * 1_000n - picos * BigInt(units);
        expect(error <= 500_000_000n && error >= -500_000_000n).toBe(true);
      }
    }),
  );
});

test('money is shown in its currency, and what is tiny is not shown as nothing', () => {
  expect(moneyText('USD', '0.0135')).toBe('$0.0135');
  expect(moneyText('EUR', '12.5')).toBe('€12.50');
  expect(moneyText('USD', '0.000042')).toBe('$0.000042');
  expect(moneyText('USD', '0')).toBe('$0.00');
});
