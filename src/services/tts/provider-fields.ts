/** The fields of a provider's message; none when it is not a JSON object. */
export function providerFields(data: Buffer): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(data.toString());
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields))
      return fields as Record<string, unknown>;
  } catch {
    // not JSON
  }
  return {};
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
