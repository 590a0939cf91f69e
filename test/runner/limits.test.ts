import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeMulaw, MULAW_SILENCE } from '../../src/base/audio/mulaw.js';
import { silentLogger } from '../../src/base/logger.js';
import type { RunnerOptions } from '../../src/runner/runner-options.js';
import { sine } from '../base/audio/signals.js';
import { isAlive } from '../e2e/processes.js';
import { Inbox } from '../sandbox/inbox.js';
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

/** A call of either direction, as far as its limits are concerned. */
interface LiveCall {
  readonly id: string;
  /** The carrier's identifier. */
  readonly callId: string;
  readonly stream: Stream;
  resume(): Promise<{ verbs: string[] }>;
  hangup(parameters?: Record<string, string>): Promise<unknown>;
}

async function inboundCall(served: RunnerUnderTest): Promise<LiveCall> {
  const stream = await served.carrier.call();
  const { callId } = stream;
  await served.record(callId, { state: 'connected' });
  return {
    id: callId,
    callId,
    stream,
    resume: () => served.carrier.resume(callId),
    hangup: (parameters) => served.carrier.hangup(callId, parameters),
  };
}

async function dialledCall(served: RunnerUnderTest, call?: DialledCall): Promise<LiveCall & { dialled: DialledCall }> {
  const dialled = call ?? (await served.carrier.dial(served.api));
  const document = await dialled.answer();
  const stream = await Stream.open(document.streamUrl);
  await served.record(dialled.id, { state: 'connected' });
  return {
    id: dialled.id,
    callId: dialled.callId,
    stream,
    dialled,
    resume: () => served.carrier.follow(document),
    hangup: (parameters) => dialled.hangup(parameters),
  };
}

/** The bot does not end its call when it is asked to. */
async function makeStubborn({ stream }: LiveCall): Promise<void> {
  stream.order('ignore_stop');
  await stream.event('done');
}

/** The bot still does as it is told. */
async function isServed({ stream }: LiveCall): Promise<void> {
  stream.order('nothing');
  await stream.event('done');
}

/** What the runner has asked the carrier to end, once everything on its way has arrived. */
async function hangUps(served: RunnerUnderTest): Promise<string[]> {
  for (const _ of [1, 2, 3]) await send(`${served.runner.url}/health`);
  return served.api.requests.all.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
}

/** Limits so low that no sign of life of the bot's process is due before. Its last 5 s are for the goodbye. */
const SEVEN_SECONDS: Partial<RunnerOptions> = { maxCallSeconds: 7, dialMaxSeconds: 900 };

describe.each([
  ['an inbound call', SEVEN_SECONDS, inboundCall],
  ['a dialled call, by the limit of all calls,', SEVEN_SECONDS, dialledCall],
  ['a dialled call, by its own limit,', { maxCallSeconds: 3_600, dialMaxSeconds: 7 }, dialledCall],
])(
  '%s that becomes too long',
  (_, options: Partial<RunnerOptions>, open: (served: RunnerUnderTest) => Promise<LiveCall>) => {
    test('is ended by its bot, which is asked to 5 s before', async () => {
      await using served = await start(options);
      const call = await open(served);
      jest.advanceTimersByTime(1_999);
      await isServed(call);
      jest.advanceTimersByTime(1);
      expect(await call.stream.closed).toBe(1000);
      expect((await call.resume()).verbs).toEqual(['Hangup']);
      await call.hangup({ HangupSource: 'Answer XML', HangupCauseCode: '4000' });
      expect(await served.record(call.id, { state: 'ended' })).toMatchObject({
        endReason: 'limit_reached',
        attempt: 1,
      });
      jest.advanceTimersByTime(60_000);
      expect(await hangUps(served)).toEqual([]);
    });

    test('is ended at the carrier when its bot does not', async () => {
      await using served = await start(options);
      const call = await open(served);
      await makeStubborn(call);
      jest.advanceTimersByTime(6_999);
      await isServed(call);
      expect(await hangUps(served)).toEqual([]);
      jest.advanceTimersByTime(1);
      expect((await served.api.next('DELETE', /./)).path).toBe(`Call/${call.callId}/`);
      expect(await served.record(call.id, { state: 'ended' })).toMatchObject({ endReason: 'limit_reached' });
      expect(await call.stream.closed).toBe(1006);
      expect(served.runner.liveCalls).toBe(0);
      expect(await hangUps(served)).toHaveLength(1);
    });
  },
);

