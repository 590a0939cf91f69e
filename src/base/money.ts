/** Decimal places of the finest price: a token may cost a few ten-millionths. */
const PRICE_PLACES = 12;
/** Decimal places of an amount that is shown and summed. */
const AMOUNT_PLACES = 6;
/** Units of use are counted in thousandths: of a second, of a token. */
const UNIT_PARTS = 1_000;

/** Whole millionths of the currency's unit: sums of them do not drift. Safe integers, so up to nine thousand million units. */
export type Micros = number;

/** A price in 10^-12 of the currency's unit. */
export type Picos = bigint;

/**
 * A price as a person has written it.
 * @param written such as `"0.0085"`, `0.0085` or `4e-7`
 * @returns undefined for what is no decimal number from 0 up to a million with at most 12 decimal places
 */
export function picosOf(written: string | number): Picos | undefined {
  const [, whole, fraction = '', exponent = '0'] =
    /^(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(String(written)) ?? [];
  if (whole === undefined) return undefined;
  const shift = PRICE_PLACES + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  const divisor = 10n ** BigInt(Math.max(0, -shift));
  if (digits % divisor !== 0n) return undefined;
  const picos = (digits * 10n ** BigInt(Math.max(0, shift))) / divisor;
  return picos <= 10n ** BigInt(PRICE_PLACES + 6) ? picos : undefined;
}

/**
 * What so many units cost, to the nearest millionth, halves up: rounded once.
 * @param units 0 or more; to the nearest thousandth
 * @param per for how many units the price is
 */
export function costOf(price: Picos, units: number, per: number): Micros {
  const parts = BigInt(Math.round(units * UNIT_PARTS));
  const divisor = BigInt(per) * BigInt(UNIT_PARTS) * 10n ** BigInt(PRICE_PLACES - AMOUNT_PLACES);
  return Number((price * parts * 2n + divisor) / (divisor * 2n));
}

/** As JSON has it: `0.0135`, without zeros at the end. */
export function amountText(micros: Micros): string {
  const digits = String(Math.abs(micros)).padStart(AMOUNT_PLACES + 1, '0');
  const fraction = digits.slice(-AMOUNT_PLACES).replace(/0+$/, '');
  return `${micros < 0 ? '-' : ''}${digits.slice(0, -AMOUNT_PLACES)}${fraction && `.${fraction}`}`;
}

/** What {@link amountText} has written; undefined for anything else. */
export function microsOf(text: string): Micros | undefined {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : Number(whole + fraction.padEnd(AMOUNT_PLACES, '0'));
}

/**
 * For people, in English: `€0.0135`.
 * @param currency ISO 4217
 * @param amount as {@link amountText} writes it
 */
export function moneyText(currency: string, amount: string): string {
  const isTiny = Number(amount) > 0 && Number(amount) < 0.000_1;
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: isTiny ? AMOUNT_PLACES : 4,
  }).format(Number(amount));
}
