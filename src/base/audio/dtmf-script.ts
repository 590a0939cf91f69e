import { type DtmfDigit, isDtmfDigit } from './dtmf-digit.js';

export interface KeyPress {
  readonly digit: DtmfDigit;
  /** Milliseconds after the first of them could have been pressed. */
  readonly atMs: number;
}

/** From one key press to the next. */
const GAP_MS = 100;

/**
 * Reads a list of key presses such as `1 w2 #`: digits are pressed one after another, `w2` waits two seconds, `w0.5`
 * half a second. Spaces may be left out.
 * @returns the presses in order, relative to the answer
 * @throws Error with a message for people
 */
export function parseDtmfScript(script: string): KeyPress[] {
  const presses: KeyPress[] = [];
  let atMs = 0;
  for (const [token, seconds] of script.matchAll(/\s+|w(\d+(?:\.\d+)?)|./gisu)) {
    if (seconds !== undefined) atMs += Number(seconds) * 1_000;
    else if (token.trim() !== '') {
      const digit = token.toUpperCase();
      if (digit === 'W') throw new Error('"w" needs its seconds, as in "w2"');
      if (!isDtmfDigit(digit)) throw new Error(`"${token}" is not a key (0-9, *, #, A-D) and not a wait such as "w2"`);
      presses.push({ digit, atMs });
      atMs += GAP_MS;
    }
  }
  if (presses.length === 0) throw new Error('there is no key in it');
  return presses;
}

/** Key presses as {@link parseDtmfScript} reads them: `1w2#`. */
export function dtmfScriptOf(presses: readonly KeyPress[]): string {
  let nextMs = 0;
  return presses
    .map(({ digit, atMs }) => {
      const waitMs = atMs - nextMs;
      nextMs = atMs + GAP_MS;
      return waitMs > 0 ? `w${waitMs / 1_000} ${digit}` : digit;
    })
    .join('');
}
