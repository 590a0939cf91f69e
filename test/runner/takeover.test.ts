import { once } from 'node:events';
import { START } from '../bot/transports/fake-stream.js';
import { isAlive, until } from '../e2e/processes.js';
import { Stream, send } from './hand-carrier.js';
import { holdTimers } from './hold-timers.js';
import { IN_PROCESS, muteBots } from './in-process-bots.js';
import { botFile, RunnerUnderTest } from './runner-under-test.js';

beforeEach(muteBots);
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

test('a bot that is killed is replaced twice; then the caller hears the recorded line and the call ends', async () => {
  await using served = await RunnerUnderTest.start({ warm: 2 });
  const { carrier } = served;
  const { callId, streamUrl } = await carrier.answer();
  const pids = new Set<number>();
  let url = streamUrl;
  for (const attempt of [1, 2, 3]) {
    const stream = await Stream.open(url);
    expect(stream.hello.call).toMatchObject({ id: callId, attempt });
    await served.record(callId, { state: 'connected', attempt });
    pids.add(stream.hello.pid);
    process.kill(stream.hello.pid, 'SIGKILL');
    expect(await stream.closed).toBe(1006);
    const document = await carrier.resume(callId);
    if (attempt < 3) url = document.streamUrl;
    else {
      expect(document.verbs).toEqual(['Play', 'Hangup']);
      expect(document.verb('Play').text).toBe(`${served.runner.url}/prompts/apology.wav`);
    }
  }
  expect(pids.size).toBe(3);
  await carrier.hangup(callId, { HangupSource: 'Answer XML', HangupCauseCode: '4000' });
  expect(await served.record(callId, { state: 'ended' })).toMatchObject({ endReason: 'bot_crashed', attempt: 3 });
});

test('a bot that closes its stream has ended the call', async () => {
  await using served = await RunnerUnderTest.start(IN_PROCESS);
  const stream = await served.carrier.call();
  stream.order('close');
  expect(await stream.closed).toBe(1000);
  expect((await served.carrier.resume(stream.callId)).verbs).toEqual(['Hangup']);
});

test.each([
  ['says goodbye', (stream: Stream) => stream.socket.close(1000)],
  ['vanishes', (stream: Stream) => stream.socket.terminate()],
])('a carrier that %s has not been hung up on: the call waits for its word', async (_, leave) => {
  await using served = await RunnerUnderTest.start();
  const stream = await served.carrier.call();
  leave(stream);
  await stream.closed;
  await until(() => !isAlive(stream.hello.pid), 'the bot of a stream that is over ends');
  await served.carrier.hangup(stream.callId);
  expect(await served.record(stream.callId, { state: 'ended' })).toMatchObject({ endReason: 'caller_hung_up' });
});

test('a carrier that closes the stream and comes back gets another bot', async () => {
  await using served = await RunnerUnderTest.start(IN_PROCESS);
  const stream = await served.carrier.call();
  stream.socket.close(1000);
  await stream.closed;
  const document = await served.carrier.resume(stream.callId);
  expect((await Stream.open(document.streamUrl)).hello.call.attempt).toBe(2);
});

