import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseTelephonyWebSocket } from '../../../../src/bot/transports/stream/parse-telephony-websocket.js';
import { carriers } from '../../../../src/providers/registry/carriers.js';
import { CALL_ID, openStream, START, STREAM_ID } from '../fake-stream.js';

afterEach(() => {
  jest.useRealTimers();
});

test('decides on the first message and leaves it, and what follows, to the next listener', async () => {
  await using stream = await openStream();
  const second = { event: 'media', media: { payload: 'AAAA' } };
  stream.carrier.send(JSON.stringify(START));
  stream.carrier.send(JSON.stringify(second));
  const [type, data] = await parseTelephonyWebSocket(stream.bot);
  expect(type).toBe('plivo');
  expect(data).toEqual({ stream_id: STREAM_ID, call_id: CALL_ID });
  const received: unknown[] = [];
  stream.bot.on('message', (message) => received.push(JSON.parse(String(message))));
  while (received.length < 2) await once(stream.bot, 'message');
  expect(received).toEqual([START, second]);
});

test('fails when no start message arrives in time', async () => {
  await using stream = await openStream();
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
  const parsed = parseTelephonyWebSocket(stream.bot, { timeoutMs: 5_000 });
  const failed = expect(parsed).rejects.toMatchObject({ code: 'VB_STREAM_UNRECOGNISED' });
  await jest.advanceTimersByTimeAsync(5_000);
  await failed;
});

test('fails when the stream closes first, or was closed before', async () => {
  await using stream = await openStream();
  const parsed = parseTelephonyWebSocket(stream.bot);
  stream.carrier.close();
  await expect(parsed).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
  await expect(parseTelephonyWebSocket(stream.bot)).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
});

test('fails when the start message is of no known carrier', async () => {
  await using stream = await openStream();
  stream.carrier.send('{"event":"start","start":{}}');
  await expect(parseTelephonyWebSocket(stream.bot)).rejects.toMatchObject({ code: 'VB_STREAM_UNRECOGNISED' });
});

test('refuses an identifier that could leave its place in a URL', async () => {
  await using stream = await openStream();
  stream.carrier.send(JSON.stringify({ ...START, start: { ...START.start, callId: '../Number/1' } }));
  await expect(parseTelephonyWebSocket(stream.bot)).rejects.toMatchObject({ code: 'VB_STREAM_UNRECOGNISED' });
});

test.each(['telnyx', 'exotel'].filter((name) => !Object.hasOwn(carriers, name)))(
  'recognises %s and says that it has no codec yet',
  async (carrier) => {
    await using stream = await openStream();
    const read = (name: string) =>
      readFileSync(new URL(`../../../fixtures/${carrier}/${name}.json`, import.meta.url), 'utf8');
    stream.carrier.send(read('connected'));
    stream.carrier.send(read('start'));
    await expect(parseTelephonyWebSocket(stream.bot)).rejects.toMatchObject({
      code: 'VB_CARRIER_UNSUPPORTED',
      message: expect.stringContaining(carrier),
    });
  },
);
