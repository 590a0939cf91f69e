import { IN_PROCESS } from '../in-process-bots.js';
import { CALLER, callFields, RunnerOnRooms } from './runner-on-rooms.js';

const nowS = () => Date.now() / 1_000;

/** What the runner has asked of the provider for its only call. */
function requestsOf({ rooms }: RunnerOnRooms) {
  const [room, ...moreRooms] = rooms.asked('createRoom');
  const [token, ...moreTokens] = rooms.asked('createToken');
  expect([...moreRooms, ...moreTokens]).toEqual([]);
  if (!room || !token) throw new Error('nothing was asked for');
  return { room, token };
}

test('a caller gets a room that takes calls, lets them out for transfers, and keeps nobody for long', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  await served.call();
  const { room, token } = requestsOf(served);
  expect(room).toEqual({
    name: expect.stringMatching(/^voicebot-[0-9a-f]{16}$/),
    expiresAt: expect.any(Number),
    idleSeconds: 20,
    dialin: { displayName: CALLER },
    allowsDialout: true,
  });
  expect(token).toEqual({ roomName: room.name, isOwner: true, expiresAt: expect.any(Number), userId: 'voicebot' });
});

test('a caller without a number is shown as one all the same', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  await served.webhook(callFields('call-1', { From: '' }));
  await served.rooms.bot('call-1');
  expect(requestsOf(served).room.dialin).toEqual({ displayName: 'caller' });
});

test('a call that goes out gets a room that takes none', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  await served.dial();
  const { room, token } = requestsOf(served);
  expect(room).toMatchObject({ allowsDialout: true, idleSeconds: 20 });
  expect(room).not.toHaveProperty('dialin');
  expect(token).toMatchObject({ roomName: room.name, isOwner: true });
});

test.each([
  ['a call that came in', 600, (served: RunnerOnRooms) => served.call()],
  ['a call that goes out, with its ringing', 345, (served: RunnerOnRooms) => served.dial()],
])('room and token outlast %s by two minutes', async (_, longestS, start) => {
  await using served = await RunnerOnRooms.serve({
    ...IN_PROCESS,
    maxCallSeconds: 600,
    dialMaxSeconds: 300,
    ringSeconds: 45,
  });
  const before = nowS();
  await start(served);
  const { room, token } = requestsOf(served);
  expect(room.expiresAt).toBeGreaterThanOrEqual(before + longestS + 120);
  expect(room.expiresAt).toBeLessThanOrEqual(Math.ceil(nowS()) + longestS + 120);
  expect(Number.isInteger(room.expiresAt)).toBe(true);
  expect(token.expiresAt).toBe(room.expiresAt);
});

test('every call has a room of its own', async () => {
  await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, callsPerProcess: 3 });
  const bots = [await served.call(), await served.call(), await served.dial()];
  expect(new Set(bots.map(({ room }) => room)).size).toBe(3);
  expect(new Set(bots.map(({ hello }) => hello.token)).size).toBe(3);
});
