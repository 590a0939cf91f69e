import { once } from 'node:events';
import { WebSocket } from 'ws';
import { encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { FakeDeepgram, type FakeDeepgramOptions } from '../../../src/lab/kit/index.js';

interface Result {
  is_final: boolean;
  speech_final: boolean;
  start: number;
  duration: number;
  channel: { alternatives: [{ transcript: string }] };
}

/** A client of the bare wire. */
async function connect(fake: FakeDeepgram, query = 'encoding=mulaw&sample_rate=8000', key = 'test') {
  const socket = new WebSocket(`${fake.url.replace('http', 'ws')}/v1/listen?${query}`, {
    headers: { Authorization: `Token ${key}` },
  });
  const results: Result[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data) => {
    results.push(JSON.parse(String(data)));
    for (const check of waiting) check();
  });
  await once(socket, 'open');
  const finals = () => results.filter(({ is_final }) => is_final);
  return {
    socket,
    results,
    finals,
    /** Resolves with the texts when there are so many final results. */
    hears: (count: number) =>
      new Promise<string[]>((resolve) => {
        const check = () => {
          if (finals().length < count) return;
          waiting.delete(check);
          resolve(finals().map(({ channel }) => channel.alternatives[0].transcript));
        };
        waiting.add(check);
        check();
      }),
  };
}

const start = (options?: FakeDeepgramOptions) => FakeDeepgram.start(options);
const speech = (ms: number) => encodeMulaw(Int16Array.from({ length: ms * 8 }, (_, i) => 8_000 * Math.sin(i / 3)));
const silence = (ms: number) => encodeMulaw(new Int16Array(ms * 8));

test('takes each stretch of speech for the next text, with words that grow meanwhile', async () => {
  await using fake = await start({ texts: ['A table for two please', 'Yes'] });
  const { socket, hears, results, finals } = await connect(fake);
  socket.send(silence(500));
  socket.send(speech(900));
  socket.send(silence(400));
  socket.send(speech(20)); // a click
  socket.send(silence(400));
  socket.send(speech(200));
  socket.send(silence(400));
  socket.send(speech(200));
  socket.send(silence(1_400));
  expect(await hears(2)).toEqual(['A table for two please', 'Yes']);
  const interims = results.filter(({ is_final }) => !is_final).map(({ channel }) => channel.alternatives[0].transcript);
  expect(interims.filter(Boolean)).toEqual([
    'A',
    'A table',
    'A table for',
    'A table for two',
    'A table for two please',
    'Yes',
  ]);
  expect(finals()[0]).toMatchObject({ speech_final: true, start: 0 });
  expect(finals()[1]?.start).toBe(finals()[0]?.duration);
});

test('tells nothing often enough to be known to be there', async () => {
  await using fake = await start();
  const { socket, results, hears } = await connect(fake);
  for (let i = 0; i < 3; i += 1) socket.send(silence(1_000));
  await fake.session.heard(3_000);
  fake.session.say('over');
  await hears(1);
  expect(results.slice(0, 3).map(({ channel }) => channel.alternatives[0].transcript)).toEqual(['', '', '']);
});

test('goes on with the texts of a call whose connection broke, and begins anew for another', async () => {
  await using fake = await start({ texts: ['One', 'Two'] });
  const first = await connect(fake);
  first.socket.send(speech(200));
  first.socket.send(silence(400));
  expect(await first.hears(1)).toEqual(['One']);
  fake.dropConnections();
  await fake.session.closed;
  const second = await connect(fake);
  second.socket.send(speech(200));
  second.socket.send(silence(400));
  expect(await second.hears(1)).toEqual(['Two']);
  second.socket.send('{"type":"CloseStream"}');
  await fake.session.closed;
  const third = await connect(fake);
  third.socket.send(speech(200));
  third.socket.send(silence(400));
  expect(await third.hears(1)).toEqual(['One']);
});

test('a text that was understood and not yet told is told on the next connection', async () => {
  let delayMs = 60_000;
  await using fake = await start({
    texts: ['One', 'Two'],
    get delayMs() {
      return delayMs;
    },
  });
  const first = await connect(fake);
  first.socket.send(speech(200));
  first.socket.send(silence(400));
  await fake.session.heard(600);
  fake.session.dropConnection();
  await fake.session.closed;
  delayMs = 0;
  const second = await connect(fake);
  second.socket.send(speech(200));
  second.socket.send(silence(400));
  expect(await second.hears(1)).toEqual(['One']);
});

test('hears linear audio, and asks what is said for each call', async () => {
  await using fake = await start({ texts: ({ query }) => query.getAll('tag') });
  const { socket, hears } = await connect(fake, 'encoding=linear16&sample_rate=16000&tag=Hello&tag=you');
  const loud = Int16Array.from({ length: 16 * 200 }, (_, i) => 8_000 * Math.sin(i / 3));
  socket.send(Buffer.from(loud.buffer));
  socket.send(Buffer.alloc(2 * 16 * 400));
  expect(await hears(1)).toEqual(['Hello']);
});

test('closes a connection on which nothing comes, as the real one does', async () => {
  await using fake = await start({ idleLimitMs: 100 });
  const { socket } = await connect(fake);
  const [code, reason] = await once(socket, 'close');
  expect([code, String(reason)]).toEqual([1011, expect.stringContaining('NET-0001')]);
});

test('refuses a wrong key, a missing one, and what it is told to refuse', async () => {
  await using fake = await start({ apiKey: 'right' });
  await expect(connect(fake, '', 'wrong')).rejects.toThrow('401');
  fake.refuse(503, 'overloaded');
  await expect(connect(fake, '', 'right')).rejects.toThrow('503');
  fake.recover();
  const { socket } = await connect(fake, undefined, 'right');
  expect(fake.session.headers).not.toHaveProperty('authorization');
  socket.terminate();
  const stranger = new WebSocket(`${fake.url.replace('http', 'ws')}/v1/listen`);
  await expect(once(stranger, 'open')).rejects.toThrow('401');
});

test('answers /v1/speak with what was given for it', async () => {
  await using fake = await start({
    speak: (socket, { query }) => socket.send(`speaks ${query.get('model')}`),
  });
  const socket = new WebSocket(`${fake.url.replace('http', 'ws')}/v1/speak?model=aura`, {
    headers: { Authorization: 'Token test' },
  });
  const [message] = await once(socket, 'message');
  expect(String(message)).toBe('speaks aura');
  await using silent = await start();
  const refused = new WebSocket(`${silent.url.replace('http', 'ws')}/v1/speak`, {
    headers: { Authorization: 'Token test' },
  });
  await expect(once(refused, 'open')).rejects.toThrow('404');
});
