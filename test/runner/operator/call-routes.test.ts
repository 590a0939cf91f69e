import { appendFileSync, copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeWav } from '../../../src/base/audio/wav.js';
import type { CallPeaks } from '../../../src/call/call-peaks.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import type { KeptCall } from '../../../src/call/view/kept-call.js';
import { keepCall, type MadeCall, madeCall } from '../../call/view/made-call.js';
import { PAGE_TOKEN, PageServer } from '../../page/page-server.js';
import { send } from '../hand-carrier.js';
import { EventReader } from './event-reader.js';

let server: PageServer;
let kept: MadeCall;
let folder: string;
beforeAll(async () => {
  server = await PageServer.start();
  kept = madeCall();
  folder = keepCall(server.stateDirectory, kept);
});
afterAll(() => server[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) => send(`${server.url}${path}`, { headers });
const json = async (path: string) => JSON.parse((await get(path)).body);
const bytes = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${server.url}${path}`, { headers });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
};
const follow = (id: string) => EventReader.open(`${server.url}/calls/${id}/events`);
const timeline = (reader: EventReader): TimelineEvent[] =>
  reader.events.all.filter(({ event }) => event === 'message').map(({ data }) => JSON.parse(data));

describe('calls that have left a folder', () => {
  test('are listed, newest first, with what can be read of a damaged one', async () => {
    await using other = await PageServer.start();
    keepCall(other.stateDirectory, madeCall({ id: 'older', startedAt: 1_700_000_000_000 }));
    const damaged = keepCall(other.stateDirectory, madeCall({ id: 'damaged', startedAt: 1_800_000_000_000 }));
    writeFileSync(join(damaged, 'call.json'), '{"version":1,"id":');
    const { version, calls } = JSON.parse((await send(`${other.url}/folders`)).body);
    expect(version).toBe(1);
    expect(calls).toMatchObject([
      { id: 'damaged', endReason: 'caller_hung_up' },
      { id: 'older', from: '+12025550142' },
    ]);
  });

  test('there are none in a new state directory', async () => {
    await using empty = await PageServer.start();
    expect(JSON.parse((await send(`${empty.url}/folders`)).body)).toEqual({ version: 1, calls: [] });
  });

  test('tell all that happened in them, each event once, and end', async () => {
    await using reader = await follow(kept.record.id);
    await reader.over;
    expect(reader.events.all.map(({ event }) => event).filter((event) => event !== 'message')).toEqual([
      'call',
      'kept',
      'end',
    ]);
    expect(await reader.next<CallRecord>('call')).toEqual(kept.record);
    expect(await reader.next<KeptCall>('kept')).toEqual({
      version: 1,
      missing: [],
      audio: { startedAt: kept.record.startedAt + 620, durationMs: 46_680 },
      figures: expect.objectContaining({ by: 'sound', cutOffs: 0, falseStops: 0 }),
    });
    expect(timeline(reader)).toEqual(kept.events);
  });

  test('say what is missing of them', async () => {
    await using other = await PageServer.start();
    const path = keepCall(other.stateDirectory, kept);
    truncateSync(join(path, 'events.ndjson'), 2_000);
    rmSync(join(path, 'audio.wav'));
    await using reader = await EventReader.open(`${other.url}/calls/${kept.record.id}/events`);
    const { missing, audio } = await reader.next<KeptCall>('kept');
    expect(missing).toContain('The last line of events.ndjson is cut off.');
    expect(audio).toBeUndefined();
    await reader.over;
    expect(timeline(reader).length).toBeGreaterThan(3);
    expect((await send(`${other.url}/calls/${kept.record.id}/audio.wav`)).status).toBe(404);
  });
});

describe('a call that goes on', () => {
  test('is told as it happens, and ended when its bots have told everything', async () => {
    const call = madeCall({ id: 'going-on', startedAt: Date.now() - 20_000 });
    const since = call.record.startedAt + 20_000;
    const isEarly = ({ at }: TimelineEvent) => at < since;
    server.begin({ ...call, events: call.events.filter(isEarly) });
    await using reader = await follow(call.record.id);
    expect(await reader.next('call')).toMatchObject({ id: 'going-on', state: 'connected' });
    await reader.next<TimelineEvent>('message', ({ type }) => type === 'said');
    const late = call.events.filter((event) => !isEarly(event) && event.type !== 'bot_done');
    server.happen({ ...call, events: late });
    server.registry.end(call.record.id, 'caller_hung_up');
    await reader.next<TimelineEvent>('message', (event) => event.type === 'record' && event.record.state === 'ended');
    expect(reader.events.all.some(({ event }) => event === 'end')).toBe(false);
    server.happen({ ...call, events: call.events.filter(({ type }) => type === 'bot_done') });
    await reader.next('end');
    await reader.over;
    expect(timeline(reader).filter(({ type }) => type === 'said')).toHaveLength(11);
  });

  test('is told with what its folder knows and the runner has forgotten', async () => {
    const call = madeCall({ id: 'long-one', startedAt: Date.now() - 20_000 });
    keepCall(server.stateDirectory, { ...call, events: call.events.slice(0, 20) });
    server.begin({ ...call, events: call.events.slice(15, 30) });
    await using reader = await follow(call.record.id);
    const [last] = call.events.slice(29, 30);
    await reader.next<TimelineEvent>('message', ({ at }) => at === last?.at);
    const told = timeline(reader).filter(({ at }) => call.events.some((event) => event.at === at));
    expect(told.filter(({ type }) => type !== 'record')).toEqual(
      call.events.slice(0, 30).filter(({ type }) => type !== 'record'),
    );
    server.registry.end(call.record.id, 'bot_ended');
  });
});

describe('the recording of a call', () => {
  const path = () => `/calls/${kept.record.id}/audio.wav`;
  const whole = () => readFileSync(join(folder, 'audio.wav'));

  test('is sent whole', async () => {
    const { status, headers, body } = await bytes(path());
    expect([status, headers.get('content-type'), headers.get('accept-ranges')]).toEqual([200, 'audio/wav', 'bytes']);
    expect(body.equals(whole())).toBe(true);
    expect((await send(`${server.url}${path()}`, { method: 'HEAD' })).headers['content-length']).toBe(
      String(whole().length),
    );
  });

  test.each([
    ['bytes=0-99', 0, 100],
    ['bytes=40-50', 40, 51],
    ['bytes=300000-', 300_000, undefined],
    ['bytes=-1000', -1_000, undefined],
  ])('is sent in part: %s', async (range, from, to) => {
    const { status, headers, body } = await bytes(path(), { range });
    const expected = whole().subarray(from, to);
    expect(status).toBe(206);
    expect(headers.get('content-range')).toMatch(new RegExp(`^bytes \\d+-\\d+/${whole().length}$`));
    expect(body.equals(expected)).toBe(true);
  });

  test('has no part beyond its end, and several parts are the whole', async () => {
    const beyond = await bytes(path(), { range: 'bytes=99999999-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${whole().length}`]);
    expect((await bytes(path(), { range: 'bytes=0-1,900-901' })).status).toBe(200);
    expect((await bytes(path(), { range: 'lines=0-1' })).status).toBe(200);
  });

  test('that grows tells its length of the moment, and one with a damaged header can be played', async () => {
    await using other = await PageServer.start();
    const file = join(keepCall(other.stateDirectory, kept), 'audio.wav');
    appendFileSync(file, Buffer.alloc(4 * 8_000 + 3));
    const fetched = async () => decodeWav(Buffer.from(await (await fetch(`${other.url}${path()}`)).arrayBuffer()));
    expect((await fetched()).channels[0].length).toBe((whole().length - 44) / 4 + 8_000);
    writeFileSync(file, Buffer.concat([Buffer.alloc(44), whole().subarray(44)]));
    expect(await fetched()).toMatchObject({ sampleRate: 8_000, channels: { length: 2 } });
  });
});

