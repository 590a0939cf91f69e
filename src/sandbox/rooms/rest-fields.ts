import { z } from 'zod';
import { E164 } from '../../call/phone-number.js';

/** Deeper than anything that is kept as it came. */
const MAX_DEPTH = 8;

export const phoneNumber = z.string().regex(E164, 'must be a phone number such as +12025550100');

/** In seconds since the epoch. Clients send fractions too. */
export const unixTime = z.number().min(0);

/** A setting that the sandbox keeps and shows only. */
export const keptObject = shallow(z.record(z.string(), z.unknown()));
export const keptArray = shallow(z.array(z.unknown()));

function shallow<T extends z.ZodType>(schema: T): T {
  return schema.refine((value) => isShallow(value, MAX_DEPTH), `nested deeper than ${MAX_DEPTH}`);
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}
