/**
 * Reads the custom data of a `start` message: `k=v` pairs separated by `,` or `;`, the text of a JSON object, or an
 * object. What is none of these counts as no data; never throws.
 * @see reference 5.2, `extra_headers`
 */
export function parseExtraHeaders(value: unknown): Record<string, string> {
  if (typeof value === 'object' && value !== null) return scalarsOf(value);
  if (typeof value !== 'string') return {};
  if (value.trimStart().startsWith('{')) return parseObjectText(value);
  return Object.fromEntries(
    value.split(/[,;]/).flatMap((pair) => {
      const equals = pair.indexOf('=');
      return equals > 0 ? [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]] : [];
    }),
  );
}

function parseObjectText(text: string): Record<string, string> {
  try {
    return scalarsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** `Object.fromEntries` defines own properties, so a key such as `__proto__` stays plain data. */
function scalarsOf(value: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => ['string', 'number', 'boolean'].includes(typeof entry))
      .map(([key, entry]) => [key, String(entry)]),
  );
}
