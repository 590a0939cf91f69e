import { z } from 'zod';
import { errorText } from '../../base/error-text.js';
import { VoicebotError } from '../../base/errors.js';
import { fileText } from '../../base/file-text.js';
import { type Picos, picosOf } from '../../base/money.js';
import {
  isLegService,
  LEG_DIRECTIONS,
  type LegDirection,
  PAID_SERVICES,
  type PaidService,
} from '../../call/call-cost.js';
import { SERVICE_UNITS, type ServiceUnit } from '../../call/usage.js';

/** Problems that are told at once. */
const SHOWN = 20;
/** Seconds of a unit of time, as people write prices. */
const UNITS = [...SERVICE_UNITS, 'minute'] as const;

const amount = z.union([z.string(), z.number()]).transform((written, context): Picos => {
  const picos = picosOf(written);
  if (picos !== undefined) return picos;
  context.addIssue({ code: 'custom', message: 'must be a decimal number from 0 to 1000000 such as "0.0085"' });
  return z.NEVER;
});

const item = z
  .strictObject({
    provider: z.string().min(1).max(100),
    service: z.enum(PAID_SERVICES),
    model: z.string().min(1).max(200).optional(),
    direction: z.enum(LEG_DIRECTIONS).optional(),
    prefix: z
      .string()
      .regex(/^(\+\d{1,15}|sip:)$/, 'must be the beginning of a number such as "+49", or "sip:"')
      .optional(),
    unit: z.enum(UNITS),
    per: z.int().min(1).max(1_000_000_000).default(1),
    amount,
    rounding: z.int().min(1).max(3_600).optional(),
    minimum: z.int().min(1).max(3_600).optional(),
    source: z.string().max(1_000).optional(),
  })
  .superRefine(({ service, unit, model, direction, prefix, rounding, minimum }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const isTime = unit === 'minute' || unit === 'second';
    const isLeg = isLegService(service);
    if (isLeg && !isTime) refuse('unit', `must be minute or second: ${service} is paid by time`);
    if (isLeg && rounding === undefined) {
      refuse('rounding', 'is missing: how many seconds are begun and paid at a time, such as 60, 6 or 1');
    }
    if (isLeg && model !== undefined) refuse('model', `is not for ${service}`);
    if (model?.slice(0, -1).includes('*')) refuse('model', 'may have a "*" at its end only');
    if (service !== 'carrier' && prefix !== undefined) refuse('prefix', 'is for carrier only');
    if (!isLeg && direction !== undefined) refuse('direction', `is not for ${service}`);
    if (!isTime && rounding !== undefined) refuse('rounding', `is not for ${unit}`);
    if (!isTime && minimum !== undefined) refuse('minimum', `is not for ${unit}`);
  });

const file = z.strictObject({
  $schema: z.string().optional(),
  note: z.string().max(10_000).optional(),
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be a currency of ISO 4217 such as "EUR"'),
  items: z.array(item).max(10_000),
});

/** What one unit of something costs. */
export interface PriceItem {
  /** Lower case, letters and digits only: `openai`. */
  readonly provider: string;
  readonly service: PaidService;
  /** Default: every model. `*` at the end stands for anything. */
  readonly model?: string | undefined;
  readonly direction?: LegDirection | undefined;
  /** Of the number that is called, or of our own number that was called. Default: every number. */
  readonly prefix?: string | undefined;
  readonly unit: ServiceUnit;
  readonly price: Picos;
  /** For how many units. */
  readonly per: number;
  /** Seconds that are begun and paid at a time. Default: as it was used. */
  readonly rounding?: number | undefined;
  /** Seconds that are paid at least. */
  readonly minimum?: number | undefined;
  /** Where the user has it from, and when. */
  readonly source?: string | undefined;
}

/** What the user pays for what, as the file of prices has it. */
export interface Prices {
  /** ISO 4217. */
  readonly currency: string;
  readonly items: readonly PriceItem[];
}

/** How the source of a price begins that is an example of ours, and no price. */
export const EXAMPLE_SOURCE = 'EXAMPLE';

/** Whether the user has not replaced it yet. */
export const isExample = ({ source = '' }: Pick<PriceItem, 'source'>): boolean => source.startsWith(EXAMPLE_SOURCE);

/** As prices are compared: `Deepgram`, `deepgram` and `deep-gram` are one. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * Reads a file of prices, in UTF-8 or UTF-16.
 * @param path absolute
 * @throws VoicebotError VB_PRICES_INVALID naming each problem and its place
 */
export function readPrices(path: string): Prices {
  let content: unknown;
  try {
    content = JSON.parse(fileText(path));
  } catch (error) {
    throw invalid(path, [errorText(error)]);
  }
  return parsePrices(content, path);
}

/**
 * Checks what a file of prices holds.
 * @param path for messages
 * @throws VoicebotError VB_PRICES_INVALID naming each problem and its place
 */
export function parsePrices(content: unknown, path: string): Prices {
  const read = file.safeParse(content);
  if (!read.success) {
    throw invalid(
      path,
      read.error.issues.map((issue) => `${placeOf(issue.path)}${issue.message}`),
    );
  }
  const { currency, items } = read.data;
  const problems: string[] = [];
  const seen = new Map<string, number>();
  const priced = items.map((one, index): PriceItem => {
    const { amount: price, provider, unit: written, per, ...rest } = one;
    const isMinute = written === 'minute';
    const unit = isMinute ? 'second' : written;
    const made = { ...rest, provider: plainName(provider), unit, price, per: isMinute ? per * 60 : per } as const;
    if (made.provider === '') problems.push(`items[${index}].provider must have letters`);
    const key = JSON.stringify([made.provider, made.service, made.model, made.direction, made.prefix, unit]);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else problems.push(`items[${index}] says again what items[${first}] is about`);
    return made;
  });
  if (problems.length > 0) throw invalid(path, problems);
  return { currency, items: priced };
}

/** `items[2].amount ` */
function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return place === '' ? '' : `${place.replace(/^\./, '')} `;
}

function invalid(path: string, problems: readonly string[]): VoicebotError {
  const more = problems.length > SHOWN ? [`and ${problems.length - SHOWN} more`] : [];
  const detail = [...problems.slice(0, SHOWN), ...more].map((problem) => `${path}: ${problem}`).join('\n');
  return new VoicebotError('VB_PRICES_INVALID', detail, {
    hint: 'docs/costs.md has the format; an example to begin with: npx voicebot prices init',
  });
}
