import { randomUUID } from 'node:crypto';
import { ToneSource } from '../../audio/tones.js';
import type { PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES } from '../network/hangup-causes.js';
import { DIAL_SETUP_MS, type DialledPhone, ringLeg } from './dial-out.js';
import { ROOM_HANGUP_CAUSES } from './hangup-causes.js';
import { PhoneLeg } from './phone-leg.js';
import type { RoomLines } from './room-lines.js';
import type { SandboxRoom } from './room-session.js';

/**
 * Rings the destination of a transfer, while the caller stays in the room and hears ringback. When the destination
 * answers, the caller leaves the room and talks with the destination until one of them hangs up; otherwise the caller
 * stays.
 * @see rooms reference 8.2
 */
export async function transferToPhone(
  leg: PhoneLeg,
  { call, callee, callerId }: DialledPhone,
  session: SandboxRoom,
): Promise<void> {
  const destination = call.setup.to;
  const target = new PhoneLeg({
    call,
    direction: 'dial-out',
    userName: destination,
    details: { destination, callerId },
    idleLimitMs: 0,
  });
  const giveUp = (): void => call.finish(HANGUP_CAUSES.cancelled, 'Caller');
  leg.call.signal.addEventListener('abort', giveUp, { once: true });
  leg.isTransferring = true;
  leg.call.progress({ hop: 'transfer', ok: true, text: `transferring to ${destination}` });
  void call.wait(DIAL_SETUP_MS).then(() => {
    if (leg.isTransferring && !call.isOver) leg.ringback = ToneSource.ringback();
  });
  const isAnswered = await ringLeg(target, callee, session);
  leg.call.signal.removeEventListener('abort', giveUp);
  leg.isTransferring = false;
  leg.ringback = undefined;
  if (!isAnswered) {
    const { cause } = call.end ?? { cause: ROOM_HANGUP_CAUSES.roomOver };
    leg.call.progress({ hop: 'transfer', ok: false, text: `transfer to ${destination} failed: ${cause.name}` });
    return session.broadcast(target.endEvent());
  }
  session.detach(leg);
  connectCalls(leg.call, call);
  leg.call.progress({ hop: 'transfer', ok: true, text: `connected with ${destination}` });
}

/** Moves a caller to the SIP endpoint of another room; the caller stays when that cannot be done. */
export async function transferToRoom(
  leg: PhoneLeg,
  sipUri: string,
  session: SandboxRoom,
  lines: RoomLines,
): Promise<void> {
  const details = { sessionId: randomUUID(), destination: sipUri };
  leg.isTransferring = true;
  await leg.call.wait(DIAL_SETUP_MS);
  leg.isTransferring = false;
  if (leg.call.isOver) return;
  const target = lines.sessionAt(sipUri);
  if (!target || target.session === session) {
    return session.broadcast({ action: 'dialout-error', sessionId: details.sessionId, errorMsg: 'Failed', details });
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
