import type { PhoneCall } from '../network/call.js';
import { TIME_LIMIT_MS } from '../network/network.js';
import type { Callee } from '../network/phone.js';
import { ring } from '../network/ringing.js';
import type { PhoneLeg } from './phone-leg.js';
import { invalidRequest } from './refusals.js';
import type { RoomLines } from './room-lines.js';
import type { SandboxRoom } from './room-session.js';

/** How long a dialled phone may ring. */
const RING_LIMIT_MS = 30_000;
/** Time from dialling to the first ring, in milliseconds; a call that fails at once never rings. */
export const DIAL_SETUP_MS = 100;

export interface DialledPhone {
  readonly call: PhoneCall;
  readonly callee: Callee;
  /** The number that the callee sees. */
  readonly callerId: string;
}

/**
 * Begins a call to a number or a `sip:` address; nothing rings yet.
 * @param callerId of a number of the account its id, or the number itself; undefined for the oldest
 * @throws RoomRefusal 400 for a caller id that the account does not have
 */
export function dial(
  destination: string,
  callerId: string | undefined,
  { account, network }: RoomLines,
  { isTransferTarget }: { readonly isTransferTarget: boolean },
): DialledPhone {
  const [oldest] = account.numbers;
  const from = callerId ? account.numbers.find(({ id, number }) => [id, number].includes(callerId)) : oldest;
  if (!from) throw invalidRequest('callerId is not a phone number of this domain');
  const setup = { from: from.number, to: destination, ringTimeoutMs: RING_LIMIT_MS, timeLimitMs: TIME_LIMIT_MS };
  const { leg: call, callee } = network.dialForeign(setup, { isTransferTarget });
  return { call, callee, callerId: from.number };
}

/**
 * Rings the phone of a leg, and reports ringing and answer to the room; its caller reports the end.
 * @returns whether it was answered
 */
export async function ringLeg(leg: PhoneLeg, callee: Callee, session: SandboxRoom): Promise<boolean> {
  const { call } = leg;
  void call.wait(DIAL_SETUP_MS).then(() => {
    if (!call.isOver) session.broadcast(leg.event('connected'));
  });
  await ring(call, callee);
  if (call.isOver) return false;
  session.broadcast(leg.event('answered'));
  return true;
}
