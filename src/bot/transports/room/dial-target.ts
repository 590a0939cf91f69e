import { withDeadline } from '../../../base/async/deadline.js';
import { VoicebotError } from '../../../base/errors.js';
import { type OptionNames, refuseUnknownOptions } from '../../../base/names/option-names.js';
import type { OutboundCall } from '../../../call/call-port.js';
import { normalisePhoneNumber, readPhoneNumber } from '../../../call/phone-number.js';
import type { RoomRunnerLink } from '../../../call/runner-link.js';
import { transferTarget } from '../transfer-options.js';

/** Whom to call out of a room: exactly one of `phoneNumber` and `sipUri`. */
export interface DialoutRequest {
  /** E.164. */
  phoneNumber?: string;
  /** A `sip:` address. */
  sipUri?: string;
  /** What others in the room see. Default the number or the user of the address. */
  displayName?: string;
  /** The provider's identifier of one of its own numbers, for a call to a number (rooms reference 14.12). */
  callerId?: string;
}

const DIALOUT_REQUEST: OptionNames<DialoutRequest> = {
  phoneNumber: true,
  sipUri: true,
  displayName: true,
  callerId: true,
};

const isSipAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 1_024 && /^sip:[^\s@]+@[^\s@]+$/i.test(value);

/** @throws VoicebotError VB_REQUEST_INVALID */
export function dialTarget(request: DialoutRequest): OutboundCall {
  refuseUnknownOptions(request, DIALOUT_REQUEST, 'VB_REQUEST_INVALID');
  const { phoneNumber, sipUri, displayName, callerId } = request;
  if ((phoneNumber === undefined) === (sipUri === undefined)) {
    throw new VoicebotError('VB_REQUEST_INVALID', 'exactly one of phoneNumber and sipUri must be given');
  }
  const name = displayName === undefined ? {} : { displayName };
  if (sipUri !== undefined) {
    if (!isSipAddress(sipUri)) {
      throw new VoicebotError('VB_REQUEST_INVALID', 'sipUri must be an address such as sip:user@example.com');
    }
    if (callerId !== undefined) {
      throw new VoicebotError('VB_REQUEST_INVALID', 'callerId is for calls to a number, not to a sip: address');
    }
    return { sipUri, ...name };
  }
  const read = readPhoneNumber(normalisePhoneNumber(String(phoneNumber)));
  if ('problem' in read) {
    const must = 'phoneNumber must be a telephone number such as +12025550101';
    throw new VoicebotError('VB_REQUEST_INVALID', `${must}: it ${read.problem}`);
  }
  return { phoneNumber: read.number, ...name, ...(callerId !== undefined && { callerId }) };
}

/**
 * Where a caller in a room is transferred to: a number as E.164, or a `sip:` address.
 * @throws VoicebotError VB_REQUEST_INVALID
 */
export function roomTransferTarget(toEndPoint: string): string {
  return isSipAddress(toEndPoint) ? toEndPoint : transferTarget(toEndPoint);
}

/** @throws VoicebotError VB_REQUEST_INVALID */
export function referTarget(toEndPoint: string): string {
  if (isSipAddress(toEndPoint)) return toEndPoint;
  throw new VoicebotError('VB_REQUEST_INVALID', 'toEndPoint must be an address such as sip:user@example.com');
}

/**
 * Keys to press in a room.
 * @throws VoicebotError VB_REQUEST_INVALID for anything but 1 to 20 of `0-9 * # A-D` (rooms reference 8.2)
 */
export function keyTones(digits: string): string {
  if (/^[0-9*#A-D]{1,20}$/.test(digits)) return digits;
  throw new VoicebotError('VB_REQUEST_INVALID', 'digits must be 1 to 20 of 0-9 * # A-D');
}

/** Longest wait for the runner to say whether a number may be called, in milliseconds. */
const CHECK_LIMIT_MS = 10_000;

/** @returns the number as it is to be called. @throws as {@link RoomRunnerLink.checkTarget}, and VB_DEADLINE_EXCEEDED */
export async function checkTarget(link: RoomRunnerLink | undefined, to: string): Promise<string> {
  if (!link) return to;
  const late = () =>
    new VoicebotError('VB_DEADLINE_EXCEEDED', 'the runner has not said whether the number may be called');
  return withDeadline(link.checkTarget(to), CHECK_LIMIT_MS, late);
}
