import { levelDb } from '../../../src/base/audio/level.js';
import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import { isGroupAlive, until } from '../../e2e/processes.js';
import { RoomsOnSandbox } from './rooms-on-sandbox.js';

let rooms: RoomsOnSandbox;
beforeAll(async () => {
  // Call time passes five times faster than it is.
  rooms = await RoomsOnSandbox.start({ sandbox: { timing: { tickMs: 4 } }, warm: 2 });
}, 30_000);
afterAll(() => rooms[Symbol.asyncDispose]());

const isLoud = (frame: Uint8Array) => levelDb(decodeMulaw(frame)) > -40;

test('a caller hears the bot, and is hung up when that ends the call', async () => {
  await using caller = await rooms.caller('+15550000640');
  await caller.tells('participant_joined');
  await caller.phone.heard.next(isLoud);
  caller.press('9');
  expect(await caller.phone.ended()).toMatchObject({ source: 'Room', code: 4000 });
  expect(await caller.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1, direction: 'inbound' });
  expect(caller.states).toEqual(['ringing', 'starting', 'connected', 'ended']);
  await caller.roomGone();
}, 40_000);

test('after a transfer the process of the bot is gone, and the caller hears the destination', async () => {
  await using caller = await rooms.caller('+15550000101');
  await caller.tells('participant_joined');
  caller.press('*0101');
  const { pid, data } = await caller.tells('outcome');
  expect(data).toMatchObject({ status: 'answered', data: { toEndPoint: '+12025550101' } });
  expect(await caller.ended()).toMatchObject({ endReason: 'transferred', attempt: 1 });
  expect(caller.states).toEqual(['ringing', 'starting', 'connected', 'transferring', 'ended']);
  await until(() => !isGroupAlive(pid), 'the bot has gone');
  await caller.phone.heard.next(isLoud);
}, 40_000);

test('a bot that dies after the answer is replaced, and nobody is called twice', async () => {
  const call = await rooms.dial('+15551234567', { pitch: 600, endsAfterMs: 3_000 });
  await call.killBot('dialout_answered');
  expect(await call.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 2 });
  expect(call.told.filter(({ event, attempt }) => event === 'dialout_answered' && attempt === 2)).toHaveLength(1);
  expect(rooms.sandbox.placedCalls.get('+15551234567')).toBe(1);
}, 40_000);

test('a call to a number that is busy ends so', async () => {
  const call = await rooms.dial('+12025550102');
  expect(await call.ended()).toMatchObject({ endReason: 'busy', attempt: 1, direction: 'outbound' });
  expect(call.states).not.toContain('connected');
  await call.roomGone();
}, 40_000);
