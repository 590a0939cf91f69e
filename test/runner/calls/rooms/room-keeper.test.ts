import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../../src/base/logger.js';
import { fingerprintOf } from '../../../../src/base/secret.js';
import { alone } from '../../../../src/runner/alone.js';
import { HangupJournal } from '../../../../src/runner/calls/debts/hangup-journal.js';
import { RoomKeeper } from '../../../../src/runner/calls/rooms/room-keeper.js';
import { disown } from '../../rooms/runner-on-rooms.js';

const SWEEP_EVERY_MS = 60_000;
const ROOM = 'voicebot-0123456789abcdef';
const credentials = { apiKey: 'room-api-key-of-the-tests', apiUrl: 'http://127.0.0.1:1/v1' };
const provider = { name: 'hand' };

let stateDirectory: string;
/** Whether presence shows somebody, at one look after the other; the last one stays. */
let looks: boolean[];
let looked: number;
let deleted: string[];
let keeper: RoomKeeper;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
  stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-keeper-'));
  looked = 0;
  deleted = [];
  const client = {
    createRoom: () => Promise.reject(new Error('not asked for')),
    isOccupied: async () => {
      looked += 1;
      return looks[Math.min(looked, looks.length) - 1] as boolean;
    },
    deleteRoom: async (name: string) => {
      deleted.push(name);
      return 'deleted' as const;
    },
  };
  keeper = new RoomKeeper({
    provider,
    credentials,
    client,
    journalOf: alone.journals(stateDirectory, silentLogger),
    logger: silentLogger,
  });
  const account = { carrier: 'hand', authId: fingerprintOf(credentials.apiKey), apiUrl: credentials.apiUrl };
  new HangupJournal(stateDirectory, account, 'rooms').add(ROOM);
});
afterEach(async () => {
  await keeper.stop(AbortSignal.abort());
  jest.useRealTimers();
  rmSync(stateDirectory, { recursive: true });
});

/** Looks once at the room, a sweep after the last time. */
async function sweep(): Promise<void> {
  await jest.advanceTimersByTimeAsync(SWEEP_EVERY_MS);
}

test('a room of a runner that has died is closed when it was empty twice, a sweep apart', async () => {
  looks = [false];
  disown(stateDirectory, { ageMs: SWEEP_EVERY_MS });
  keeper.recover();
  await jest.advanceTimersByTimeAsync(SWEEP_EVERY_MS - 1);
  expect({ looked, deleted }).toEqual({ looked: 1, deleted: [] });
  await jest.advanceTimersByTimeAsync(1);
  expect({ looked, deleted }).toEqual({ looked: 2, deleted: [ROOM] });
});

test('a room that presence shows empty at first, since it lags behind, is not closed', async () => {
  looks = [false, true];
  disown(stateDirectory, { ageMs: SWEEP_EVERY_MS });
  keeper.recover();
  for (let minutes = 0; minutes < 5; minutes += 1) await sweep();
  expect({ looked, deleted }).toEqual({ looked: 6, deleted: [] });
});

test('two empty looks with somebody there in between do not count', async () => {
  looks = [false, true, false, true, false, false];
  disown(stateDirectory, { ageMs: SWEEP_EVERY_MS });
  keeper.recover();
  for (let minutes = 0; minutes < 4; minutes += 1) await sweep();
  expect({ looked, deleted }).toEqual({ looked: 5, deleted: [] });
  await sweep();
  expect(deleted).toEqual([ROOM]);
});

test('a room younger than a minute is not even looked at', async () => {
  looks = [false];
  disown(stateDirectory, { ageMs: 0 });
  keeper.recover();
  await jest.advanceTimersByTimeAsync(SWEEP_EVERY_MS - 1);
  expect(looked).toBe(0);
  await jest.advanceTimersByTimeAsync(1);
  expect({ looked, deleted }).toEqual({ looked: 1, deleted: [] });
  await sweep();
  expect(deleted).toEqual([ROOM]);
});

test('a room whose call was over when its runner died is closed at once', async () => {
  looks = [true];
  const account = { carrier: 'hand', authId: fingerprintOf(credentials.apiKey), apiUrl: credentials.apiUrl };
  new HangupJournal(stateDirectory, account, 'room-ends').add(ROOM);
  disown(stateDirectory, { ageMs: 0, kind: 'room-ends' });
  keeper.recover();
  await jest.advanceTimersByTimeAsync(0);
  expect({ looked, deleted }).toEqual({ looked: 0, deleted: [ROOM] });
});