describe('the length of a call', () => {
  test('is told to the carrier when it is dialled: the smaller of the two limits', async () => {
    for (const [maxCallSeconds, dialMaxSeconds] of [
      [3_600, 120],
      [120, 900],
    ] as const) {
      await using served = await RunnerUnderTest.start({ ...IN_PROCESS, maxCallSeconds, dialMaxSeconds });
      expect((await served.carrier.dial(served.api)).fields.time_limit).toBe(120);
    }
  });

  test('counts from the answer, however long it rang', async () => {
    await using served = await start({ dialMaxSeconds: 7 });
    const dialled = await served.carrier.dial(served.api);
    await dialled.ring();
    jest.advanceTimersByTime(40_000);
    const call = await dialledCall(served, dialled);
    jest.advanceTimersByTime(1_999);
    await isServed(call);
    jest.advanceTimersByTime(1);
    expect(await call.stream.closed).toBe(1000);
  });

  test('of an inbound call has nothing to do with the limit of dialled ones', async () => {
    await using served = await start({ dialMaxSeconds: 6 });
    const call = await inboundCall(served);
    jest.advanceTimersByTime(7_000);
    await isServed(call);
    expect(await hangUps(served)).toEqual([]);
  });

  test('goes on counting when another bot takes over', async () => {
    await using served = await start(SEVEN_SECONDS);
    const first = await inboundCall(served);
    jest.advanceTimersByTime(1_000);
    first.stream.order('throw');
    await first.stream.closed;
    const document = await served.carrier.resume(first.callId);
    const second = await Stream.open(document.streamUrl);
    jest.advanceTimersByTime(999);
    await isServed({ ...first, stream: second });
    jest.advanceTimersByTime(1);
    expect(await second.closed).toBe(1000);
  });

  test('ends a call whose bot crashes over its goodbye, without another bot', async () => {
    await using served = await start(SEVEN_SECONDS);
    const call = await inboundCall(served);
    await makeStubborn(call);
    jest.advanceTimersByTime(2_000);
    call.stream.order('throw');
    expect(await call.stream.closed).toBe(1011);
    expect((await call.resume()).verbs).toEqual(['Hangup']);
    await call.hangup({ HangupSource: 'Answer XML' });
    expect(await served.record(call.id, { state: 'ended' })).toMatchObject({ endReason: 'limit_reached', attempt: 1 });
  });

  test('ends at the carrier a call that no bot could be connected to', async () => {
    await using served = await start(SEVEN_SECONDS);
    const { callId } = await served.carrier.answer();
    jest.advanceTimersByTime(7_000);
    expect((await served.api.next('DELETE', /./)).path).toBe(`Call/${callId}/`);
    expect(await served.record(callId, { state: 'ended' })).toMatchObject({ endReason: 'limit_reached' });
  });

  test('of a call that was over before means nothing', async () => {
    await using served = await start(SEVEN_SECONDS);
    const call = await inboundCall(served);
    await call.hangup();
    expect(await served.record(call.id, { state: 'ended' })).toMatchObject({ endReason: 'caller_hung_up' });
    jest.advanceTimersByTime(60_000);
    expect(await hangUps(served)).toEqual([]);
  });
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

  test('is ended at the carrier 5 s later when its bot does not end it', async () => {
    const warnings = new Inbox<string>();
    const logger = { ...silentLogger, warn: (message: string) => warnings.push(message) };
    await using served = await start({ silenceSeconds: 1, logger });
    const call = await inboundCall(served);
    await makeStubborn(call);
    jest.advanceTimersByTime(1_000);
    await warnings.next((message) => message === 'call has reached its limit');
    jest.advanceTimersByTime(4_999);
    await isServed(call);
    expect(await hangUps(served)).toEqual([]);
    jest.advanceTimersByTime(1);
    expect((await served.api.next('DELETE', /./)).path).toBe(`Call/${call.callId}/`);
    expect(await served.record(call.id, { state: 'ended' })).toMatchObject({ endReason: 'limit_reached' });
    expect(await call.stream.closed).toBe(1006);
  });

  test('goes on for ever where no limit is set', async () => {
    await using served = await RunnerUnderTest.start({ silenceSeconds: 0 });
    const call = await inboundCall(served);
    for (const _ of [1, 2, 3]) await isServed(call);
    expect(isAlive(call.stream.hello.pid)).toBe(true);
  });
});