describe('a bot that does not listen to its stream', () => {
  /** The process of the next bot that was started. */
  const nextPid = async (served: RunnerUnderTest) =>
    Number((await served.output.next((line) => line.startsWith('deaf'))).split(' ')[1]);

  test('has another one beside it after 3 s, which gets the stream as it is', async () => {
    await using served = await RunnerUnderTest.start({ botFile: botFile('deaf.mjs'), warm: 2 });
    const { callId, streamUrl } = await served.carrier.answer();
    holdTimers();
    const opening = Stream.open(streamUrl);
    const pid = await nextPid(served);
    jest.advanceTimersByTime(2_999);
    expect(served.output.all).toHaveLength(1);
    jest.advanceTimersByTime(1);
    const { hello } = await opening;
    expect(hello.call).toMatchObject({ id: callId, attempt: 2 });
    expect(hello.pid).not.toBe(pid);
    expect(await served.record(callId, { state: 'connected' })).toMatchObject({ attempt: 2 });
    await until(() => !isAlive(pid), 'the bot that was too late ends');
  });

  test('in a shared process is replaced without harm to the other calls', async () => {
    await using served = await RunnerUnderTest.start({
      ...IN_PROCESS,
      botFile: botFile('deaf.mjs'),
      callsPerProcess: 2,
    });
    const other = await Stream.open((await served.carrier.answer('other', '?listens_at=1')).streamUrl);
    const { callId, streamUrl } = await served.carrier.answer();
    holdTimers();
    const opening = Stream.open(streamUrl);
    await served.record(callId, { state: 'starting' });
    jest.advanceTimersByTime(3_000);
    expect((await opening).hello.call).toMatchObject({ id: callId, attempt: 2 });
    other.order('print');
    await other.event('done');
  });

  test.each([
    ['audio/x-mulaw', 8_000, 160],
    ['audio/x-l16', 16_000, 640],
  ])(
    'like the two after it: the caller hears a tone after 4 s, in %s at %d Hz, and the recorded line before 10 s are over',
    async (encoding, sampleRate, bytes) => {
      await using served = await RunnerUnderTest.start({ botFile: botFile('deaf.mjs'), warm: 3 });
      const { callId, streamUrl } = await served.carrier.answer(undefined, '?listens_at=4');
      holdTimers();
      const stream = new Stream(streamUrl);
      await once(stream.socket, 'open');
      const start = { ...START.start, callId, mediaFormat: { encoding, sampleRate } };
      stream.socket.send(JSON.stringify({ event: 'connected' }));
      stream.socket.send(JSON.stringify({ ...START, start }));
      const pids = [await nextPid(served)];
      jest.advanceTimersByTime(3_000);
      pids.push(await nextPid(served));
      jest.advanceTimersByTime(1_000);
      const { media } = await stream.event<{ media: { payload: string } }>('playAudio');
      expect(media).toMatchObject({ contentType: encoding, sampleRate });
      expect(Buffer.from(media.payload, 'base64')).toHaveLength(bytes);
      jest.advanceTimersByTime(2_000);
      pids.push(await nextPid(served));
      jest.advanceTimersByTime(2_999);
      expect(stream.socket.readyState).toBe(stream.socket.OPEN);
      jest.advanceTimersByTime(1);
      expect(await stream.closed).toBe(1000);
      expect((await served.carrier.resume(callId)).verbs).toEqual(['Play', 'Hangup']);
      expect(new Set(pids).size).toBe(3);
      for (const pid of pids) await until(() => !isAlive(pid), 'the bots that did not listen end');
      await served.carrier.hangup(callId, { HangupSource: 'Answer XML' });
      expect(await served.record(callId, { state: 'ended' })).toMatchObject({ endReason: 'bot_timeout', attempt: 3 });
    },
  );

  test('loses its call when the caller hangs up', async () => {
    await using served = await RunnerUnderTest.start({ botFile: botFile('deaf.mjs') });
    const { callId, streamUrl } = await served.carrier.answer();
    const stream = new Stream(streamUrl);
    await once(stream.socket, 'open');
    await nextPid(served);
    await served.carrier.hangup(callId);
    expect(await stream.closed).toBe(1006);
    expect(await served.record(callId, { state: 'ended' })).toMatchObject({ endReason: 'caller_hung_up' });
  });
});

test('a bot that says something and returns without listening is heard', async () => {
  await using served = await RunnerUnderTest.start({ botFile: botFile('parent.mjs') });
  const stream = await served.carrier.call();
  expect(await stream.closed).toBe(1000);
  expect((await served.carrier.resume(stream.hello.call.id)).verbs).toEqual(['Hangup']);
});

test('a bot that blocks its process while it talks is replaced after 2 s', async () => {
  await using served = await RunnerUnderTest.start();
  holdTimers();
  const stream = await connectedCall(served);
  stream.order('block');
  await served.output.next((line) => line === 'blocks');
  for (const _ of [1, 2, 3]) await send(`${served.runner.url}/health`); // the last sign of life has been read by then
  jest.advanceTimersByTime(2_000);
  expect(await stream.closed).toBe(1006);
  const document = await served.carrier.resume(stream.callId);
  expect((await Stream.open(document.streamUrl)).hello.call.attempt).toBe(2);
});

