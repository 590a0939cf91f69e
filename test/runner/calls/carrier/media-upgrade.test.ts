import { upgradeSignatureHeaders } from '../../../../src/providers/plivo/signature.js';
import { until } from '../../../e2e/processes.js';
import { AUTH_TOKEN, type HandCarrier, Stream, send, upgradeStatus } from '../../hand-carrier.js';
import { IN_PROCESS } from '../../in-process-bots.js';
import { botFile, RunnerUnderTest } from '../../runner-under-test.js';

let served: RunnerUnderTest;
let carrier: HandCarrier;
beforeAll(async () => {
  served = await RunnerUnderTest.start({ callsPerProcess: 50 });
  carrier = served.carrier;
});
afterAll(() => served[Symbol.asyncDispose]());

function withQuery(url: string, change: Record<string, string | undefined>): string {
  const changed = new URL(url);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) changed.searchParams.delete(name);
    else changed.searchParams.set(name, value);
  }
  return changed.href;
}

test('the carrier gets in with what it was given, and the bot is told about the call', async () => {
  const document = await carrier.answer();
  const stream = await Stream.open(document.streamUrl);
  expect(stream.socket.protocol).toBe('audio.plivo.com');
  expect(stream.hello.call).toEqual({
    id: document.callId,
    direction: 'inbound',
    from: '+12025550142',
    isWithheld: false,
    to: '+12025550100',
    attempt: 1,
  });
  expect(stream.hello.body).toEqual({});
  expect(await served.record(document.callId, { state: 'connected' })).toMatchObject({ attempt: 1 });
  stream.order('return');
  expect(await stream.closed).toBe(1000);
});

test.each([
  ['no token', { token: undefined }],
  ['a wrong token', { token: 'A'.repeat(32) }],
  ['an empty token', { token: '' }],
  ['no call', { call_id: undefined }],
  ['a call nobody knows', { call_id: 'nobody' }],
])('a stream with %s is refused before the upgrade', async (_, change) => {
  const { callId, streamUrl } = await carrier.answer();
  expect(await upgradeStatus(withQuery(streamUrl, change))).toBe(403);
  expect((await Stream.open(streamUrl)).callId).toBe(callId);
});

test.each(['https://evil.example.com', 'null', 'file://', 'http://127.0.0.1:1'])(
  'a page at %s cannot open a stream, though everything is signed',
  async (origin) => {
    const { callId, streamUrl } = await carrier.answer();
    const headers = upgradeSignatureHeaders(streamUrl, AUTH_TOKEN);
    expect(await upgradeStatus(streamUrl, { ...headers, origin })).toBe(403);
    expect((await Stream.open(streamUrl)).callId).toBe(callId);
  },
);

test('a carrier that names our own address as its origin gets in', async () => {
  const { streamUrl } = await carrier.answer();
  const headers = { ...upgradeSignatureHeaders(streamUrl, AUTH_TOKEN), origin: new URL(streamUrl).origin };
  expect(await upgradeStatus(streamUrl, headers)).toBe(101);
});

test('a token opens the stream of its own call alone', async () => {
  const [one, other] = await Promise.all([carrier.answer(), carrier.answer()]);
  expect(await upgradeStatus(withQuery(one.streamUrl, { call_id: other.callId }))).toBe(403);
});

test.each([
  ['alone in its process', 0],
  ['beside another call', 1],
])('a token is good once, for one of many at the same moment, %s', async (_, others) => {
  await using crowded = await RunnerUnderTest.start({ callsPerProcess: 50 });
  for (let n = 0; n < others; n += 1) await crowded.carrier.call();
  for (let n = 0; n < 2; n += 1) {
    const { streamUrl } = await crowded.carrier.answer();
    const streams = Array.from({ length: 5 }, () => new Stream(streamUrl));
    const greeted = new Set<Stream>();
    for (const stream of streams) stream.socket.once('message', () => greeted.add(stream));
    // Until a bot has its stream, a newer connection takes the place of an older one.
    const open = () => streams.filter(({ socket: { readyState, CLOSED } }) => readyState !== CLOSED);
    await until(() => open().length === 1 && open().every((stream) => greeted.has(stream)), 'one is left');
    await crowded.carrier.answer(); // the runner knows by then that the bot has it
    expect(await upgradeStatus(streamUrl)).toBe(403);
  }
});

test('the token of a call that is over opens nothing', async () => {
  const { callId, streamUrl } = await carrier.answer();
  await carrier.hangup(callId);
  expect(await upgradeStatus(streamUrl)).toBe(403);
});

test.each([
  ['unsigned', () => ({})],
  ['signed with another token', (url: string) => upgradeSignatureHeaders(url, 'wrong')],
  ['signed for another address', (url: string) => upgradeSignatureHeaders(`${url}&more=1`, AUTH_TOKEN)],
  ['signed for another host', () => upgradeSignatureHeaders('ws://evil.example.com/ws', AUTH_TOKEN)],
])('a stream that is %s is refused before the upgrade, and its token stays good', async (_, headers) => {
  const { streamUrl } = await carrier.answer();
  expect(await upgradeStatus(streamUrl, headers(streamUrl))).toBe(403);
  expect(await upgradeStatus(streamUrl)).toBe(101);
});

