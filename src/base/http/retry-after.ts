/**
 * Reads a `Retry-After` header: whole seconds, or a date.
 * @returns milliseconds from `now` on, 0 or more; undefined when it says neither
 * @see RFC 9110 section 10.2.3
 */
export function parseRetryAfter(header: string | string[] | undefined, now = Date.now()): number | undefined {
  const value = String(header ?? '').trim();
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  // Date.parse takes far more than the three forms of HTTP dates, all of which have a colon and a letter.
  const date = /[a-z].*:/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
