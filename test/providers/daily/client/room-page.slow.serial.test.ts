import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Goertzel } from '../../../../src/base/audio/goertzel.js';
import { Browser } from '../../../../src/providers/daily/client/browser.js';
import { joinWithBrowser } from '../../../../src/providers/daily/client/join-through-browser.js';
import type { ClientModule } from '../../../../src/providers/daily/client/room-page.js';
import type { JoinedRoom } from '../../../../src/providers/rooms/joined-room.js';
import type { DialoutData, RoomEvents } from '../../../../src/providers/rooms/room-connection.js';
import { Inbox } from '../../../sandbox/inbox.js';

/** The page itself in a real browser, with a client that stands in for the provider's, and with the real one. */
const browser = new Browser({ environment: { PATH: process.env.PATH ?? '' } });
let files: Server;
let standIn: ClientModule;
let room: JoinedRoom | undefined;

beforeAll(async () => {
  const client = readFileSync(new URL('./stand-in-client.js', import.meta.url));
  files = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' }).end(client);
  });
  files.listen(0, '127.0.0.1');
  await once(files, 'listening');
  standIn = { url: `http://127.0.0.1:${(files.address() as AddressInfo).port}/client.js` };
  await browser.start();
});

afterEach(async () => {
  await room?.leave();
  room = undefined;
});

afterAll(async () => {
  await browser.close();
  files.close();
});

async function join(token: string, sampleRate = 16_000, client = standIn, limitMs = 10_000): Promise<JoinedRoom> {
  const roomUrl = 'https://example.daily.co/room';
  const options = { roomUrl, token, userName: 'Bot', sampleRate, limitMs };
  room = await joinWithBrowser(options, { pages: browser, client });
  return room;
}

/** The next whole second in which somebody is heard. */
async function second(heard: Inbox<Int16Array>, sampleRate: number): Promise<Int16Array> {
  await heard.next((pcm) => pcm.some((sample) => Math.abs(sample) > 1_000));
  const frames: Int16Array[] = [];
  for (let n = 0; n < 60; n += 1) frames.push(await heard.next());
  const pcm = Int16Array.from(frames.slice(10).flatMap((frame) => [...frame]));
  expect(pcm.length).toBe(sampleRate);
  return pcm;
}

/** Amplitude of a tone, of full scale: the median of ten pieces, one or two of which may hold a gap of a busy machine. */
function amplitude(pcm: Int16Array, frequency: number, sampleRate: number): number {
  const length = sampleRate / 10;
  const goertzel = new Goertzel(frequency, sampleRate);
  const amplitudes = Array.from({ length: 10 }, (_, n) => {
    goertzel.measure(Float64Array.from(pcm.subarray(n * length, (n + 1) * length)));
    return (2 * Math.sqrt(goertzel.power)) / length / 32_768;
  });
  return amplitudes.toSorted((a, b) => a - b)[5] as number;
}

function hear(connection: JoinedRoom): Inbox<Int16Array> {
  const heard = new Inbox<Int16Array>();
  connection.start((pcm) => heard.push(pcm));
  return heard;
}

test('everybody is heard, mixed; one alone where only that one is listened to; and who is removed is not heard any more', async () => {
  const sampleRate = 16_000;
  const connection = await join('two voices', sampleRate);
  expect([...connection.participants.keys()]).toEqual(['alice', 'bob']);
  const gone = new Promise<RoomEvents['participant_left'][0]>((resolve) => connection.on('participant_left', resolve));
  const heard = hear(connection);
  const both = await second(heard, sampleRate);
  expect(amplitude(both, 440, sampleRate)).toBeCloseTo(0.25, 1);
  expect(amplitude(both, 1_000, sampleRate)).toBeCloseTo(0.25, 1);

  connection.hearOnly(['bob']);
  const pause = await second(heard, sampleRate); // in which it changes
  const bob = await second(heard, sampleRate);
  expect(pause.length).toBe(sampleRate);
  expect(amplitude(bob, 440, sampleRate)).toBeLessThan(0.002);
  expect(amplitude(bob, 1_000, sampleRate)).toBeCloseTo(0.25, 1);

  connection.hearOnly(undefined);
  await connection.eject(['alice', 'nobody']);
  expect((await gone).sessionId).toBe('alice');
  expect([...connection.participants.keys()]).toEqual(['bob']);
  await second(heard, sampleRate); // in which it becomes quiet
  expect(amplitude(await second(heard, sampleRate), 440, sampleRate)).toBeLessThan(0.002);
});

