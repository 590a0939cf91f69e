import type { FakeCaller } from '../fake-caller.js';
import { startLiveRooms } from './live-rooms-under-test.js';
import { RoomGuest, shown } from './room-guest.js';

const seconds = (ms: number): number => Math.floor(ms / 1_000);

test('is over with the last client, and its phones are hung up', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using owner = await live.owner(room);
  const { caller } = await live.callerIn(room, owner);
  await using _ = caller;
  await owner[Symbol.asyncDispose]();
  expect(await caller.ended()).toMatchObject({ code: 4000, cause: 'Room Over', source: 'Room' });
  expect((await live.rest('GET', `/rooms/${room.name}/presence`)).body.data).toEqual([]);
});

test('keeps phones for their idle time, and longer when somebody comes back', async () => {
  const sip = { display_name: 'Ada', sip_mode: 'dial-in', dialin_config: { max_idle_timeout_sec: 5 } };
  await using live = await startLiveRooms({ timing: { tickMs: 1 } });
  const room = await live.room({ sip });
  await using first = await live.owner(room);
  const { caller, sessionId } = await live.callerIn(room, first);
  await using _ = caller;
  await first[Symbol.asyncDispose]();
  await using second = await live.owner(room);
  expect(second.participants).toEqual([
    shown({ session_id: sessionId, user_name: 'Ada', owner: false, participantType: 'pstn-dial-in' }),
  ]);
  const heardBefore = caller.heard.all.length;
  await caller.heard.next(() => caller.heard.all.length > heardBefore + 300);
  await second[Symbol.asyncDispose]();
  const heardAlone = caller.heard.all.length;
  expect(await caller.ended()).toMatchObject({ cause: 'Room Over' });
  expect(caller.heard.all.length - heardAlone).toBeGreaterThan(225);
});

test('tells a client that joins later who is there and what is ready, but not an endpoint that is in use', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using first = await live.owner(room, 'one');
  await using second = await live.owner(room, 'two');
  expect(second.participants).toEqual([
    shown({ session_id: first.sessionId, user_name: 'one', owner: true, participantType: 'unknown' }),
  ]);
  await second.event('dialin-ready');
  expect(await first.event('participant-joined')).toEqual({
    action: 'participant-joined',
    participant: shown({ session_id: second.sessionId, user_name: 'two', owner: true, participantType: 'unknown' }),
  });
  const { caller } = await live.callerIn(room, first);
  await using _ = caller;
  await using third = await live.owner(room, 'three');
  expect(third.participants).toHaveLength(3);
  await first.request('eject', { ids: [second.sessionId] });
  await third.event('participant-left');
  expect(third.events.all.map(({ action }) => action)).not.toContain('dialin-ready');
});

test('ends for everybody when the room is deleted', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using owner = await live.owner(room);
  const { caller } = await live.callerIn(room, owner);
  await using _ = caller;
  await owner.request('startDialOut', { phoneNumber: '+12025550103' });
  await live.rest('DELETE', `/rooms/${room.name}`);
  expect(await owner.messages.next()).toEqual({ type: 'ejected', reason: 'room-deleted' });
  expect(await owner.closed).toMatchObject({ code: 1000 });
  expect(await caller.ended()).toMatchObject({ cause: 'Room Deleted', code: 4000 });
  expect(live.sandbox.liveCalls).toBe(0);
});

test('ends when the room expires, if it is to end then', async () => {
  let now = Date.now();
  await using live = await startLiveRooms({ timing: { tickMs: 2, now: () => now } });
  const room = await live.room({ exp: seconds(now) + 60, eject_at_room_exp: true });
  await using owner = await live.owner(room);
  const { caller } = await live.callerIn(room, owner);
  await using _ = caller;
  now += 60_000;
  expect(await owner.messages.next()).toEqual({ type: 'ejected', reason: 'exp-room' });
  expect(await caller.ended()).toMatchObject({ cause: 'Room Expired', code: 6000 });
});

test('goes on after the room has expired otherwise, and lets nobody in', async () => {
  let now = Date.now();
  await using live = await startLiveRooms({ timing: { tickMs: 2, now: () => now } });
  const room = await live.room({ exp: seconds(now) + 60 });
  const token = await live.tokenFor(room.name);
  await using owner = await live.owner(room);
  const { caller } = await live.callerIn(room, owner);
  await using _ = caller;
  now += 61_000;
  caller.client.press('1');
  await owner.event('dtmf-event');
  await using late = await RoomGuest.atTheDoor(room.url);
  expect(await late.ask({ token })).toMatchObject({ type: 'refused', error: 'exp-room' });
});

test('removes a client whose token ends its stay, and only that one', async () => {
  let now = Date.now();
  await using live = await startLiveRooms({ timing: { tickMs: 2, now: () => now } });
  const room = await live.room();
  await using owner = await live.owner(room);
  const token = await live.tokenFor(room.name, { exp: seconds(now) + 60, eject_at_token_exp: true });
  const lasting = await live.tokenFor(room.name, { exp: seconds(now) + 60 });
  await using guest = await RoomGuest.join(room.url, { token, tickMs: 2 });
  await using other = await RoomGuest.join(room.url, { token: lasting, tickMs: 2 });
  now += 61_000;
  expect(await guest.messages.next()).toEqual({ type: 'ejected', reason: 'exp-token' });
  expect(await other.event('participant-left')).toMatchObject({ participant: { session_id: guest.sessionId } });
  expect(owner.messages.all.some(({ type }) => type === 'ejected')).toBe(false);
});

test('ejects clients and phones, over REST and from within', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using owner = await live.owner(room);
  await using guest = await RoomGuest.join(room.url, { token: await live.tokenFor(room.name), tickMs: 2 });
  const { caller, sessionId } = await live.callerIn(room, owner);
  await using _ = caller;
  expect(await owner.request('eject', { ids: [sessionId, 'unknown'] })).toEqual({
    result: { ejectedIds: [sessionId] },
  });
  expect(await caller.ended()).toMatchObject({ cause: 'Removed From Room', code: 4000, source: 'Room' });
  await owner.event('dialin-stopped');
  const { body } = await live.rest('POST', `/rooms/${room.name}/eject`, { ids: [guest.sessionId] });
  expect(body).toEqual({ ejectedIds: [guest.sessionId] });
  expect(await guest.messages.next()).toEqual({ type: 'ejected', reason: 'ejected' });
  expect(await owner.event('participant-left')).toMatchObject({ participant: { participantType: 'unknown' } });
});

test('closing the sandbox ends rooms, held callers and everything that rings', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using owner = await live.owner(room);
  const callers: FakeCaller[] = [(await live.callerIn(room, owner)).caller, (await live.caller()).caller];
  await owner.request('startDialOut', { phoneNumber: '+12025550103' });
  expect(live.sandbox.liveCalls).toBe(3);
  await live.sandbox.close();
  await owner.closed;
  for (const caller of callers) await caller.ended();
  expect(live.sandbox.liveCalls).toBe(0);
});
