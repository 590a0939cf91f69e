import { hears, hum, listen, measure, startLiveRooms } from './live-rooms-under-test.js';

async function inRoom({ tickMs = 0.5, properties = {} as object } = {}) {
  const live = await startLiveRooms({ timing: { tickMs } });
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

const actionsOf = ({ events }: { events: { all: { action: string }[] } }): string[] =>
  events.all.map(({ action }) => action);

test('rings the destination, lets the caller hear that, and connects the two outside the room', async () => {
  await using call = await inRoom({ tickMs: 5 });
  const { owner, caller, sessionId, live } = call;
  const before = actionsOf(owner).length;
  expect(await call.transfer('+12025550101')).toEqual({ result: {} });
  const connected = await owner.event('dialout-connected');
  expect(connected).toMatchObject({ destination: '+12025550101', callerId: '+12025550100' });
  expect(connected.sessionId).not.toBe(sessionId);
  await caller.heard.next((frame) => frame.some((code) => (code & 0x7f) < 0x6f));
  expect(await owner.event('dialout-answered')).toMatchObject({ sessionId: connected.sessionId });
  expect(await owner.event('dialin-stopped')).toMatchObject({ sessionId });
  expect(actionsOf(owner).slice(before)).toEqual([
    'dialout-connected',
    'dialout-answered',
    'participant-left',
    'dialin-stopped',
  ]);
  // The bot leaves, the room is deleted, and the two go on.
  await owner[Symbol.asyncDispose]();
  await live.rest('DELETE', `/rooms/${call.room.name}`);
  caller.heard.all.length = 0;
  await caller.heard.next((frame) => frame.some((code) => (code & 0x7f) < 0x4f));
  expect(live.sandbox.liveCalls).toBe(2);
  caller.client.hangUp();
  expect(await caller.ended()).toMatchObject({ code: 4000 });
  expect(live.sandbox.liveCalls).toBe(0);
});

test('lets the destination hear the caller', async () => {
  await using call = await inRoom();
  const { caller } = call;
  // It asks who is calling, and says more only when it has heard somebody.
  await call.transfer('+12025550106');
  await call.owner.event('dialin-stopped');
  const isSpeech = (frame: Uint8Array): boolean => frame.some((code) => (code & 0x7f) < 0x4f);
  const isQuiet = (frame: Uint8Array): boolean => frame.every((code) => (code & 0x7f) > 0x77);
  const quiet = async (): Promise<void> => {
    for (let frames = 0; frames < 60; ) frames = isQuiet(await caller.heard.next()) ? frames + 1 : 0;
  };
  await caller.heard.next(isSpeech);
  await quiet();
  const start = caller.heard.all.length;
  caller.says = (frame) => (frame < start + 50 ? hum(500)(frame) : new Uint8Array(160).fill(0xff));
  await caller.heard.next(isSpeech);
});

test('ends the caller’s call when the destination hangs up', async () => {
  await using call = await inRoom();
  await call.transfer('+12025550107');
  await call.owner.event('dialin-stopped');
  expect(await call.caller.ended()).toMatchObject({ code: 4000, source: 'Callee' });
});

test.each([
  ['+12025550102', 'dialout-error', 'Busy'],
  ['+12025550103', 'dialout-stopped', undefined],
  ['+12025550104', 'dialout-error', 'Rejected'],
  ['+12025550108', 'dialout-error', 'Failed'],
] as const)('leaves the caller in the room when %s does not answer: %s %s', async (to, action, errorMsg) => {
  await using call = await inRoom();
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
});

test('the caller hears the room besides the ringing', async () => {
  await using call = await inRoom({ tickMs: 20 });
  const { owner, caller } = call;
  owner.hum(1_500);
  await hears(caller.heard, 1_500);
  await call.transfer('+12025550103');
  await owner.event('dialout-connected');
  let both = false;
  for (let tries = 0; tries < 40 && !both; tries += 1) {
    const pcm = await listen(caller.heard, 10);
    both = measure(pcm, 440).purity > 0.05 && measure(pcm, 1_500).purity > 0.3;
  }
  expect(both).toBe(true);
});

test('cancels the destination when the caller hangs up meanwhile', async () => {
  await using call = await inRoom();
  const { owner, caller, sessionId, live } = call;
  await call.transfer('+12025550103');
  const { sessionId: destination } = await owner.event('dialout-connected');
  caller.client.hangUp();
  expect(await owner.event('dialin-stopped')).toMatchObject({ sessionId });
  expect(await owner.event('dialout-stopped')).toMatchObject({ sessionId: destination });
  expect(live.sandbox.liveCalls).toBe(0);
});

test('cancels the destination when the caller is removed, or everybody leaves', async () => {
  await using call = await inRoom();
  const { owner, caller, live } = call;
  await call.transfer('+12025550103');
  await owner.event('dialout-connected');
  await owner[Symbol.asyncDispose]();
  expect(await caller.ended()).toMatchObject({ cause: 'Room Over', code: 4000, source: 'Room' });
  expect(live.sandbox.liveCalls).toBe(0);
});

test('transfers one that was dialled, too', async () => {
  await using live = await startLiveRooms({ timing: { tickMs: 0.5 } });
  const room = await live.room();
  await using owner = await live.owner(room);
  const { result } = await owner.request('startDialOut', { phoneNumber: '+15551234567' });
  await owner.event('participant-joined');
  await owner.request('sipCallTransfer', { sessionId: result.sessionId, toEndPoint: '+12025550101' });
  expect(await owner.event('dialout-stopped')).toMatchObject({ sessionId: result.sessionId });
  expect(live.sandbox.liveCalls).toBe(2);
});

test('refuses what cannot be transferred', async () => {
  await using call = await inRoom({ properties: { enable_dialout: false } });
  const { owner, sessionId } = call;
  expect(await call.transfer('+12025550101')).toEqual({
    error: {
      error: 'invalid-request-error',
      info: 'dial-out not enabled for room. add enable_dialout property to room',
    },
  });
  expect(await call.transfer('5551234567')).toEqual({
    error: { error: 'invalid-request-error', info: 'toEndPoint: must be an E.164 number or start with sip:' },
  });
  expect(await owner.request('sipRefer', { sessionId, toEndPoint: '+12025550101' })).toMatchObject({
    error: { info: 'toEndPoint: must start with sip:' },
  });
  const stranger = { sessionId: owner.sessionId, toEndPoint: 'sip:a@b' };
  expect(await owner.request('sipCallTransfer', stranger)).toMatchObject({ error: { info: 'no session running' } });
  expect(call.live.sandbox.placedCalls.size).toBe(0);
});

test('carries out one transfer of a caller at a time', async () => {
  await using call = await inRoom();
  await call.transfer('+12025550103');
  expect(await call.transfer('+12025550101')).toMatchObject({ error: { info: 'call transfer already started' } });
});

test.each(['sipCallTransfer', 'sipRefer'] as const)(
  '%s takes a caller to another room of the account',
  async (method) => {
    await using call = await inRoom();
    const { live, owner, caller, sessionId } = call;
    const other = await live.room();
    await using operator = await live.owner(other, 'operator');
    const move = { sessionId, toEndPoint: `sip:${other.endpoint}` };
    expect(await owner.request(method, move)).toEqual({ result: {} });
    expect(await owner.event('dialin-stopped')).toMatchObject({ sessionId });
    expect(await operator.event('dialin-connected')).toMatchObject({ sipEndpoint: `sip:${other.endpoint}` });
    await operator.event('participant-joined');
    caller.client.press('7');
    expect(await operator.event('dtmf-event')).toMatchObject({ tone: '7' });
  },
);

test.each(['sipCallTransfer', 'sipRefer'] as const)(
  '%s leaves the caller here when nobody is there',
  async (method) => {
    await using call = await inRoom();
    const { live, owner, caller, sessionId } = call;
    const empty = await live.room();
    for (const toEndPoint of [`sip:${empty.endpoint}`, 'sip:somebody@example.com', `sip:${call.room.endpoint}`]) {
      expect(await owner.request(method, { sessionId, toEndPoint })).toEqual({ result: {} });
      const error = await owner.event('dialout-error');
      expect(error).toMatchObject({ errorMsg: 'Failed', details: { destination: toEndPoint } });
    }
    caller.client.press('7');
    expect(await owner.event('dtmf-event')).toMatchObject({ sessionId, tone: '7' });
  },
);
