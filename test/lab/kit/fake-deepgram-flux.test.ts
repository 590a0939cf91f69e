import { once } from 'node:events';
import { DeepgramClient } from '@deepgram/sdk';
import { WebSocket } from 'ws';
import { FakeDeepgram, FakeDeepgramSpeak } from '../../../src/lab/kit/index.js';

const speech = (ms: number) =>
  Buffer.from(Int16Array.from({ length: ms * 16 }, (_, i) => 8_000 * Math.sin(i / 3)).buffer);
const silence = (ms: number) => Buffer.alloc(ms * 32);

interface Told {
  type?: string;
  event?: string;
  transcript?: string;
  sequence_id?: number;
  turn_index?: number;
  words?: Array<{ word: string; start?: number; end?: number }>;
  channel?: { alternatives: Array<{ transcript: string }> };
}

function clientOf(fake: FakeDeepgram | FakeDeepgramSpeak): DeepgramClient {
  const production = fake.url.replace('http', 'ws');
  return new DeepgramClient({
    apiKey: 'test',
    environment: { base: fake.url, production, agent: production, agentRest: fake.url },
  });
}

/** What a socket of the vendor's own client was told, until it was closed or `isEnough`. */
async function toldTo(socket: AsyncIterable<unknown>, isEnough: (told: Told) => boolean): Promise<Told[]> {
  const told: Told[] = [];
  for await (const message of socket) {
    told.push(message as Told);
    if (isEnough(message as Told)) break;
  }
  return told;
}

async function fluxOf(fake: FakeDeepgram, options: object = {}, isEnough: (told: Told) => boolean = () => false) {
  const socket = await clientOf(fake).listen.v2.connect({
    model: 'flux-general-en',
    encoding: 'linear16',
    sample_rate: 16_000,
    reconnectAttempts: 0,
    ...options,
  });
  const telling = toldTo(socket, isEnough); // before the first message can come
  socket.connect();
  await socket.waitForOpen();
  return { socket, telling };
}

test("tells the vendor's own client of turns, as Flux does", async () => {
  await using fake = await FakeDeepgram.start({ texts: ['A table for two please', 'Yes'] });
  const asked = { eager_eot_threshold: 0.5, keyterm: ['table', 'chair'] };
  const isLast = ({ event, turn_index }: Told) => event === 'EndOfTurn' && turn_index === 1;
  const { socket, telling } = await fluxOf(fake, asked, isLast);
  for (const audio of [silence(500), speech(900), silence(200), speech(200), silence(400), speech(300), silence(500)]) {
    socket.sendMedia(audio);
  }
  const told = await telling;
  expect(told[0]).toMatchObject({ type: 'Connected', sequence_id: 0 });
  expect(told.map(({ sequence_id }) => sequence_id)).toEqual(told.map((_, index) => index));
  const turns = told.filter(({ type }) => type === 'TurnInfo');
  expect(turns[0]).toMatchObject({ event: 'Update', transcript: '' });
  expect(turns.filter(({ event }) => event !== 'Update').map(({ event, turn_index }) => [event, turn_index])).toEqual([
    ['StartOfTurn', 0],
    ['EagerEndOfTurn', 0],
    ['TurnResumed', 0],
    ['EagerEndOfTurn', 0],
    ['EndOfTurn', 0],
    ['StartOfTurn', 1],
    ['EagerEndOfTurn', 1],
    ['EndOfTurn', 1],
  ]);
  const [end] = turns.filter(({ event }) => event === 'EndOfTurn');
  expect(end).toMatchObject({ transcript: 'A table for two please', audio_window_start: 0, trigger: 'model' });
  expect(end?.words?.map(({ word }) => word)).toEqual(['A', 'table', 'for', 'two', 'please']);
  expect(end?.words?.[0]?.start).toBeCloseTo(0.5);
  expect(fake.fluxSession.query.getAll('keyterm')).toEqual(['table', 'chair']);
});

test('takes what the client of the vendor can say: other thresholds, the end of a turn, the end of the audio', async () => {
  await using fake = await FakeDeepgram.start({ texts: ['Hello there'] });
  const { socket, telling } = await fluxOf(fake);
  socket.sendConfigure({ type: 'Configure', thresholds: { eot_threshold: 0.9 }, keyterms: ['Zugspitze'] });
  socket.sendConfigure({ type: 'Configure', thresholds: { eot_threshold: 7 } });
  socket.sendMedia(speech(500));
  socket.sendForceEndTurn({ type: 'ForceEndTurn' });
  socket.sendMedia(speech(500));
  socket.sendCloseStream({ type: 'CloseStream' });
  await fake.fluxSession.closed;
  const told = await telling;
  expect(told.filter(({ type }) => type?.startsWith('Configure'))).toMatchObject([
    { type: 'ConfigureSuccess', thresholds: { eot_threshold: 0.9 }, keyterms: ['Zugspitze'] },
    { type: 'ConfigureFailure' },
  ]);
  expect(told.filter(({ event }) => event === 'EndOfTurn')).toMatchObject([
    { trigger: 'manual', turn_index: 0 },
    { trigger: 'model', turn_index: 1, transcript: 'Hello there' },
  ]);
  expect(fake.fluxSession.messages).toEqual(['Configure', 'Configure', 'ForceEndTurn', 'CloseStream']);
});