test.each([8_000, 16_000])(
  'what the bot says leaves the page as it is, and comes in so, at %i Hz',
  async (sampleRate) => {
    const connection = await join('echo', sampleRate);
    const heard = new Inbox<Int16Array>();
    let at = 0;
    connection.start((pcm) => {
      const frame = new Int16Array(sampleRate / 50);
      for (let n = 0; n < frame.length; n += 1, at += 1) {
        frame[n] = 8_000 * Math.sin((2 * Math.PI * 700 * at) / sampleRate);
      }
      connection.say(frame);
      heard.push(pcm);
    });
    const echo = await second(heard, sampleRate);
    expect(amplitude(echo, 700, sampleRate)).toBeCloseTo(8_000 / 32_768, 2);
  },
);

test('call control and keys go both ways; a refusal comes in the words of the client', async () => {
  const connection = await join('two voices');
  const ringing = new Promise<DialoutData>((resolve) => connection.on('dialout_connected', resolve));
  const keys: string[] = [];
  const pressed = new Promise<void>((resolve) =>
    connection.on('dtmf', ({ digit }) => {
      if (keys.push(digit) === 3) resolve();
    }),
  );
  connection.start(() => {});
  expect(await connection.startDialout({ phoneNumber: '+12025550101' })).toEqual({ sessionId: 'leg-1' });
  expect(await ringing).toEqual({ sessionId: 'leg-1', destination: '+12025550101' });
  await connection.sendDtmf({ sessionId: 'leg-1', tones: '12#' });
  await pressed;
  expect(keys).toEqual(['1', '2', '#']);
  await expect(connection.startDialout({ phoneNumber: '+15555550199' })).rejects.toMatchObject({
    code: 'VB_ROOMS_REQUEST_FAILED',
    hint: 'use the token of an owner, in a room with dial-out enabled',
  });
  await expect(connection.sipCallTransfer({ sessionId: 'leg-1', toEndPoint: '+1' })).rejects.toThrow(
    /sipCallTransfer: FORBIDDEN: not a PSTN leg/,
  );
  await connection.sipRefer({ sessionId: 'leg-1', toEndPoint: 'sip:a@b' });
});

test.each([
  ['refuse:exp-token', /exp-token: refused because of exp-token/],
  ['refuse:no-room', /no-room/],
  ['text', /only .* was thrown/],
])('a refusal to join is told in its words: %s', async (token, words) => {
  await expect(join(token)).rejects.toMatchObject({
    code: 'VB_ROOM_JOIN_FAILED',
    message: expect.stringMatching(words),
  });
});

test('a client that never answers is given up', async () => {
  await expect(join('never', 16_000, standIn, 500)).rejects.toThrow(/not joined within 500 ms/);
});

test('a page whose client stands still is replaced, and goes on', async () => {
  jest.spyOn(console, 'error').mockImplementation(() => {});
  const connection = await join('hang');
  const back = new Promise<void>((resolve) => jest.mocked(console.error).mockImplementation(() => resolve()));
  hear(connection);
  await back;
  expect(connection.isOut).toBe(false);
  await connection.leave();
  jest.restoreAllMocks();
});

test('a client that cannot be loaded is told by its address', async () => {
  const nowhere = { url: `${(standIn as { url: string }).url.replace(/:\d+/, ':1')}` };
  await expect(join('x', 16_000, nowhere)).rejects.toMatchObject({
    code: 'VB_ROOMS_UNREACHABLE',
    message: expect.stringContaining('http://127.0.0.1:1/client.js'),
  });
});

test('the real client, the oldest and the latest, takes our options; without internet, joining names the address that it could not load', async () => {
  const refusals = ['daily-js-oldest', '@daily-co/daily-js'].map(async (name) => {
    const file = new URL(`../../../../node_modules/${name}/dist/daily-esm.js`, import.meta.url).pathname;
    await expect(join('token', 16_000, { file }, 20_000)).rejects.toMatchObject({
      code: 'VB_ROOMS_UNREACHABLE',
      message: expect.stringMatching(
        /could not be loaded: connection-error: .*https:\/\/c\.daily\S+call-machine-object-bundle\.js/,
      ),
      hint: expect.stringMatching(/internet/),
    });
  });
  await Promise.all(refusals);
}, 60_000);
