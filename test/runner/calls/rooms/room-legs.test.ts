import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VoicebotError } from '../../../../src/base/errors.js';
import { silentLogger } from '../../../../src/base/logger.js';
import { asCallId } from '../../../../src/call/call-id.js';
import { besideUserIds } from '../../../../src/providers/rooms/user-ids.js';
import { HangupJournal } from '../../../../src/runner/calls/debts/hangup-journal.js';
import { RoomLegs } from '../../../../src/runner/calls/rooms/room-legs.js';
import type { RoomOfCall } from '../../../../src/runner/calls/rooms/room-of-call.js';
import { until } from '../../../e2e/processes.js';
import { disown } from '../../rooms/runner-on-rooms.js';

const account = { carrier: 'hand', authId: 'fingerprint', apiUrl: 'http://127.0.0.1:1/v1' };
const room = { name: 'voicebot-0123456789abcdef', url: 'http://127.0.0.1:1/r', allowsDialout: true, token: 'token' };
const call: RoomOfCall = {
  id: asCallId('leg'),
  linkedTo: asCallId('main'),
  isDialled: true,
  body: {},
  phoneNumber: '+12025550177',
  limitS: 60,
  room,
};
const DIALLED = { dialout: { sessionId: 'session/1', isAnswered: true }, isDialling: false };
/** The bot was told that it may dial, and the provider has not named the leg. */
const DIALLING = { dialout: undefined, isDialling: true };
const refused = () => Promise.reject(new VoicebotError('VB_ROOMS_UNREACHABLE', 'as the test wants it'));

let stateDirectory: string;
/** What the provider was asked for. */
let asked: string[];
let answers: { stop: () => Promise<'stopped'>; eject: () => Promise<readonly string[] | undefined> };
const legs: RoomLegs[] = [];

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-legs-'));
  asked = [];
  answers = { stop: async () => 'stopped', eject: async () => [] };
});

afterEach(async () => {
  for (const one of legs.splice(0)) await one.stop(AbortSignal.abort());
  jest.useRealTimers();
  rmSync(stateDirectory, { recursive: true });
});

function open(): RoomLegs {
  const client = {
    stopDialout: (name: string, sessionId: string) => {
      asked.push(`stop ${name} ${sessionId}`);
      return answers.stop();
    },
    eject: (name: string, userId: string) => {
      asked.push(`eject ${name} ${userId}`);
      return answers.eject();
    },
  };
  const journal = new HangupJournal(stateDirectory, account);
  const opened = new RoomLegs({ client, journal, logger: silentLogger });
  legs.push(opened);
  return opened;
}

const STOP = `stop ${room.name} session/1`;
const EJECT = `eject ${room.name} ${besideUserIds('leg').leg}`;
const written = () => readdirSync(join(stateDirectory, 'hangups')).length;
/** Lets time pass until something holds. */
const soon = (condition: () => boolean, what: string) =>
  until(
    async () => {
      await jest.advanceTimersByTimeAsync(1_000);
      return condition();
    },
    what,
    120_000,
  );

test('a telephone is hung up until the provider says that it is', async () => {
  answers.stop = () => (asked.length < 3 ? refused() : Promise.resolve('stopped'));
  open().end(call, DIALLED);
  await soon(() => asked.length === 3, 'it is asked three times');
  await jest.advanceTimersByTimeAsync(60_000);
  expect({ asked, written: written() }).toEqual({ asked: [STOP, STOP, STOP], written: 0 });
});

test('what a runner has not managed to hang up the next one hangs up', async () => {
  answers.stop = refused;
  const first = open();
  first.end(call, DIALLED);
  await soon(() => asked.length > 0, 'it is asked');
  await first.stop(AbortSignal.abort());
  disown(stateDirectory, { kind: 'hangups' });
  asked = [];
  answers.stop = async () => 'stopped';
  open().recover();
  await soon(() => written() === 0, 'it is hung up');
  expect(asked).toEqual([STOP]);
});

test('one that the provider had not named when its bot died is removed when it answers, and hung up', async () => {
  answers.eject = async () => {
    if (asked.length === 2) return refused();
    return asked.length < 4 ? [] : ['session/1'];
  };
  open().end(call, DIALLING);
  await soon(() => asked.length === 5, 'it has answered');
  await jest.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual([EJECT, EJECT, EJECT, EJECT, STOP]);
});

test.each<[string, () => Promise<readonly string[] | undefined>, number]>([
  ['is not looked for in a room that is gone', async () => undefined, 1],
  ['is looked for as long as a telephone may ring', async () => [], 24],
])('one that the provider had not named %s', async (_, eject, times) => {
  answers.eject = eject;
  open().end(call, DIALLING);
  for (let s = 0; s < 300; s += 1) await jest.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual(Array.from({ length: times }, () => EJECT));
});

test('a telephone that was not dialled, or whose call has no room, is left alone', async () => {
  const opened = open();
  opened.end(call, { dialout: undefined, isDialling: false });
  opened.end({ ...call, room: undefined }, DIALLED);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(asked).toEqual([]);
});