test("tells the vendor's own client of v1 its results", async () => {
  await using fake = await FakeDeepgram.start({ texts: ['Hello there'] });
  const socket = await clientOf(fake).listen.v1.connect({
    model: 'nova-3',
    encoding: 'linear16',
    sample_rate: 16_000,
    interim_results: 'true',
    endpointing: 200,
    reconnectAttempts: 0,
  });
  socket.connect();
  await socket.waitForOpen();
  const telling = toldTo(socket, () => false);
  socket.sendMedia(speech(500));
  socket.sendMedia(silence(300));
  socket.sendKeepAlive({ type: 'KeepAlive' });
  socket.sendCloseStream({ type: 'CloseStream' });
  await fake.session.closed;
  const told = await telling;
  const texts = told
    .filter(({ type }) => type === 'Results')
    .map(({ channel }) => channel?.alternatives[0]?.transcript);
  expect(texts).toEqual(['Hello', 'Hello there', 'Hello there']);
  expect(fake.session.messages).toEqual(['KeepAlive', 'CloseStream']);
});

test("speaks to the vendor's own client", async () => {
  await using fake = await FakeDeepgramSpeak.start({ characterMs: 10 });
  const socket = await clientOf(fake).speak.v1.connect({
    model: 'aura-2-thalia-en',
    encoding: 'linear16',
    sample_rate: '16000' as never,
    reconnectAttempts: 0,
  });
  socket.connect();
  await socket.waitForOpen();
  const telling = toldTo(socket, ({ type }) => type === 'Flushed');
  socket.sendText({ type: 'Speak', text: 'Hello there' });
  socket.sendFlush({ type: 'Flush' });
  const told = await telling;
  const bytes = told.reduce((sum, one) => sum + (one instanceof Blob ? one.size : 0), 0);
  expect(bytes).toBe(11 * 10 * 32);
});

/** A client of the bare wire. */
async function connect(fake: FakeDeepgram, query: string, path = '/v2/listen') {
  const socket = new WebSocket(`${fake.url.replace('http', 'ws')}${path}?${query}`, {
    headers: { Authorization: 'Token test' },
  });
  const told: Array<Record<string, unknown>> = [];
  socket.on('message', (data) => told.push(JSON.parse(String(data))));
  const closed = new Promise<[number, Buffer]>((resolve) => socket.on('close', (...why) => resolve(why)));
  const [, response] = await Promise.race([once(socket, 'open'), once(socket, 'unexpected-response')]);
  if (response) {
    let body = '';
    for await (const part of response) body += part;
    socket.on('error', () => {}).terminate();
    return { socket, told, closed, refused: [response.statusCode, JSON.parse(body).err_msg] };
  }
  return { socket, told, closed, refused: undefined };
}

test.each([
  ['model=flux-general-en&interim_results=true&channels=1', 'unexpected query parameter: interim_results'],
  ['model=flux-general-en&eot_threshold=0.2', 'invalid value for eot_threshold: 0.2'],
  ['model=flux-general-en&eager_eot_threshold=0.8', 'eager_eot_threshold must not be above eot_threshold'],
  ['model=flux-general-en&language_hint=de', 'language_hint is for flux-general-multi only'],
  ['model=nova-3', 'invalid value for model: nova-3'],
  ['encoding=linear16', 'missing query parameter: model'],
])('refuses %s as the real one does, with 400', async (query, words) => {
  await using fake = await FakeDeepgram.start();
  expect((await connect(fake, query)).refused).toEqual([400, expect.stringContaining(words)]);
});

test('refuses a Flux model where Nova is, with 400', async () => {
  await using fake = await FakeDeepgram.start();
  const { refused } = await connect(fake, 'model=flux-general-en', '/v1/listen');
  expect(refused).toEqual([400, expect.stringContaining('flux-general-en')]);
});

test.each(['{"type":"KeepAlive"}', 'nonsense', '{"type":"Finalize"}'])(
  'ends at the text %s, for Flux has none',
  async (text) => {
    await using fake = await FakeDeepgram.start();
    const { socket, told, closed } = await connect(fake, 'model=flux-general-en&encoding=linear16&sample_rate=16000');
    socket.send(text);
    expect((await closed)[0]).toBe(1005);
    expect(told.at(-1)).toMatchObject({ type: 'Error', code: 'UNPARSABLE_CLIENT_MESSAGE' });
  },
);

test('tells the languages of a turn where there are several, and those that it was hinted at', async () => {
  await using fake = await FakeDeepgram.start();
  const query = 'model=flux-general-multi&language_hint=es&language_hint=en&encoding=linear16&sample_rate=16000';
  const { told, closed } = await connect(fake, query);
  fake.fluxSession.say('Hola');
  fake.fluxSession.close();
  await closed;
  expect(told.at(-1)).toMatchObject({ event: 'EndOfTurn', languages: ['es'], languages_hinted: ['es', 'en'] });
});

test('closes when neither audio nor a ping comes', async () => {
  await using fake = await FakeDeepgram.start({ idleLimitMs: 50 });
  const { closed } = await connect(fake, 'model=flux-general-en&encoding=linear16&sample_rate=16000');
  expect(await closed).toEqual([1011, expect.anything()]);
});
