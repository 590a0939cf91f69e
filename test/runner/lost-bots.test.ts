import { type HandCarrier, Stream, upgradeStatus } from './hand-carrier.js';
import { IN_PROCESS, muteBots } from './in-process-bots.js';
import { RunnerUnderTest } from './runner-under-test.js';

let served: RunnerUnderTest;
let carrier: HandCarrier;
beforeAll(async () => {
  served = await RunnerUnderTest.start({ ...IN_PROCESS, callsPerProcess: 50 });
  carrier = served.carrier;
});
afterAll(() => served[Symbol.asyncDispose]());
beforeEach(muteBots);
afterEach(() => {
  jest.restoreAllMocks();
});

/** A call, and the address of its stream. */
async function talking() {
  const { callId, streamUrl } = await carrier.answer();
  return { callId, streamUrl, stream: await Stream.open(streamUrl) };
}

describe('a carrier that connects a stream again at the same address', () => {
  test('gets another bot when the bot has failed', async () => {
    const { callId, streamUrl, stream } = await talking();
    stream.order('throw');
    expect(await stream.closed).toBe(1011);
    const again = await Stream.open(streamUrl);
    expect(again.hello.call).toMatchObject({ id: callId, attempt: 2 });
    expect(await served.record(callId, { state: 'connected', attempt: 2 })).toBeDefined();
    again.order('return');
    await again.closed;
    expect((await carrier.resume(callId)).verbs).toEqual(['Hangup']);
  });

  test('gets another bot when the connection broke while the bot was well', async () => {
    const { callId, streamUrl, stream } = await talking();
    stream.socket.terminate();
    expect((await Stream.open(streamUrl)).hello.call).toMatchObject({ id: callId, attempt: 2 });
  });

  test('gets another bot though the pass was made long ago', async () => {
    const { streamUrl, stream } = await talking();
    stream.order('throw');
    await stream.closed;
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + 3_600_000);
    expect((await Stream.open(streamUrl)).hello.call.attempt).toBe(2);
  });

  test('is refused while a bot has the call, the second one too', async () => {
    const { streamUrl, stream } = await talking();
    expect(await upgradeStatus(streamUrl)).toBe(403);
    stream.order('throw');
    await stream.closed;
    const again = await Stream.open(streamUrl);
    expect(await upgradeStatus(streamUrl)).toBe(403);
    again.order('print');
    await again.event('done');
  });

  test('is refused without a signature, and when the call is over', async () => {
    const { callId, streamUrl, stream } = await talking();
    stream.order('throw');
    await stream.closed;
    served.noted.length = 0;
    expect(await upgradeStatus(streamUrl, {})).toBe(403);
    const refused = { type: 'log', message: 'media stream refused', fields: { reason: 'signature' } };
    expect(served.noted.filter(({ type }) => type === 'log')).toMatchObject([refused]); // among the call's own events
    expect(await upgradeStatus(streamUrl.replace(/token=\w+/, 'token=zzzzzzzz'))).toBe(403);
    await carrier.hangup(callId);
    expect(await upgradeStatus(streamUrl)).toBe(403);
  });

  test('is refused when the bot has ended the call', async () => {
    const { streamUrl, stream } = await talking();
    stream.order('return');
    await stream.closed;
    expect(await upgradeStatus(streamUrl)).toBe(403);
  });

  test('is refused when the call has used up its bots, and is told to come for the recorded line', async () => {
    const { callId, streamUrl, stream } = await talking();
    let last = stream;
    for (const attempt of [2, 3]) {
      last.order('throw');
      await last.closed;
      last = await Stream.open(streamUrl);
      expect(last.hello.call.attempt).toBe(attempt);
    }
    last.order('throw');
    await last.closed;
    expect(await upgradeStatus(streamUrl)).toBe(403);
    const { body } = await served.api.next('POST', new RegExp(`^Call/${callId}/`));
    expect(body).toMatchObject({ legs: 'aleg' });
    expect((await carrier.resume(callId)).verbs).toEqual(['Play', 'Hangup']);
  });
});

test.each(['misread_stream', 'misread_file'])(
  'a bot that has %s has no successor: the caller hears the recorded line',
  async (order) => {
    const { callId, streamUrl, stream } = await talking();
    stream.order(order);
    expect(await stream.closed).toBe(1011);
    expect(await upgradeStatus(streamUrl)).toBe(403);
    expect((await carrier.resume(callId)).verbs).toEqual(['Play', 'Hangup']);
    await carrier.hangup(callId);
    expect(await served.record(callId, { state: 'ended' })).toMatchObject({
      endReason: 'audio_unreadable',
      attempt: 1,
    });
  },
);

test('a bot that has failed over its own options has no successor: the caller hears the recorded line', async () => {
  const { callId, streamUrl, stream } = await talking();
  stream.order('misconfigure');
  expect(await stream.closed).toBe(1011);
  expect(await upgradeStatus(streamUrl)).toBe(403);
  expect((await carrier.resume(callId)).verbs).toEqual(['Play', 'Hangup']);
  await carrier.hangup(callId);
  expect(await served.record(callId, { state: 'ended' })).toMatchObject({ endReason: 'bot_crashed', attempt: 1 });
});

test('a caller who hangs up in the silence after the bot has failed has lost the bot', async () => {
  const { callId, stream } = await talking();
  stream.order('throw');
  await stream.closed;
  await carrier.hangup(callId);
  expect(await served.record(callId, { state: 'ended' })).toMatchObject({ endReason: 'bot_crashed', attempt: 1 });
});
