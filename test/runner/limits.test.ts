import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeMulaw, MULAW_SILENCE } from '../../src/base/audio/mulaw.js';
import { sine } from '../base/audio/signals.js';
import { type DialledCall, Stream, send } from './hand-carrier.js';
import { holdTimers } from './hold-timers.js';
import { IN_PROCESS, muteBots } from './in-process-bots.js';
import { RunnerUnderTest, type TestRunnerOptions } from './runner-under-test.js';

beforeEach(muteBots);
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** A runner for whose calls no time passes but what a test lets pass. */
async function start(options: TestRunnerOptions): Promise<RunnerUnderTest> {
  const served = await RunnerUnderTest.start({ ...IN_PROCESS, ...options });
  holdTimers();
  return served;
}

interface LiveCall {
  readonly dialled: DialledCall;
  readonly stream: Stream;
}

async function dialledCall(served: RunnerUnderTest): Promise<LiveCall> {
  const dialled = await served.carrier.dial(served.api);
  const stream = await Stream.open((await dialled.answer()).streamUrl);
  await served.record(dialled.id, { state: 'connected' });
  return { dialled, stream };
}

/** The bot still does as it is told. */
async function isServed({ stream }: Pick<LiveCall, 'stream'>): Promise<void> {
  stream.order('nothing');
  await stream.event('done');
}

/** What the runner has asked the carrier to end, once everything on its way has arrived. */
async function hangUps(served: RunnerUnderTest): Promise<string[]> {
  for (const _ of [1, 2, 3]) await send(`${served.runner.url}/health`);
  return served.api.requests.all.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
}

test('a call that no bot could be connected to is ended at the carrier when it becomes too long', async () => {
  await using served = await start({ maxCallSeconds: 7 });
  const { callId } = await served.carrier.answer();
  jest.advanceTimersByTime(7_000);
  expect((await served.api.next('DELETE', /./)).path).toBe(`Call/${callId}/`);
  expect(await served.record(callId, { state: 'ended' })).toMatchObject({ endReason: 'limit_reached' });
});

describe('a call on which nobody says anything', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'voicebot-bot-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** Listens, and says nothing after its hello. */
  function quietBot(): string {
    const file = join(directory, 'quiet.mjs');
    writeFileSync(
      file,
      `export function bot({ websocket, call, signal }) {
        websocket.send(JSON.stringify({ event: 'hello', pid: process.pid, call }));
        websocket.on('message', () => {});
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      }\n`,
    );
    return file;
  }

  const media = (payload: Uint8Array) =>
    JSON.stringify({
      event: 'media',
      streamId: 'e1d2c3b4-a596-4788-8697-a6b5c4d3e2f1',
      media: {
        track: 'inbound',
        timestamp: '1767323045698',
        chunk: 1,
        payload: Buffer.from(payload).toString('base64'),
      },
    });
  const SILENCE = media(new Uint8Array(160).fill(MULAW_SILENCE));
  const SPEECH = media(encodeMulaw(sine(400, 8_000, 160, 3_000)));

  /** Says `seconds` of audio, ten times as fast as people do, or until the stream is closed. */
  function say(stream: Stream, message: string, seconds: number): Promise<void> {
    return new Promise((resolve) => {
      let saidMs = 0;
      const timer = setInterval(() => {
        for (let frame = 0; frame < 25; frame += 1) stream.socket.send(message);
        saidMs += 500;
        if (saidMs < seconds * 1_000 && stream.socket.readyState === stream.socket.OPEN) return;
        clearInterval(timer);
        resolve();
      }, 50);
    });
  }

  test('is ended by its bot, which is asked to', async () => {
    await using served = await RunnerUnderTest.start({ ...IN_PROCESS, botFile: quietBot(), silenceSeconds: 0.3 });
    const stream = await served.carrier.call();
    await say(stream, SILENCE, 60);
    expect(await stream.closed).toBe(1000);
    expect((await served.carrier.resume(stream.callId)).verbs).toEqual(['Hangup']);
    await served.carrier.hangup(stream.callId, { HangupSource: 'Answer XML' });
    expect(await served.record(stream.callId, { state: 'ended' })).toMatchObject({ endReason: 'limit_reached' });
  });

  test('goes on while the caller speaks, and ends when that is over', async () => {
    await using served = await RunnerUnderTest.start({ ...IN_PROCESS, botFile: quietBot(), silenceSeconds: 1 });
    const stream = await served.carrier.call();
    await say(stream, SPEECH, 15);
    expect(stream.socket.readyState).toBe(stream.socket.OPEN);
    await say(stream, SILENCE, 60);
    expect(await stream.closed).toBe(1000);
  });

  test('goes on for ever where no limit is set', async () => {
    await using served = await RunnerUnderTest.start({ ...IN_PROCESS, silenceSeconds: 0 });
    const stream = await served.carrier.call();
    for (const _ of [1, 2, 3]) await isServed({ stream });
  });
});

