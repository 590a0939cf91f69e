import type { TransferOrder } from '../../../src/sandbox/rooms/room-lines.js';
import { startLiveRooms } from './live-rooms-under-test.js';

/** A caller in a room with an owner, who can have the call transferred. */
export async function inRoom({
  tickMs = 0.5,
  properties = {},
  transferOrder,
}: {
  tickMs?: number;
  properties?: object;
  transferOrder?: TransferOrder;
} = {}) {
  const live = await startLiveRooms({ timing: { tickMs }, ...(transferOrder && { transferOrder }) });
  const room = await live.room(properties);
  const owner = await live.owner(room);
  const { caller, sessionId } = await live.callerIn(room, owner);
  return {
    live,
    room,
    owner,
    caller,
    sessionId,
    transfer: (toEndPoint: string) => owner.request('sipCallTransfer', { sessionId, toEndPoint }),
    async [Symbol.asyncDispose]() {
      await Promise.all([caller[Symbol.asyncDispose](), owner[Symbol.asyncDispose]()]);
      await live[Symbol.asyncDispose]();
    },
  };
}

export const actionsOf = ({ events }: { events: { all: { action: string }[] } }): string[] =>
  events.all.map(({ action }) => action);

/** The caller has left the room with the transfer, and is hung up when the destination does not answer. */
export async function isHungUpWhenUnanswered(to: string, action: string, errorMsg: string | undefined): Promise<void> {
  await using call = await inRoom();
  const { owner, caller, sessionId, live } = call;
  const before = actionsOf(owner).length;
  await call.transfer(to);
  expect(await owner.event('dialin-stopped')).toMatchObject({ sessionId });
  const event = await owner.event(action, 10_000);
  expect(event.sessionId).not.toBe(sessionId);
  expect(event.errorMsg).toBe(errorMsg);
  expect(actionsOf(owner).slice(before, before + 2)).toEqual(['participant-left', 'dialin-stopped']);
  expect(await caller.ended()).toMatchObject({ cause: 'Transfer Failed', code: 6030, source: 'Room' });
  expect(live.sandbox.liveCalls).toBe(0);
}

/** The caller is in the room again when the destination does not answer, and can be transferred to another. */
export async function staysWhenUnanswered(to: string, action: string, errorMsg: string | undefined): Promise<void> {
  await using call = await inRoom({ transferOrder: 'leaves_on_answer' });
  const { owner, caller, sessionId } = call;
  await call.transfer(to);
  const event = await owner.event(action, 10_000);
  expect(event.sessionId).not.toBe(sessionId);
  expect(event.errorMsg).toBe(errorMsg);
  expect(actionsOf(owner)).not.toContain('dialin-stopped');
  // No ringback any more, and the caller is served again.
  const end = caller.heard.all.length;
  await caller.heard.next(() => caller.heard.all.length > end + 50);
  expect(caller.heard.all.slice(end + 5).every((frame) => frame.every((code) => (code & 0x7f) === 0x7f))).toBe(true);
  caller.client.press('1');
  expect(await owner.event('dtmf-event')).toMatchObject({ sessionId, tone: '1' });
  expect(await call.transfer('+12025550101')).toEqual({ result: {} });
  await owner.event('dialin-stopped');
}
