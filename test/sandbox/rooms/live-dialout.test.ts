import { dialled, tellsWhyUnanswered } from './dialling-out.js';
import { startLiveRooms } from './live-rooms-under-test.js';
import { RoomGuest, shown } from './room-guest.js';

const OWN_NUMBER = '+12025550100';

test('rings a number, tells the room when it is answered, and lets the two hear each other', async () => {
  await using call = await dialled('+15551234567', { displayName: 'Grace' }, 20);
  const { owner, sessionId, live, room } = call;
  const destination = '+15551234567';
  const fields = { sessionId, destination, callerId: OWN_NUMBER };
  expect(await owner.event('dialout-connected')).toEqual({ action: 'dialout-connected', ...fields });
  expect((await live.rest('GET', `/rooms/${room.name}/presence`)).body.data).toHaveLength(1);
  expect(await owner.event('dialout-answered')).toEqual({ action: 'dialout-answered', ...fields });
  expect(await owner.event('participant-joined')).toEqual({
    action: 'participant-joined',
    participant: shown({ session_id: sessionId, user_name: 'Grace', owner: false, participantType: 'pstn-dial-out' }),
  });
  const isLoud = (pcm: Int16Array): boolean => pcm.some((sample) => Math.abs(sample) > 1_000);
  await owner.heard.next(isLoud);
  expect(live.sandbox.placedCalls.get(destination)).toBe(1);
  expect(live.sandbox.liveCalls).toBe(1);
  expect(await owner.request('stopDialOut', { sessionId })).toEqual({ result: {} });
  expect(await owner.event('participant-left')).toMatchObject({ participant: { session_id: sessionId } });
  expect(await owner.event('dialout-stopped')).toEqual({ action: 'dialout-stopped', ...fields });
  expect(live.sandbox.liveCalls).toBe(0);
});

test('tells that a number is busy', () => tellsWhyUnanswered('+12025550102', 'dialout-error', 'Busy'));

test.each(['+12025550105'])('is answered by %s', async (number) => {
  await using call = await dialled(number, {}, 0.5);
  expect(await call.owner.event('dialout-answered')).toMatchObject({ sessionId: call.sessionId });
  await call.owner.event('participant-joined');
});

test('tells that the other side has hung up', async () => {
  await using call = await dialled('+12025550107', {}, 0.5);
  await call.owner.event('participant-left');
  expect(await call.owner.event('dialout-stopped')).toMatchObject({ sessionId: call.sessionId });
});

test('stops a call that rings', async () => {
  await using call = await dialled('+12025550103');
  await call.owner.event('dialout-connected');
  expect(await call.owner.request('stopDialOut', { sessionId: call.sessionId })).toEqual({ result: {} });
  expect(await call.owner.event('dialout-stopped')).toMatchObject({ sessionId: call.sessionId });
  expect(call.owner.events.all.map(({ action }) => action)).not.toContain('participant-left');
});

test('shows the caller id that was asked for', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using owner = await live.owner(room);
  const { body } = await live.rest('GET', '/purchased-phone-numbers');
  const { id, number } = body.data.find((each: { number: string }) => each.number === '+12025550113');
  await owner.request('startDialOut', { phoneNumber: '+15551234567', callerId: id });
  expect(await owner.event('dialout-connected')).toMatchObject({ callerId: number });
  await owner.request('startDialOut', { phoneNumber: '+15551234568', callerId: number });
  expect(await owner.event('dialout-connected')).toMatchObject({ callerId: number });
  expect(await owner.request('startDialOut', { phoneNumber: '+15551234569', callerId: '+15550000000' })).toEqual({
    error: { error: 'invalid-request-error', info: 'callerId is not a phone number of this domain' },
  });
});

test('fails to reach a sip: address', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using owner = await live.owner(room);
  const { result } = await owner.request('startDialOut', { sipUri: 'sip:somebody@example.com' });
  expect(await owner.event('dialout-error')).toMatchObject({ sessionId: result.sessionId, errorMsg: 'Failed' });
});