describe('a machine that answers', () => {
  test('is hung up on 2 s later where that is wished, and its call ends as voicemail', async () => {
    await using served = await start({ machineDetection: 'hangup' });
    const call = await dialledCall(served);
    await call.dialled.machine(true);
    expect(await served.record(call.dialled.id, { answeredBy: 'machine' })).toMatchObject({ state: 'connected' });
    jest.advanceTimersByTime(1_999);
    expect(await hangUps(served)).toEqual([]);
    jest.advanceTimersByTime(1);
    expect((await served.api.next('DELETE', /./)).path).toBe(`Call/${call.dialled.callId}/`);
    await call.dialled.hangup({ HangupSource: 'API Request', HangupCauseCode: '4010' });
    expect(await served.record(call.dialled.id, { state: 'ended' })).toMatchObject({ endReason: 'voicemail' });
  });

  test('is not hung up on when the carrier was faster', async () => {
    await using served = await start({ machineDetection: 'hangup' });
    const call = await dialledCall(served);
    await call.dialled.machine(true);
    await call.dialled.machine(true);
    await call.dialled.hangup({ HangupSource: 'Plivo', HangupCauseCode: '9100' });
    expect(await served.record(call.dialled.id, { state: 'ended' })).toMatchObject({ endReason: 'voicemail' });
    jest.advanceTimersByTime(60_000);
    expect(await hangUps(served)).toEqual([]);
  });

  test('gets no bot when it is known before the call asks for its document', async () => {
    await using served = await start({ machineDetection: 'hangup' });
    const dialled = await served.carrier.dial(served.api);
    await dialled.ring();
    await dialled.machine(true);
    expect((await dialled.answer()).verbs).toEqual(['Hangup']);
    jest.advanceTimersByTime(2_000);
    expect((await served.api.next('DELETE', /./)).path).toBe(`Call/${dialled.callId}/`);
    await dialled.hangup({ HangupSource: 'API Request' });
    expect(await served.record(dialled.id, { state: 'ended' })).toMatchObject({ endReason: 'voicemail' });
  });

  test('is talked to where it is only reported, and its call is voicemail at the end', async () => {
    await using served = await start({ machineDetection: 'report' });
    const call = await dialledCall(served);
    await call.dialled.machine(true);
    await served.record(call.dialled.id, { answeredBy: 'machine' });
    jest.advanceTimersByTime(5_000);
    await isServed(call);
    expect(await hangUps(served)).toEqual([]);
    call.stream.order('return');
    await call.stream.closed;
    await call.dialled.hangup({ HangupSource: 'Answer XML' });
    expect(await served.record(call.dialled.id, { state: 'ended' })).toMatchObject({ endReason: 'voicemail' });
  });

  test('that talks for too long is over the limit', async () => {
    await using served = await start({ machineDetection: 'report', dialMaxSeconds: 7 });
    const call = await dialledCall(served);
    await call.dialled.machine(true);
    jest.advanceTimersByTime(2_000);
    expect(await call.stream.closed).toBe(1000);
    await call.dialled.hangup({ HangupSource: 'API Request' });
    expect(await served.record(call.dialled.id, { state: 'ended' })).toMatchObject({ endReason: 'limit_reached' });
  });
});

test.each(['report', 'hangup'] as const)(
  'a person who answers is served with detection set to %s',
  async (machineDetection) => {
    await using served = await start({ machineDetection });
    const call = await dialledCall(served);
    await call.dialled.machine(false);
    await served.record(call.dialled.id, { answeredBy: 'person' });
    jest.advanceTimersByTime(5_000);
    await isServed(call);
    expect(await hangUps(served)).toEqual([]);
    await call.dialled.hangup();
    expect(await served.record(call.dialled.id, { state: 'ended' })).toMatchObject({ endReason: 'caller_hung_up' });
  },
);