test.each(['/', '/wss', '/ws/', '/ws/more', '/answer'])('there is no stream at %s', async (path) => {
  const { streamUrl } = await carrier.answer();
  const url = new URL(streamUrl);
  url.pathname = path;
  expect(await upgradeStatus(url.href)).toBe(404);
  expect(await upgradeStatus(streamUrl)).toBe(101);
});

test('without the check of signatures an unsigned stream still needs its token', async () => {
  await using open = await RunnerUnderTest.start({ ...IN_PROCESS, insecureWebhooks: true });
  const { streamUrl } = await open.carrier.answer();
  expect(await upgradeStatus(withQuery(streamUrl, { token: 'wrong' }), {})).toBe(403);
  expect(await upgradeStatus(streamUrl, {})).toBe(101);
});

test('a message of more than 64 KiB closes its own stream alone, in the same process too', async () => {
  const [large, other] = await Promise.all([carrier.call(), carrier.call()]);
  expect(large.hello.pid).toBe(other.hello.pid);
  large.socket.send('x'.repeat(64 * 1_024 + 1));
  expect(await large.closed).toBe(1009);
  // The caller is not to be punished for what the carrier sent: another bot takes over.
  const document = await carrier.resume(large.callId);
  expect((await Stream.open(document.streamUrl)).hello.call.attempt).toBe(2);
  other.order('print');
  await other.event('done');
  other.order('return');
  expect(await other.closed).toBe(1000);
});

test('a stream that does not start in time is closed, and the call gets another bot', async () => {
  await using punctual = await RunnerUnderTest.start({ botFile: botFile('punctual.mjs') });
  const { callId, streamUrl } = await punctual.carrier.answer();
  const stream = new Stream(streamUrl);
  expect(await stream.closed).toBe(1011);
  await punctual.output.next((line) => line.includes('no start message within 500 ms'));
  expect((await punctual.carrier.resume(callId)).verbs).toEqual(['Stream', 'Redirect']);
});

test('what the carrier sends right behind its request is not lost', async () => {
  const { streamUrl } = await carrier.answer();
  const { connect } = await import('node:net');
  const { port, pathname, search, host } = new URL(streamUrl);
  const headers = Object.entries(upgradeSignatureHeaders(streamUrl, AUTH_TOKEN)).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const order = Buffer.from('{"order":"close"}');
  const mask = Buffer.alloc(4); // a mask of zeros leaves the payload as it is
  const frame = Buffer.concat([Buffer.from([0x81, 0x80 | order.length]), mask, order]);
  const head = [
    `GET ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ...headers,
  ].join('\r\n');
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), frame]));
  const received = await new Promise<string>((resolve) => {
    let all = '';
    socket.on('data', (data) => {
      all += data.toString('latin1');
      if (all.includes('\x88\x02\x03\xe8')) resolve(all); // a close frame with code 1000
    });
  });
  socket.destroy();
  expect(received).toMatch(/^HTTP\/1.1 101 /);
});

test('what the carrier sends the moment its stream is open is not lost', async () => {
  const documents = await Promise.all(Array.from({ length: 40 }, () => carrier.answer()));
  const codes = documents.map(({ streamUrl }) => {
    const stream = new Stream(streamUrl);
    stream.socket.once('open', () => stream.order('close'));
    return stream.closed;
  });
  expect(new Set(await Promise.all(codes))).toEqual(new Set([1000]));
});

test('the media stream is not served to plain requests', async () => {
  const { streamUrl } = await carrier.answer();
  expect((await send(streamUrl.replace(/^ws/, 'http'))).status).toBe(404);
});

describe('where streams without a signature are let in by their pass', () => {
  let lenient: RunnerUnderTest;
  beforeAll(async () => {
    lenient = await RunnerUnderTest.start({ takesUnsignedStreams: true, callsPerProcess: 50 });
  });
  afterAll(() => lenient[Symbol.asyncDispose]());

  test('one without a signature is', async () => {
    const { streamUrl } = await lenient.carrier.answer();
    expect(await upgradeStatus(streamUrl, {})).toBe(101);
  });

  test.each([
    ['a wrong signature', { 'x-plivo-signature-v3': 'A'.repeat(44), 'x-plivo-signature-v3-nonce': '1' }, {}],
    ['an empty one', { 'x-plivo-signature-v3': '' }, {}],
    ['no pass', {}, { token: undefined }],
    ['a wrong pass', {}, { token: 'A'.repeat(32) }],
  ])('one with %s is refused', async (_, headers, change) => {
    const { streamUrl } = await lenient.carrier.answer();
    expect(await upgradeStatus(withQuery(streamUrl, change), headers)).toBe(403);
  });

  test('one without a signature is refused everywhere else', async () => {
    const { streamUrl } = await carrier.answer();
    expect(await upgradeStatus(streamUrl, {})).toBe(403);
  });
});
