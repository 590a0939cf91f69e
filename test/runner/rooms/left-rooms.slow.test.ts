import { isAlive, until } from '../../e2e/processes.js';
import { holdTimers } from '../hold-timers.js';
import { type HandRooms, roomsAccess } from './hand-rooms.js';
import { leftCall } from './killed-runner.js';
import { type LeftRooms, openLeftRoomsForEachTest, SWEEP_EVERY_MS } from './left-rooms.js';
import { CALLEE, disown, RunnerOnRooms } from './runner-on-rooms.js';

/** Every test starts a runner in a process of its own, and other tests run beside these. */
jest.setTimeout(60_000);

let left: LeftRooms;
let rooms: HandRooms;
let stateDirectory: string;
openLeftRoomsForEachTest((opened) => {
  left = opened;
  ({ rooms, stateDirectory } = left);
});

const serve = () => RunnerOnRooms.serve({ stateDirectory, provider: roomsAccess(rooms.url) }, rooms);

describe('when a runner is killed in a call', () => {
  test('the next one leaves the room alone while somebody is in it, and closes it when it is empty', async () => {
    const bot = await leftCall(rooms, stateDirectory);
    expect(left.written()).toEqual([`${bot.room}.json`]);
    disown(stateDirectory);
    holdTimers();
    await using next = await serve();
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await until(() => rooms.asked('isOccupied').length > minutes, 'the room is looked at');
      await next.everythingArrived();
      jest.advanceTimersByTime(SWEEP_EVERY_MS);
    }
    expect(rooms.asked('deleteRoom')).toEqual([]);
    expect(isAlive(bot.hello.pid)).toBe(true);
    expect(rooms.asked('isOccupied')[0]).toBe(bot.room);

    void bot.order('return');
    await bot.left;
    await until(() => {
      jest.advanceTimersByTime(SWEEP_EVERY_MS);
      return !rooms.open.has(bot.room);
    }, 'the empty room is closed');
    await left.nothingOwed();
    await until(() => !isAlive(bot.hello.pid), 'the bot without a runner ends its process');
  });

  test('a caller who is alone there counts as somebody', async () => {
    const bot = await leftCall(rooms, stateDirectory);
    rooms.visited.add(bot.room);
    process.kill(bot.hello.pid, 'SIGKILL');
    await bot.left;
    disown(stateDirectory);
    await using next = await serve();
    expect(await rooms.next('isOccupied')).toBe(bot.room);
    await next.everythingArrived();
    expect(rooms.asked('deleteRoom')).toEqual([]);
    expect(left.written()).toEqual([`${bot.room}.json`]);
  });

  test('its bot calls nobody any more, and ends the call when it is silent', async () => {
    const bot = await leftCall(rooms, stateDirectory);
    await until(async () => {
      return Object(await bot.checkTarget(CALLEE)).code === 'VB_TARGET_REFUSED';
    }, 'the bot has noticed');
    void bot.order('tell', { type: 'silent' });
    await bot.left;
    await until(() => !isAlive(bot.hello.pid), 'the bot ends its process');
  });
});
