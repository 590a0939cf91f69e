import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HangupJournal } from '../../../src/runner/calls/debts/hangup-journal.js';
import { until } from '../../e2e/processes.js';
import { holdTimers } from '../hold-timers.js';
import { IN_PROCESS } from '../in-process-bots.js';
import { RunnerUnderTest } from '../runner-under-test.js';
import { API_KEY, type HandRooms, refused, roomsAccess } from './hand-rooms.js';
import { leftCall } from './killed-runner.js';
import { type LeftRooms, openLeftRoomsForEachTest, SWEEP_EVERY_MS } from './left-rooms.js';
import { disown, RunnerOnRooms } from './runner-on-rooms.js';

let left: LeftRooms;
let rooms: HandRooms;
let stateDirectory: string;
openLeftRoomsForEachTest((opened) => {
  left = opened;
  ({ rooms, stateDirectory } = left);
});

const serve = (apiKey = API_KEY) =>
  RunnerOnRooms.serve({ ...IN_PROCESS, stateDirectory, provider: roomsAccess(rooms.url, apiKey) }, rooms);

/** Leaves its state folder, unlike its disposal. */
async function stopAtOnce({ runner }: RunnerUnderTest): Promise<void> {
  const stopped = runner.stop();
  void runner.stop();
  await stopped;
}

/** With timers held: the room is closed after some of the looks that are taken every minute. */
const closedBySweeps = (room: string): Promise<void> =>
  until(() => {
    jest.advanceTimersByTime(SWEEP_EVERY_MS);
    return !rooms.open.has(room);
  }, 'the room is closed');

/** The room of a call of an earlier runner, which was stopped before it could close it. */
async function roomThatStayed(apiKey?: string): Promise<string> {
  rooms.respond = ({ method }) => (method === 'deleteRoom' ? refused('VB_ROOMS_UNREACHABLE') : undefined);
  const served = await serve(apiKey);
  const bot = await served.call();
  await stopAtOnce(served);
  disown(stateDirectory);
  rooms.respond = () => undefined;
  await bot.left;
  expect(rooms.open).toContain(bot.room);
  return bot.room;
}

describe('when a runner is killed in a call', () => {
  test('the next one closes the room when nobody has been in it for a while', async () => {
    const bot = await leftCall(rooms, stateDirectory);
    process.kill(bot.hello.pid, 'SIGKILL');
    await bot.left;
    disown(stateDirectory);
    holdTimers();
    await using _next = await serve();
    await closedBySweeps(bot.room);
    await left.nothingOwed();
  }, 60_000);
});

describe('a room that could not be closed', () => {
  test('is closed by the next runner at once, since its call was over', async () => {
    const room = await roomThatStayed();
    expect(left.written()).toEqual([`${room}.json`]);
    await using next = await serve();
    await next.closed(room);
    await left.nothingOwed();
    expect(rooms.asked('isOccupied')).toEqual([]);
    await until(() => readdirSync(join(stateDirectory, 'room-ends')).length === 0, 'nothing is written of its end');
  });

  test('is left alone by a runner of another account', async () => {
    const room = await roomThatStayed();
    const before = readFileSync(join(left.folder, `${room}.json`), 'utf8');
    const asked = rooms.requests.all.length;
    const other = await serve('key-of-another-account');
    const bot = await other.call();
    void bot.order('return');
    await other.ended(bot);
    await other.closed(bot.room);
    await stopAtOnce(other);
    expect(rooms.asked('isOccupied')).toEqual([]);
    expect(rooms.requests.all.slice(asked).map(({ method }) => method)).toEqual([
      'createRoom',
      'createToken',
      'deleteRoom',
    ]);
    expect(readFileSync(join(left.folder, `${room}.json`), 'utf8')).toBe(before);
    holdTimers();
    await using _next = await serve();
    await closedBySweeps(room);
  });

  test('is not kept open by another one that cannot be looked at', async () => {
    const [first, second] = [await roomThatStayed(), await roomThatStayed()].sort() as [string, string];
    rmSync(join(stateDirectory, 'room-ends'), { recursive: true }); // as if their calls had gone on
    let isBroken = true;
    rooms.respond = ({ method, asked }) =>
      method === 'isOccupied' && asked === first && isBroken ? refused() : undefined;
    holdTimers();
    await using _next = await serve();
    await closedBySweeps(second);
    expect(rooms.open).toContain(first);
    isBroken = false;
    await closedBySweeps(first);
    await left.nothingOwed();
  });

  test('is tried again until it is, even when it is gone by then', async () => {
    await using served = await serve();
    let failures = 3;
    rooms.respond = ({ method }) => {
      if (method !== 'deleteRoom') return undefined;
      failures -= 1;
      return failures > 0 ? refused('VB_ROOMS_UNREACHABLE') : failures === 0 ? 'lost' : undefined;
    };
    const bot = await served.connectedCall();
    holdTimers();
    void bot.order('return');
    expect(await served.ended(bot)).toMatchObject({ endReason: 'bot_ended' }); // whatever becomes of the room
    await until(() => {
      jest.advanceTimersByTime(30_000);
      return left.written().length === 0;
    }, 'the room is closed for certain');
    expect(rooms.open.size).toBe(0);
    expect(rooms.asked('deleteRoom')).toHaveLength(4);
  });
});