describe('the waveform of a call', () => {
  const peaks = (query: string): Promise<CallPeaks> => json(`/calls/${kept.record.id}/peaks${query}`);

  test('has the lowest and the highest sample of each piece, of both sides', async () => {
    const { durationMs, left, right } = await peaks('?count=100');
    expect([durationMs, left.length, right.length]).toEqual([46_680, 200, 200]);
    const { channels } = decodeWav(readFileSync(join(folder, 'audio.wav')));
    const { length } = channels[0];
    // Pieces begin at whole steps of 10 ms.
    const edge = (piece: number) => Math.floor((piece * Math.ceil(length / 80)) / 100) * 80;
    const expected = (side: Int16Array) =>
      Array.from({ length: 100 }, (_, piece) => side.subarray(edge(piece), edge(piece + 1))).flatMap((samples) => [
        Math.min(0, ...samples) / 32_768,
        Math.max(0, ...samples) / 32_768,
      ]);
    for (const [told, side] of [
      [left, channels[0]],
      [right, channels[1] as Int16Array],
    ] as const) {
      for (const [index, value] of expected(side).entries()) expect(told[index]).toBeCloseTo(value, 3);
    }
  });

  test('has no more pieces than steps of 10 ms', async () => {
    expect((await peaks('?count=100000')).left).toHaveLength(2 * 4_668);
    expect((await peaks('')).left).toHaveLength(4_000);
  });

  test('grows with the recording', async () => {
    await using other = await PageServer.start();
    const file = join(keepCall(other.stateDirectory, kept), 'audio.wav');
    const asked = async () => JSON.parse((await send(`${other.url}/calls/${kept.record.id}/peaks?count=100000`)).body);
    const before = await asked();
    const loud = new Int16Array(2 * 800).fill(16_384);
    appendFileSync(file, Buffer.from(loud.buffer));
    const after = await asked();
    expect(after.durationMs).toBe(before.durationMs + 100);
    expect(after.left.slice(0, before.left.length)).toEqual(before.left);
    expect(after.left.slice(before.left.length)).toEqual(Array.from({ length: 10 }, () => [0, 0.5]).flat());
    copyFileSync(join(folder, 'audio.wav'), file); // a shorter one in its place
    expect(await asked()).toEqual(before);
  });

  test.each(['0', '-1', '1e3', '100001', 'x', '', '5&count=6'])('count=%s is refused', async (count) => {
    const { status, body } = await get(`/calls/${kept.record.id}/peaks?count=${count}`);
    expect([status, JSON.parse(body).error.code]).toEqual([400, 'VB_REQUEST_INVALID']);
  });
});

test.each(['events', 'audio.wav', 'peaks'])('there is no %s of a call that nobody knows', async (what) => {
  const odd = ['unknown', '..%2F..%2Fcalls', '%252e%252e', 'a%00b', kept.record.id.slice(0, 8), 'x'.repeat(5_000)];
  for (const id of odd) expect([id, (await get(`/calls/${id}/${what}`)).status]).toEqual([id, 404]);
});

test.each(['/events', '/folders', '/calls/a/events', '/calls/a/peaks', '/calls/a/audio.wav', '/docs/errors.md'])(
  '%s is not there for strangers',
  async (path) => {
    const host = 'bot.example.com';
    const { status, body } = await get(path, { host });
    expect([status, body]).toEqual([404, '']);
    expect((await get(path, { host, authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await get(`${path}?token=${PAGE_TOKEN}`, { host })).status).toBe(404);
  },
);

test('the page has the explanation of errors', async () => {
  const { status, headers, body } = await get('/docs/errors.md', { authorization: `Bearer ${PAGE_TOKEN}` });
  expect([status, headers['content-type'], body.includes('## VB_BOT_DIED')]).toEqual([
    200,
    'text/plain; charset=utf-8',
    true,
  ]);
});