describe('a carrier that comes back', () => {
  test('before we know that the bot crashes waits for that news', async () => {
    await using served = await RunnerUnderTest.start(IN_PROCESS);
    holdTimers();
    const stream = await connectedCall(served);
    const document = await servedWhileWaiting(
      served,
      () => served.carrier.resume(stream.callId),
      () => stream.order('throw'),
    );
    expect(document.verbs).toEqual(['Stream', 'Redirect']);
  });

  test('while its stream still seems to be there gets another bot after 2 s, and then the old one ends', async () => {
    await using served = await RunnerUnderTest.start();
    holdTimers();
    const lost = await connectedCall(served);
    const document = await servedWhileWaiting(
      served,
      () => served.carrier.resume(lost.callId),
      () => jest.advanceTimersByTime(2_000),
    );
    const stream = await Stream.open(document.streamUrl);
    expect(stream.hello.call).toMatchObject({ id: lost.callId, attempt: 2 });
    expect(await lost.closed).toBe(1006);
    await until(() => !isAlive(lost.hello.pid), 'the bot whose stream was lost ends');
    stream.order('return');
    expect((await served.carrier.resume(lost.callId)).verbs).toEqual(['Hangup']);
  });

  test('several times at once, and once more, gets the same document', async () => {
    await using served = await RunnerUnderTest.start(IN_PROCESS);
    const stream = await served.carrier.call();
    stream.order('throw');
    const documents = await Promise.all(Array.from({ length: 20 }, () => served.carrier.resume(stream.callId)));
    documents.push(await served.carrier.resume(stream.callId));
    documents.push(await served.carrier.answer(stream.callId));
    const [first] = documents;
    expect(first?.verbs).toEqual(['Stream', 'Redirect']);
    for (const { answer } of documents) expect(answer.body).toBe(first?.answer.body);
    expect((await Stream.open(first?.streamUrl ?? '')).hello.call.attempt).toBe(2);
  });

  test('with a call we do not know, because the runner was restarted, gets a bot', async () => {
    await using served = await RunnerUnderTest.start(IN_PROCESS);
    const document = await served.carrier.resume('from-before');
    expect((await Stream.open(document.streamUrl)).hello.call).toMatchObject({ id: 'from-before', attempt: 2 });
  });

  test('faster than the old bot of a shared process is gone gets a bot that lives on', async () => {
    await using served = await RunnerUnderTest.start({ ...IN_PROCESS, callsPerProcess: 2 });
    const first = await served.carrier.call();
    first.socket.pause(); // does not answer the bot's close
    first.order('throw');
    const second = await Stream.open((await served.carrier.resume(first.callId)).streamUrl);
    first.socket.resume();
    expect(await first.closed).toBe(1011);
    second.order('throw');
    expect(await second.closed).toBe(1011);
    const third = await Stream.open((await served.carrier.resume(first.callId)).streamUrl);
    expect(third.hello.call.attempt).toBe(3);
  });
});

test('a call whose end the carrier does not tell ends after 30 s', async () => {
  await using served = await RunnerUnderTest.start(IN_PROCESS);
  const stream = await connectedCall(served);
  holdTimers();
  stream.socket.terminate();
  await stream.closed;
  await until(() => jest.getTimerCount() > 0, 'the runner waits for the carrier');
  jest.advanceTimersByTime(29_999);
  expect(served.runner.liveCalls).toBe(1);
  jest.advanceTimersByTime(1);
  expect(await served.record(stream.callId, { state: 'ended' })).toMatchObject({ endReason: 'caller_hung_up' });
});

test('the end of a call closes a stream that the carrier left open, and the bot ends', async () => {
  await using served = await RunnerUnderTest.start();
  const stream = await served.carrier.call();
  await served.carrier.hangup(stream.callId);
  expect(await stream.closed).toBe(1006);
  await until(() => !isAlive(stream.hello.pid), 'the bot of a call that is over ends');
});

test('a call that ends before its stream comes leaves the bot to the next one', async () => {
  await using served = await RunnerUnderTest.start(IN_PROCESS);
  const { callId, streamUrl } = await served.carrier.answer();
  await served.carrier.hangup(callId, { HangupCause: 'ORIGINATOR_CANCEL' });
  expect(await new Stream(streamUrl).closed).toBe(1006);
  expect((await served.carrier.call()).hello.call.attempt).toBe(1);
});

/** A call whose bot reads: the runner waits for nothing. */
async function connectedCall(served: RunnerUnderTest): Promise<Stream> {
  const stream = await served.carrier.call();
  await served.record(stream.callId, { state: 'connected' });
  return stream;
}

/** Starts a request that the runner answers only after something else has happened, which `meanwhile` makes happen. */
async function servedWhileWaiting<T>(
  served: RunnerUnderTest,
  request: () => Promise<T>,
  meanwhile: () => void,
): Promise<T> {
  const answer = request();
  // By the time later requests have been answered, the runner has seen this one and waits.
  for (const _ of [1, 2, 3]) await send(`${served.runner.url}/health`);
  meanwhile();
  return await answer;
}
