import type { FakeCaller } from '../fake-caller.js';
import { startLiveRooms } from './live-rooms-under-test.js';
import type { RoomGuest } from './room-guest.js';

test('serves twenty rooms with a caller and a bot each, and says how long mixing takes', async () => {
  await using live = await startLiveRooms({ timing: { tickMs: 20 } });
  const meetings: { owner: RoomGuest; caller: FakeCaller }[] = [];
  try {
    for (let n = 1; n <= 20; n += 1) {
      const room = await live.room();
      const owner = await live.owner(room);
      const { caller } = await live.callerIn(room, owner);
      meetings.push({ owner, caller });
      owner.hum(600);
      caller.says = () => new Uint8Array(160).fill(0x20);
    }
    for (const { owner, caller } of meetings) {
      await owner.heard.next((frame) => frame.some((sample) => sample < -5_000));
      await caller.heard.next((frame) => frame.some((code) => (code & 0x7f) < 0x4f));
    }
    expect(live.sandbox.liveCalls).toBe(20);
    expect(live.sandbox.mixing?.ticks).toBeGreaterThan(0);
  } finally {
    const opened = meetings.flatMap(({ owner, caller }) => [owner, caller]);
    await Promise.all(opened.map((each) => each[Symbol.asyncDispose]()));
  }
}, 60_000);
