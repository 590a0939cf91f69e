import type { DoNotCallEntry, DoNotCallSource } from '../../../call/do-not-call.js';
import { isPhoneNumber } from '../../../call/phone-number.js';

/** A number was taken off the list again. It is kept, so that an old copy that has the number does not bring it back. */
export interface TakenOff {
  readonly number: string;
  readonly at: number;
  readonly off: true;
}

/** One line of the list, and what runners tell each other. The later one of a number counts. */
export type ListChange = DoNotCallEntry | TakenOff;

const SOURCES: Readonly<Record<DoNotCallSource, true>> = {
  said: true,
  pressed: true,
  tool: true,
  operator: true,
  import: true,
};

export const isTakenOff = (change: ListChange): change is TakenOff => 'off' in change;

/** Whether a change counts in place of what is known. Of two of the same time the one that keeps a number from being called does. */
export function isLater(change: ListChange, known: ListChange | undefined): boolean {
  if (!known || change.at > known.at) return true;
  return change.at === known.at && isTakenOff(known) && !isTakenOff(change);
}

export const lineOf = (change: ListChange): string => `${JSON.stringify(change)}\n`;

/** @returns undefined for what is no change */
export function readChange(line: string): ListChange | undefined {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { number, at, how, callId, off } = Object(read) as Partial<DoNotCallEntry & TakenOff>;
  if (typeof number !== 'string' || !isPhoneNumber(number) || !Number.isSafeInteger(at) || Number(at) < 0)
    return undefined;
  if (off === true) return { number, at: at as number, off };
  if (typeof how !== 'string' || !Object.hasOwn(SOURCES, how)) return undefined;
  if (callId !== undefined && typeof callId !== 'string') return undefined;
  return { number, at: at as number, how, ...(callId !== undefined && { callId }) };
}
