import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../src/base/logger.js';
import { daily } from '../../../src/providers/daily/provider.js';
import { joinWebRtcRoom } from '../../../src/providers/rooms/webrtc/web-rtc-connection.js';
import { alone } from '../../../src/runner/alone.js';
import { RoomKeeper } from '../../../src/runner/calls/rooms/room-keeper.js';
import { tryRoom } from '../../../src/runner/calls/rooms/trial-room.js';
import { API_KEY, startLiveRooms } from '../../sandbox/rooms/live-rooms-under-test.js';

type Live = Awaited<ReturnType<typeof startLiveRooms>>;

let live: Live;
let home: string;

beforeAll(async () => {
  live = await startLiveRooms({ timing: { tickMs: 20 } });
  home = mkdtempSync(join(tmpdir(), 'voicebot-trial-'));
});

afterAll(async () => {
  await live[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

/** @param beforeJoining changes the room, by its name, when it has been created */
async function trial(beforeJoining: (name: string) => Promise<unknown> = async () => {}, transcribes = false) {
  const credentials = { apiKey: API_KEY, apiUrl: live.sandbox.roomsApiUrl };
  const client = await daily.createRestClient(credentials);
  const keeper = new RoomKeeper({
    provider: daily,
    credentials,
    client,
    journalOf: alone.journals(home, silentLogger),
    logger: silentLogger,
  });
  try {
    const joinFor = async (url: string) => {
      await beforeJoining(new URL(url).pathname.slice(1));
      return joinWebRtcRoom;
    };
    return await tryRoom({ client, keeper, joinFor, transcribes });
  } finally {
    await keeper.stop(new AbortController().signal);
    await client.close();
  }
}

async function expectNothingLeft(): Promise<void> {
  expect((await live.rest('GET', '/rooms')).body.data).toEqual([]);
  expect(readdirSync(join(home, 'rooms'))).toEqual([]);
}

test('joins a room of the sandbox, hears and is heard, and leaves neither a room nor a note of it', async () => {
  expect(await trial()).toEqual({ joinMs: expect.any(Number), isHeard: true, allowsDialout: true });
  await expectNothingLeft();
});

test('starts the transcription of the sandbox', async () => {
  expect(await trial(undefined, true)).toMatchObject({ isHeard: true, transcription: { works: true } });
  await expectNothingLeft();
});

test('a room for one: joined, and not heard', async () => {
  const forOne = (name: string) => live.rest('POST', `/rooms/${name}`, { properties: { max_participants: 1 } });
  expect(await trial(forOne)).toMatchObject({ isHeard: false });
  await expectNothingLeft();
});

test('a room that is gone when it is joined: the provider says so, with a hint', async () => {
  const error = await trial((name) => live.rest('DELETE', `/rooms/${name}`)).catch((error: unknown) => error);
  expect(error).toMatchObject({
    code: 'VB_ROOM_JOIN_FAILED',
    message: 'The room could not be joined: no-room: the room does not exist',
    hint: expect.stringContaining('create the room first'),
  });
  await expectNothingLeft();
});
