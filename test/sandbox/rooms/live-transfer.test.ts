import { hum } from './live-rooms-under-test.js';
import { actionsOf, inRoom, isHungUpWhenUnanswered, staysWhenUnanswered } from './transferring.js';

const LEFT = ['participant-left', 'dialin-stopped'];
const ANSWERED = ['dialout-connected', 'dialout-answered'];

test.each([
  ['leaves_at_once', [...LEFT, ...ANSWERED]],
  ['leaves_on_answer', [...ANSWERED, ...LEFT]],
] as const)(
  'rings the destination, lets the caller hear that, and connects the two: %s',
  async (transferOrder, told) => {
    await using call = await inRoom({ tickMs: 5, transferOrder });
    const { owner, caller, sessionId, live } = call;
    const before = actionsOf(owner).length;
    expect(await call.transfer('+12025550101')).toEqual({ result: {} });
    await caller.heard.next((frame) => frame.some((code) => (code & 0x7f) < 0x6f));
    for (const action of told) await owner.event(action);
    const events = owner.events.all.slice(before);
    expect(events.map(({ action }) => action)).toEqual(told);
    const [connected, answered] = events.filter(({ action }) => action.startsWith('dialout'));
    expect(connected).toMatchObject({ destination: '+12025550101', callerId: '+12025550100' });
    expect(connected?.sessionId).not.toBe(sessionId);
    expect(answered?.sessionId).toBe(connected?.sessionId);
    expect(events.find(({ action }) => action === 'dialin-stopped')).toMatchObject({ sessionId });
    // The bot leaves, the room is deleted, and the two go on.
    await owner[Symbol.asyncDispose]();
    await live.rest('DELETE', `/rooms/${call.room.name}`);
    caller.heard.all.length = 0;
    await caller.heard.next((frame) => frame.some((code) => (code & 0x7f) < 0x4f));
    expect(live.sandbox.liveCalls).toBe(2);
    caller.client.hangUp();
    expect(await caller.ended()).toMatchObject({ code: 4000 });
    expect(live.sandbox.liveCalls).toBe(0);
  },
);

test('lets the destination hear the caller', async () => {
  await using call = await inRoom();
  const { caller } = call;
  // It asks who is calling, and says more only when it has heard somebody.
  await call.transfer('+12025550106');
  await call.owner.event('dialout-answered');
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
  const { sessionId } = await call.owner.event('dialout-answered');
  expect(await call.caller.ended()).toMatchObject({ code: 4000, source: 'Callee' });
  expect(await call.owner.event('dialout-stopped')).toMatchObject({ sessionId });
});

test('hangs up a caller who has left the room when the destination is busy', () =>
  isHungUpWhenUnanswered('+12025550102', 'dialout-error', 'Busy'));

test('leaves a caller who has not left it in the room then', () =>
  staysWhenUnanswered('+12025550102', 'dialout-error', 'Busy'));

test('cancels the destination when the caller hangs up meanwhile', async () => {
  await using call = await inRoom();
  const { owner, caller, sessionId, live } = call;
  await call.transfer('+12025550103');
  expect(await owner.event('dialin-stopped')).toMatchObject({ sessionId });
  const { sessionId: destination } = await owner.event('dialout-connected');
  caller.client.hangUp();
  expect(await owner.event('dialout-stopped')).toMatchObject({ sessionId: destination });
  expect(live.sandbox.liveCalls).toBe(0);
});

test.each([
  ['leaves_at_once', 'Transfer Failed'],
  ['leaves_on_answer', 'Room Over'],
] as const)('cancels the destination when everybody leaves while it rings: %s', async (transferOrder, cause) => {
  await using call = await inRoom({ transferOrder });
  const { owner, caller, live } = call;
  await call.transfer('+12025550103');
  await owner.event('dialout-connected');
  await owner[Symbol.asyncDispose]();
  expect(await caller.ended()).toMatchObject({ cause, source: 'Room' });
  expect(live.sandbox.liveCalls).toBe(0);
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
  await using call = await inRoom({ transferOrder: 'leaves_on_answer' });
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
  '%s leaves a caller who has not left here when nobody is there',
  async (method) => {
    await using call = await inRoom({ transferOrder: 'leaves_on_answer' });
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

test.each(['sipCallTransfer', 'sipRefer'] as const)('%s hangs up a caller who has left for nobody', async (method) => {
  await using call = await inRoom();
  const { owner, caller, sessionId } = call;
  expect(await owner.request(method, { sessionId, toEndPoint: 'sip:nobody@example.com' })).toEqual({ result: {} });
  expect(await owner.event('dialin-stopped')).toMatchObject({ sessionId });
  expect(await owner.event('dialout-error')).toMatchObject({ errorMsg: 'Failed' });
  expect(await caller.ended()).toMatchObject({ cause: 'Transfer Failed', source: 'Room' });
});
