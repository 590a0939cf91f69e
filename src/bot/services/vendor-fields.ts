/** The fields of a vendor's message: nothing is known of what they hold. */
export type VendorFields = Readonly<Record<string, unknown>>;

/** The fields of a message; none when it is not a JSON object. */
export function vendorFields(message: Buffer | string): VendorFields {
  try {
    return fieldsOf(JSON.parse(message.toString()));
  } catch {
    return {}; // not JSON
  }
}

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): VendorFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as VendorFields) : {};
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
