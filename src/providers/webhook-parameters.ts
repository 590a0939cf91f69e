import { cleanText } from '../base/clean-text.js';

/** Of a number, an address or a reason, in characters. */
const MAX_TEXT = 256;

/** Parameters of a webhook as they may be shown: without what a terminal obeys, and cut after 256 characters. */
export function cleanParameters(received: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...received].map(([name, value]) => [name, cleanText(value, MAX_TEXT)]));
}

/** Whole seconds as a carrier writes them, in milliseconds; undefined for anything else. */
export function secondsToMs(seconds: string | undefined): number | undefined {
  return /^\d{1,9}$/.test(seconds ?? '') ? Number(seconds) * 1000 : undefined;
}