describe('a machine that answers', () => {
  test('is hung up on 2 s later where that is wished, and its call ends as voicemail', async () => {
    await using served = await start({ machineDetection: 'hangup' });
    const call = await dialledCall(served);
    await call.dialled.machine(true);
    expect(await served.record(call.id, { answeredBy: 'machine' })).toMatchObject({ state: 'connected' });
    jest.advanceTimersByTime(1_999);
    expect(await hangUps(served)).toEqual([]);
    jest.advanceTimersByTime(1);
    expect((await served.api.next('DELETE', /./)).path).toBe(`Call/${call.callId}/`);
    await call.hangup({ HangupSource: 'API Request', HangupCauseCode: '4010' });
    expect(await served.record(call.id, { state: 'ended' })).toMatchObject({ endReason: 'voicemail' });
  });

  test('is not hung up on when the carrier was faster', async () => {
    await using served = await start({ machineDetection: 'hangup' });
    const call = await dialledCall(served);
    await call.dialled.machine(true);
    await call.dialled.machine(true);
    await call.hangup({ HangupSource: 'Plivo', HangupCauseCode: '9100' });
    expect(await served.record(call.id, { state: 'ended' })).toMatchObject({ endReason: 'voicemail' });
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

  test.each([
    ['its bot is done', (stream: Stream) => stream.order('return'), { HangupSource: 'Answer XML' }],
    ['it hangs up', (stream: Stream) => stream.socket.close(1000), { HangupSource: 'Callee', HangupCauseCode: '4000' }],
  ])('is talked to where it is only reported, and its call is voicemail at the end, when %s', async (_, end, news) => {
    await using served = await start({ machineDetection: 'report' });
    const call = await dialledCall(served);
    await call.dialled.machine(true);
    await served.record(call.id, { answeredBy: 'machine' });
    jest.advanceTimersByTime(5_000);
    await isServed(call);
    expect(await hangUps(served)).toEqual([]);
    end(call.stream);
    await call.stream.closed;
    await call.hangup(news);
    expect(await served.record(call.id, { state: 'ended' })).toMatchObject({ endReason: 'voicemail' });
  });

  test('that talks for too long is over the limit', async () => {
    await using served = await start({ machineDetection: 'report', dialMaxSeconds: 7 });
    const call = await dialledCall(served);
    await call.dialled.machine(true);
    jest.advanceTimersByTime(2_000);
    expect(await call.stream.closed).toBe(1000);
    await call.hangup({ HangupSource: 'API Request' });
    expect(await served.record(call.id, { state: 'ended' })).toMatchObject({ endReason: 'limit_reached' });
  });
});

test.each(['report', 'hangup'] as const)(
  'a person who answers is served with detection set to %s',
  async (machineDetection) => {
    await using served = await start({ machineDetection });
    const call = await dialledCall(served);
    await call.dialled.machine(false);
    await served.record(call.id, { answeredBy: 'person' });
    jest.advanceTimersByTime(5_000);
    await isServed(call);
    expect(await hangUps(served)).toEqual([]);
    await call.hangup();
    expect(await served.record(call.id, { state: 'ended' })).toMatchObject({ endReason: 'caller_hung_up' });
  },
);