test('refuses what cannot be dialled', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using owner = await live.owner(room);
  const refused = async (params: object): Promise<string> => {
    const { error } = await owner.request('startDialOut', params);
    expect(error.error).toBe('invalid-request-error');
    return error.info;
  };
  expect(await refused({})).toMatch(/exactly one/);
  expect(await refused({ phoneNumber: '+15551234567', sipUri: 'sip:a@b' })).toMatch(/exactly one/);
  expect(await refused({ phoneNumber: '5551234567' })).toBe('phoneNumber: must be an E.164 number');
  expect(await refused({ phoneNumber: 5 })).toMatch(/^phoneNumber/);
  expect(await refused({ sipUri: 'https://example.com' })).toBe('sipUri: must start with sip:');
  await owner.request('startDialOut', { phoneNumber: '+12025550103' });
  expect(await refused({ phoneNumber: '+12025550103' })).toBe('dial-out already started');
  expect(await owner.request('stopDialOut', { sessionId: 'nobody' })).toMatchObject({
    error: { info: 'no dial-out to stop' },
  });
  expect(await owner.request('sendDTMF', { sessionId: 'nobody', tones: '1' })).toMatchObject({
    error: { info: 'no session running' },
  });
  expect((await owner.request('sendDTMF', { sessionId: 'nobody', tones: '1x' })).error.info).toMatch(/^tones/);
  expect(live.sandbox.placedCalls.size).toBe(1);
});

test('refuses a room without dial-out, and one in which nobody is', async () => {
  await using live = await startLiveRooms();
  const room = await live.room({ enable_dialout: false });
  const start = () => live.rest('POST', `/rooms/${room.name}/dialOut/start`, { phoneNumber: '+15551234567' });
  expect(await start()).toEqual({
    status: 404,
    body: { error: 'not-found', info: 'room is not hosting a call' },
  });
  await using owner = await live.owner(room);
  const error = {
    error: 'invalid-request-error',
    info: 'dial-out not enabled for room. add enable_dialout property to room',
  };
  expect(await start()).toEqual({ status: 400, body: error });
  expect(await owner.request('startDialOut', { phoneNumber: '+15551234567' })).toEqual({ error });
});

test('starts five dial-outs in five seconds at most, over REST and from within', async () => {
  await using live = await startLiveRooms();
  const rooms = await Promise.all([live.room(), live.room()]);
  await using first = await live.owner(rooms[0] as { name: string; url: string });
  await using second = await live.owner(rooms[1] as { name: string; url: string });
  for (let n = 1; n <= 3; n += 1) {
    expect(await first.request('startDialOut', { phoneNumber: `+1555123456${n}` })).toHaveProperty('result');
  }
  for (let n = 4; n <= 5; n += 1) {
    const path = `/rooms/${rooms[1]?.name}/dialOut/start`;
    expect((await live.rest('POST', path, { phoneNumber: `+1555123456${n}` })).status).toBe(200);
  }
  const { error } = await second.request('startDialOut', { phoneNumber: '+15551234566' });
  expect(error.error).toBe('rate-limit-error');
});

test('leaves call control to owners and participant admins', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using guest = await RoomGuest.join(room.url, { token: await live.tokenFor(room.name), tickMs: 2 });
  expect(await guest.request('startDialOut', { phoneNumber: '+15551234567' })).toEqual({
    error: {
      error: 'forbidden-error',
      info: 'unable to start dialout (is dialout enabled? are you a room owner or participant admin?)',
    },
  });
  expect(await guest.request('eject', { ids: [guest.sessionId] })).toMatchObject({
    error: { error: 'forbidden-error' },
  });
  const token = await live.tokenFor(room.name, { permissions: { canAdmin: ['participants'] } });
  await using admin = await RoomGuest.join(room.url, { token, tickMs: 2 });
  expect(await admin.request('startDialOut', { phoneNumber: '+15551234567' })).toHaveProperty('result');
  expect(live.sandbox.placedCalls.size).toBe(1);
});
