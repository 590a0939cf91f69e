import { hears, hum, listen, measure, startLiveRooms } from './live-rooms-under-test.js';
import { RoomGuest } from './room-guest.js';

/** A telephone of the tests that calls in hums 500 Hz, the number that is dialled speaks. */
async function roomOfFour() {
  const live = await startLiveRooms({ timing: { tickMs: 2 } });
  const room = await live.room();
  const owner = await live.owner(room, 'first');
  const second = await RoomGuest.join(room.url, {
    token: await live.tokenFor(room.name, { is_owner: true, user_id: 'second-bot' }),
    tickMs: 2,
  });
  const { caller, sessionId } = await live.callerIn(room, owner);
  owner.hum(700);
  second.hum(1_100);
  caller.says = hum(500);
  return {
    live,
    room,
    owner,
    second,
    caller,
    callerId: sessionId,
    async [Symbol.asyncDispose]() {
      await caller[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
      await owner[Symbol.asyncDispose]();
      await live[Symbol.asyncDispose]();
    },
  };
}

/** Waits until half a second of what is heard is nothing. */
async function fallsSilent(heard: Parameters<typeof listen>[0], limitFrames = 400): Promise<void> {
  for (let frames = 0; frames < limitFrames; frames += 25) {
    if (measure(await listen(heard, 25), 500).level < -80) return;
  }
  throw new Error('something is heard');
}

const only = (...ids: string[]) => ({
  canReceive: { base: false, byUserId: {}, byParticipantId: Object.fromEntries(ids.map((id) => [id, true])) },
});

test('a caller hears those alone whom the permission names, by session or by user', async () => {
  await using all = await roomOfFour();
  const { owner, second, caller, callerId } = all;
  expect(await owner.request('updatePermissions', { data: { [callerId]: only(owner.sessionId) } })).toEqual({
    result: {},
  });
  await hears(caller.heard, 700);
  expect(measure(await listen(caller.heard, 10), 1_100).purity).toBeLessThan(0.01);
  const byUser = { canReceive: { byUserId: { 'second-bot': true }, byParticipantId: {} } };
  await second.request('updatePermissions', { data: { [callerId]: byUser } });
  await hears(caller.heard, 1_100);
  await owner.request('updatePermissions', { data: { [callerId]: only() } });
  await fallsSilent(caller.heard);
});

test('bots are limited likewise, and everybody at once but those who are named', async () => {
  await using all = await roomOfFour();
  const { owner, second, callerId } = all;
  await owner.request('updatePermissions', {
    data: { '*': { canReceive: { base: false } }, [owner.sessionId]: only(callerId) },
  });
  await hears(owner.heard, 500);
  await fallsSilent(second.heard);
});

test('who may not send is heard by no one', async () => {
  await using all = await roomOfFour();
  const { owner, second, caller } = all;
  await owner.request('updatePermissions', { data: { [second.sessionId]: { canSend: ['video'] } } });
  await hears(caller.heard, 700);
});

test('a number that is dialled hears from its first moment on whom it may, and all are told of what each may', async () => {
  await using all = await roomOfFour();
  const { owner, second, live, room } = all;
  const permissions = { canReceive: { base: false, byUserId: { 'second-bot': true } } };
  const { result } = await second.request('startDialOut', {
    phoneNumber: '+12025550101',
    userId: 'colleague',
    permissions,
  });
  const { participant } = await owner
    .event('participant-joined', 10_000)
    .then(async (event) =>
      event.participant.session_id === result.sessionId ? event : owner.event('participant-joined'),
    );
  expect(participant).toMatchObject({ user_id: 'colleague', permissions: permissions });
  const answer = await live.rest('POST', `/rooms/${room.name}/update-permissions`, {
    data: { [result.sessionId]: { canReceive: { byUserId: {} } } },
  });
  expect(answer).toEqual({ status: 200, body: {} });
  const { participant: changed } = await owner.event('participant-updated');
  expect(changed).toMatchObject({
    session_id: result.sessionId,
    permissions: { canReceive: { base: false, byUserId: {} } },
  });
});

test('permissions of the token, and of the room, hold for a guest from the beginning', async () => {
  await using live = await startLiveRooms();
  const room = await live.room({ permissions: { canReceive: { base: false } } });
  await using owner = await live.owner(room);
  owner.hum(700);
  await using deaf = await RoomGuest.join(room.url, { token: await live.tokenFor(room.name), tickMs: 2 });
  const token = await live.tokenFor(room.name, {
    permissions: { canReceive: { base: true }, canAdmin: ['participants'] },
  });
  await using admin = await RoomGuest.join(room.url, { token, tickMs: 2 });
  await hears(admin.heard, 700);
  await fallsSilent(deaf.heard);
  const change = { data: { [deaf.sessionId]: { canReceive: { base: true } } } };
  expect(await deaf.request('updatePermissions', change)).toMatchObject({ error: { error: 'forbidden-error' } });
  expect(await admin.request('updatePermissions', change)).toEqual({ result: {} });
  await hears(deaf.heard, 700);
  // what it may administer can be taken from it while it is there
  await owner.request('updatePermissions', { data: { [admin.sessionId]: { canAdmin: false } } });
  expect(await admin.request('updatePermissions', change)).toMatchObject({ error: { error: 'forbidden-error' } });
});

test('refuses permissions that are none, and participants who are not there', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  const path = `/rooms/${room.name}/update-permissions`;
  expect(await live.rest('POST', path, { data: {} })).toMatchObject({ status: 404 });
  await using owner = await live.owner(room);
  const id = owner.sessionId;
  const refused = async (body: object) => {
    const { status, body: answer } = await live.rest('POST', path, body);
    return `${status} ${answer.info}`;
  };
  expect(await refused({ data: { nobody: { canReceive: { base: true } } } })).toBe('404 no such participant');
  expect(await refused({})).toMatch(/^400 data/);
  expect(await refused({ data: {}, more: 1 })).toBe("400 unknown parameter 'more'");
  expect(await refused({ data: { [id]: { canHear: true } } })).toMatch(/^400 unknown parameter .*canHear/);
  expect(await refused({ data: { [id]: { canReceive: { everybody: true } } } })).toMatch(
    /^400 unknown parameter .*everybody/,
  );
  expect(await refused({ data: { [id]: { canReceive: { base: 'yes' } } } })).toMatch(/^400 data/);
  expect(await refused({ data: { [id]: { canReceive: { base: { audio: true } } } } })).toMatch(/^400 data/); // all kinds, or one word
  expect(await refused({ data: { [id]: { canReceive: { byUserId: { a: { sound: true } } } } } })).toMatch(/^400/);
  expect(await refused({ data: { [id]: { canSend: ['smell'] } } })).toMatch(/^400 data/);
  const dial = { phoneNumber: '+12025550101', permissions: { canReceive: { base: true }, canSend: true } };
  expect((await owner.request('startDialOut', dial)).error.info).toMatch(/permissions/);
  expect(live.sandbox.placedCalls.size).toBe(0);
});
