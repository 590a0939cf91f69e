import { randomUUID } from 'node:crypto';
import { ToneSource } from '../../base/audio/tones.js';
import type { PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES } from '../network/hangup-causes.js';
import { playRingback } from '../network/ringing.js';
import { DIAL_SETUP_MS, type DialledPhone, ringLeg } from './dial-out.js';
import { ROOM_HANGUP_CAUSES } from './hangup-causes.js';
import { ParticipantPermissions } from './permissions.js';
import { PhoneLeg } from './phone-leg.js';
import type { RoomLines } from './room-lines.js';
import type { SandboxRoom } from './room-session.js';

/** Time from the acceptance of a transfer to the caller's leaving, in milliseconds: the answer to the request comes first. */
const LEAVE_MS = 20;

/**
 * Rings the destination of a transfer, with ringback for the caller, and lets the two talk until one of them hangs up. The caller leaves the
 * room at once, or when the destination answers. One who has left is hung up when the destination is not reached, and a session that ends
 * before the answer ends the transfer with it.
 * @see rooms reference 8.2 and 14.13
 */
export async function transferToPhone(
  leg: PhoneLeg,
  { call, callee, callerId }: DialledPhone,
  session: SandboxRoom,
  { transferOrder }: Pick<RoomLines, 'transferOrder'>,
): Promise<void> {
  const destination = call.setup.to;
  const target = new PhoneLeg({
    call,
    direction: 'dial-out',
    userName: destination,
    details: { destination, callerId },
    permissions: new ParticipantPermissions(false), // it never comes into a room
    idleLimitMs: 0,
  });
  const ringing = new AbortController();
  const giveUp = (): void => call.finish(HANGUP_CAUSES.cancelled, 'Caller');
  leg.call.signal.addEventListener('abort', giveUp, { signal: ringing.signal });
  leg.isTransferring = true;
  leg.call.progress({ hop: 'transfer', ok: true, text: `transferring to ${destination}` });
  let release = () => {};
  if (transferOrder === 'leaves_at_once') {
    release = session.keepFor({ idleLimitMs: leg.idleLimitMs, giveUp });
    void leg.call.wait(LEAVE_MS).then(() => session.detach(leg));
    void call.wait(DIAL_SETUP_MS).then(() => {
      if (!call.isOver && !call.answeredAt) void playRingback(leg.call, ringing.signal);
    });
  } else {
    void call.wait(DIAL_SETUP_MS).then(() => {
      if (leg.isTransferring && !call.isOver) leg.ringback = ToneSource.ringback();
    });
  }
  const isAnswered = await ringLeg(target, callee, session);
  ringing.abort();
  leg.isTransferring = false;
  leg.ringback = undefined;
  if (!isAnswered) {
    const { cause } = call.end ?? { cause: ROOM_HANGUP_CAUSES.roomOver };
    leg.call.progress({ hop: 'transfer', ok: false, text: `transfer to ${destination} failed: ${cause.name}` });
    session.broadcast(target.endEvent());
    release();
    if (transferOrder === 'leaves_at_once') leg.call.finish(ROOM_HANGUP_CAUSES.transferFailed, 'Room');
    return;
  }
  release();
  session.detach(leg);
  call.signal.addEventListener('abort', () => session.broadcast(target.endEvent()), { once: true });
  connectCalls(leg.call, call);
  leg.call.progress({ hop: 'transfer', ok: true, text: `connected with ${destination}` });
}

/** Moves a caller to the SIP endpoint of another room. Where that cannot be done the caller stays, or is hung up after having left. */
export async function transferToRoom(
  leg: PhoneLeg,
  sipUri: string,
  session: SandboxRoom,
  lines: RoomLines,
): Promise<void> {
  const details = { sessionId: randomUUID(), destination: sipUri };
  const leavesAtOnce = lines.transferOrder === 'leaves_at_once';
  leg.isTransferring = true;
  if (leavesAtOnce) void leg.call.wait(LEAVE_MS).then(() => session.detach(leg));
  await leg.call.wait(DIAL_SETUP_MS);
  leg.isTransferring = false;
  if (leg.call.isOver) return;
  const target = lines.sessionAt(sipUri);
  if (!target || target.session === session) {
    session.broadcast({ action: 'dialout-error', sessionId: details.sessionId, errorMsg: 'Failed', details });
    if (leavesAtOnce) leg.call.finish(ROOM_HANGUP_CAUSES.transferFailed, 'Room');
    return;
  }
  session.broadcast({ action: 'dialout-connected', ...details });
  session.broadcast({ action: 'dialout-answered', ...details });
  session.detach(leg);
  target.session.admitCaller(leg.call, target.endpoint);
}

/** Lets two calls hear each other; the end of one is the end of the other. */
function connectCalls(one: PhoneCall, other: PhoneCall): void {
  one.otherLeg = other;
  other.otherLeg = one;
  for (const [call, rest] of [
    [one, other],
    [other, one],
  ] as const) {
    call.signal.addEventListener('abort', () => rest.finish(HANGUP_CAUSES.normal, call.end?.source ?? 'Room'), {
      once: true,
    });
  }
}
