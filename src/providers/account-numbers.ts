import { VoicebotError } from '../base/errors.js';
import { isLoopbackName } from '../base/http/loopback-host.js';
import { firstFew } from '../base/names/name-list.js';
import type { RouteTarget } from '../call/number-routing.js';
import type { AccountNames } from './account-names.js';

/** Of an account, in a message. */
const MAX_NUMBERS_TOLD = 20;

/**
 * The number of the account that is to be changed.
 * @throws VoicebotError VB_IDENTIFIER_INVALID for the lease, VB_NUMBER_UNKNOWN, and what the `api` throws
 */
export async function targetedNumber<Owned extends { readonly number: string }>(
  { number, leaseId }: Pick<RouteTarget, 'number' | 'leaseId'>,
  api: { numbers(signal?: AbortSignal): Promise<readonly Owned[]> },
  names: AccountNames,
  signal?: AbortSignal,
): Promise<Owned> {
  if (!/^[a-z0-9]{8,32}$/.test(leaseId)) throw new VoicebotError('VB_IDENTIFIER_INVALID', 'the id of the lease');
  const numbers = await api.numbers(signal);
  const current = numbers.find((owned) => owned.number === number);
  if (!current) {
    const owned = numbers.map((one) => one.number);
    throw unknownNumber(number, owned, names.phoneNumber, "rent a number in the carrier's console");
  }
  return current;
}

/**
 * The error for a number that the account does not have: it names those that it has.
 * @param numbers what the account has, E.164
 * @param variable that names the one to use
 * @param getOne what to do where there are none
 */
export function unknownNumber(number: string, numbers: readonly string[], variable: string, getOne: string) {
  const told = firstFew(numbers, MAX_NUMBERS_TOLD);
  return new VoicebotError('VB_NUMBER_UNKNOWN', `${number}; it has ${told || 'none'}`, {
    hint: told ? `set ${variable} to one of its numbers` : getOne,
  });
}

/** @throws VoicebotError VB_CARRIER_REQUEST_FAILED, always */
export function notAsAsked(number: string): never {
  throw new VoicebotError('VB_CARRIER_REQUEST_FAILED', `afterwards ${number} was not set as was asked for`, {
    hint: "see in the carrier's console whether another person or program changes it, and how it is set now",
  });
}

/** Nothing of what this dialect writes down before it changes a number. */
export function unreadableBefore(number: string): VoicebotError {
  return new VoicebotError('VB_RESTORE_FAILED', `what is written down of ${number} cannot be read`, {
    hint: "set the number as it should be in the carrier's console",
  });
}

/** Whether a carrier can be given an address for when we are gone: plain `http:` for this machine only, where a sandbox plays it. */
export function canBeFallback(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname));
}
