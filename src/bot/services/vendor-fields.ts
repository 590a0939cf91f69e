import { isFields, type JsonFields, parseFields } from '../../base/http/json-fields.js';

/** The fields of a vendor's message: nothing is known of what they hold. */
export type VendorFields = JsonFields;

/** The fields of a message; none when it is not a JSON object. */
export function vendorFields(message: Buffer | string): VendorFields {
  return parseFields(message.toString()) ?? {};
}

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): VendorFields {
  return isFields(value) ? value : {};
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