test('what is written of a room says nothing of the key', async () => {
  await using served = await serve();
  const { room, hello } = await served.call();
  const text = readFileSync(join(left.folder, `${room}.json`), 'utf8');
  expect(text).toContain(room);
  expect(text).not.toContain(API_KEY);
  expect(text).not.toContain(hello.token);
});

test('a room is written down before it is created, and not any more when it is closed', async () => {
  await using served = await serve();
  let whenCreated: string[] = [];
  rooms.respond = ({ method }) => {
    if (method === 'createRoom') whenCreated = left.written();
    return undefined;
  };
  const bot = await served.call();
  expect(whenCreated).toEqual([`${bot.room}.json`]);
  void bot.order('return');
  await served.closed(bot.room);
  await left.nothingOwed();
});

test('a live call is not taken for a left one, even while nobody is in its room', async () => {
  holdTimers();
  await using served = await RunnerOnRooms.serve({ stateDirectory }, rooms);
  const bot = await served.call();
  rooms.respond = ({ method }) => (method === 'isOccupied' ? refused() : undefined);
  await bot.tell({ type: 'joined' }, { type: 'connected' });
  await served.ready();
  jest.advanceTimersByTime(SWEEP_EVERY_MS);
  const next = await served.rooms.bot(bot.hello.call.id, 2); // no sign of life came from the first in that time
  await served.everythingArrived();
  expect(rooms.asked('isOccupied')).toEqual([]);
  expect(rooms.asked('deleteRoom')).toEqual([]);
  expect(next.room).toBe(bot.room);
  expect(left.written()).toEqual([`${bot.room}.json`]);
});

test('the room of a call that was transferred is left to the two who talk in it', async () => {
  const served = await serve();
  const bot = await served.connectedCall();
  await bot.tell({ type: 'transferring' }, { type: 'over', reason: 'transferred' });
  void bot.order('return');
  expect(await served.ended(bot)).toMatchObject({ endReason: 'transferred' });
  expect(left.written()).toEqual([]);
  await stopAtOnce(served);
  await using next = await serve();
  await next.everythingArrived();
  expect(rooms.asked('deleteRoom')).toEqual([]);
  expect(rooms.asked('isOccupied')).toEqual([]);
  expect(rooms.open.size).toBe(1);
});

describe('what is owed to a carrier and what is owed to a room provider', () => {
  test('do not meet: runners on rooms leave calls alone', async () => {
    const account = { carrier: 'hand', authId: 'whoever', apiUrl: rooms.url };
    const journal = new HangupJournal(stateDirectory, account);
    journal.add('call-of-a-carrier');
    await using served = await serve();
    await served.everythingArrived();
    expect(rooms.requests.all).toEqual([]);
    expect(journal.orphans()).toEqual(['call-of-a-carrier']);
  });

  test('do not meet: runners on a carrier leave rooms alone', async () => {
    const room = await roomThatStayed();
    const onCarrier = await RunnerUnderTest.start({ ...IN_PROCESS, stateDirectory });
    await onCarrier.carrier.answer();
    await stopAtOnce(onCarrier);
    await onCarrier.api[Symbol.asyncDispose]();
    expect(left.written()).toEqual([`${room}.json`]);
  });
});
