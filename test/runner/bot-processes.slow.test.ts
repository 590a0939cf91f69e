import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LogFields, silentLogger } from '../../src/base/logger.js';
import { upgradeSignatureHeaders } from '../../src/providers/plivo/signature.js';
import { childrenOf, isAlive, isGroupAlive, until } from '../e2e/processes.js';
import { AUTH_TOKEN, callParameters, Stream, send, startCall } from './hand-carrier.js';
import { holdTimers } from './hold-timers.js';
import { IN_PROCESS } from './in-process-bots.js';
import { botFile, RunnerUnderTest } from './runner-under-test.js';

test('every call has a process of its own, which ends with it', async () => {
  await using served = await RunnerUnderTest.start();
  const streams: Stream[] = [];
  for (let n = 0; n < 4; n += 1) streams.push(await served.carrier.call());
  const pids = streams.map(({ hello }) => hello.pid);
  expect(new Set(pids).size).toBe(4);
  const [first, ...others] = streams as [Stream, ...Stream[]];
  first.order('return');
  await until(() => !isAlive(first.hello.pid), 'the process of a call that is over ends');
  for (const { hello } of others) expect(isAlive(hello.pid)).toBe(true);
});

describe('a runner whose processes may have three calls each', () => {
  let served: RunnerUnderTest;
  const streams: Stream[] = [];
  beforeAll(async () => {
    served = await RunnerUnderTest.start({ callsPerProcess: 3, warm: 3 });
  });
  afterEach(async () => {
    for (const stream of streams.splice(0)) {
      stream.socket.terminate();
      await served.carrier.hangup(stream.callId);
    }
    await until(() => served.runner.liveCalls === 0, 'the calls are over');
  });
  afterAll(() => served[Symbol.asyncDispose]());

  async function calls(count: number): Promise<[Stream, ...Stream[]]> {
    for (let n = 0; n < count; n += 1) streams.push(await served.carrier.call());
    return streams.slice(-count) as [Stream, ...Stream[]];
  }

  /** Three that have one process, of as many as it takes: calls of the test before may still have their places. */
  async function together(): Promise<[Stream, Stream, Stream]> {
    for (let n = 1; n <= 9; n += 1) {
      const [last] = await calls(1);
      const beside = streams.filter(({ hello }) => hello.pid === last.hello.pid);
      if (beside.length === 3) return beside as [Stream, Stream, Stream];
    }
    throw new Error('no process has three of nine calls');
  }

  test('three share one, and the fourth has another', async () => {
    const [first, second, third, fourth] = await calls(4);
    const shared = first.hello.pid;
    expect([second?.hello.pid, third?.hello.pid]).toEqual([shared, shared]);
    expect(fourth?.hello.pid).not.toBe(shared);
    // Room that a call leaves is used again.
    second?.order('return');
    await second?.closed;
    const [fifth] = await calls(1);
    expect([shared, fourth?.hello.pid]).toContain(fifth.hello.pid);
  });

  test('what a process with several calls prints is of none of them', async () => {
    const [first] = await together();
    const printed = once(served.runner, 'bot_output');
    first.order('print');
    expect((await printed)[1]).toBeUndefined();
  });

  test('many calls at the same moment never overfill a process', async () => {
    streams.push(...(await Promise.all(Array.from({ length: 9 }, () => served.carrier.call()))));
    const counts = new Map<number, number>();
    for (const { hello } of streams) counts.set(hello.pid, (counts.get(hello.pid) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(3);
  });

  test('a bot that fails leaves the other calls of its process alone', async () => {
    const [failing, ...others] = await together();
    failing.order('throw');
    expect(await failing.closed).toBe(1011);
    const again = await Stream.open((await served.carrier.resume(failing.callId)).streamUrl);
    expect(again.hello.call.attempt).toBe(2);
    for (const other of others) {
      other.order('print');
      await other.event('done');
    }
    again.socket.terminate();
  });

  test('a process that ends gives all its calls other bots', async () => {
    const all = await together();
    all[0].order('exit');
    for (const { closed } of all) expect(await closed).toBe(1006);
    const documents = await Promise.all(all.map(({ callId }) => served.carrier.resume(callId)));
    const again = await Promise.all(documents.map(({ streamUrl }) => Stream.open(streamUrl)));
    for (const { hello, socket } of again) {
      expect(hello.call.attempt).toBe(2);
      socket.terminate();
    }
  });
});

test('a stream that breaks off before it is upgraded leaves its place in the process to others', async () => {
  await using served = await RunnerUnderTest.start({ callsPerProcess: 2 });
  const { callId, streamUrl } = await served.carrier.answer();
  const { port, pathname, search, host } = new URL(streamUrl);
  const socket = connect(Number(port), '127.0.0.1');
  const head = {
    Host: host,
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'no key at all',
    ...upgradeSignatureHeaders(streamUrl, AUTH_TOKEN),
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  socket.destroy();

  const again = await Stream.open((await served.carrier.resume(callId)).streamUrl);
  const other = await served.carrier.call();
  expect(other.hello.pid).toBe(again.hello.pid);
});

describe('why a bot has died', () => {
  test('is told with its last words, and the carrier is not blamed for the stream', async () => {
    const warnings: Array<[string, LogFields | undefined]> = [];
    const logger = { ...silentLogger, warn: (text: string, fields?: LogFields) => void warnings.push([text, fields]) };
    await using served = await RunnerUnderTest.start({ logger });
    const stream = await served.carrier.call();
    const { callId } = stream;
    stream.order('print');
    stream.order('exit');
    await stream.closed;
    const news = callParameters(callId, { Event: 'DroppedStream' });
    await served.carrier.webhook('/stream-status', news);
    await served.carrier.resume(callId);
    await until(() => warnings.length >= 2, 'it is told');
    expect(warnings.map(([text]) => text).sort()).toEqual([
      'the bot of a call has failed, starting another one',
      'the bot process of a call has died',
    ]);
    const [, fields] = warnings.find(([text]) => text.includes('died')) ?? [];
    expect(fields).toEqual({ callId, exit: 'code 3', lastLine: `puppet ${stream.hello.pid} prints` });
  });

  test('is the message of an error that nobody has caught, not what Node prints around it', async () => {
    const warnings: Array<LogFields | undefined> = [];
    const logger = { ...silentLogger, warn: (_text: string, fields?: LogFields) => void warnings.push(fields) };
    await using served = await RunnerUnderTest.start({ logger });
    (await served.carrier.call()).order('throw_later');
    await until(() => warnings.some((fields) => fields?.exit !== undefined), 'it is told');
    expect(warnings.find((fields) => fields?.exit)).toMatchObject({ exit: 'code 1', lastLine: 'Error: out of luck' });
  });

  test('is the word of a process without memory, not its native stack', async () => {
    const deaths: Array<LogFields | undefined> = [];
    const warn = (_text: string, fields?: LogFields) => void (fields?.exit && deaths.push(fields));
    await using served = await RunnerUnderTest.start({ logger: { ...silentLogger, warn } });
    (await served.carrier.call()).order('run_out');
    await until(() => deaths.length > 0, 'it is told');
    expect(deaths).toMatchObject([{ exit: 'signal SIGABRT', lastLine: 'FATAL ERROR: out of memory' }]);
  });

  test('is told of one that waited for calls, and not as if it could not be loaded', async () => {
    await using served = await RunnerUnderTest.start();
    const [pid] = childrenOf(process.pid, /bot-main/);
    process.kill(pid ?? 0, 'SIGKILL');
    const file = botFile('puppet.mjs');
    expect(await served.problems.next()).toBe(
      `A bot process ended by itself: one that waited for calls of ${file} ended with signal SIGKILL`,
    );
    expect((await served.carrier.call()).hello.call.attempt).toBe(1);
  });

  test('a stream that the carrier has lost by itself is told as such', async () => {
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    await using served = await RunnerUnderTest.start({ ...IN_PROCESS, logger });
    const stream = await served.carrier.call();
    stream.socket.terminate();
    await stream.closed;
    await served.carrier.webhook('/stream-status', callParameters(stream.callId, { Event: 'DroppedStream' }));
    await until(() => warnings.length > 0, 'it is told');
    expect(warnings).toEqual(['the carrier lost the media stream']);
  });
});

describe('of a bot in a process of its own', () => {
  let served: RunnerUnderTest;
  beforeAll(async () => {
    served = await RunnerUnderTest.start();
  });
  afterAll(() => served[Symbol.asyncDispose]());

  test('what it prints is told line by line, with its call', async () => {
    const stream = await served.carrier.call();
    const printed = once(served.runner, 'bot_output');
    stream.order('print');
    const [line, callId] = await printed;
    expect(line).toBe(`puppet ${stream.hello.pid} prints`);
    expect(callId).toBe(stream.callId);
  });

  test('a flood of what it prints is cut off, and told', async () => {
    const stream = await served.carrier.call();
    stream.order('flood');
    await stream.event('done');
    const name = `the output of bot process ${stream.hello.pid}`;
    await served.output.next((line) => line === `${name} is cut off: more than 1 MiB in a second`);
    stream.order('return');
    expect(await served.output.next((line) => line.startsWith(`${name} goes on`))).toMatch(/: \d MiB were left out$/);
    expect(served.output.all.filter((line) => line.startsWith('x')).length).toBeLessThanOrEqual(1_024);
  });

  test('the error is printed with its call', async () => {
    const stream = await served.carrier.call();
    stream.order('throw');
    await served.output.next((line) => line === `bot failed in call ${stream.callId} (attempt 1): Error: as ordered`);
  });

  test('the settings are there, and the list of processes does not show them', async () => {
    const { hello } = await served.carrier.call();
    expect(hello.secret).toBe(AUTH_TOKEN);
    if (process.platform !== 'linux') return;
    for (const file of ['environ', 'cmdline']) {
      const shown = readFileSync(`/proc/${hello.pid}/${file}`, 'utf8');
      expect(shown).not.toBe('');
      expect(shown).not.toContain(AUTH_TOKEN);
    }
  });
});

test.each([
  ['returns', async (stream: Stream) => void (await stream.closed)],
  ['is killed', async (stream: Stream) => void process.kill(stream.hello.pid, 'SIGKILL')],
])('a program that a bot has started ends with the bot when that %s', async (_, end) => {
  await using served = await RunnerUnderTest.start({ botFile: botFile('parent.mjs') });
  const stream = await served.carrier.call();
  await end(stream);
  await until(() => !isAlive(stream.hello.pid), 'the bot ends');
  await until(() => !isGroupAlive(stream.hello.pid), 'the program of the bot ends');
});

describe('a bot file that breaks while the runner runs', () => {
  const good = readFileSync(botFile('puppet.mjs'));
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'voicebot-bot-'));
    file = join(directory, 'bot.mjs');
    writeFileSync(file, good);
  });
  afterEach(() => {
    jest.useRealTimers();
    rmSync(directory, { recursive: true });
  });

  /** It breaks, and the process for the second call finds that out. */
  async function breaks(served: RunnerUnderTest): Promise<Stream> {
    writeFileSync(file, 'nonsense;');
    holdTimers();
    const first = await served.carrier.call();
    expect(await served.problems.next()).toBe(`The bot file could not be loaded: ${file}:1: nonsense is not defined`);
    return first;
  }

  test('is reported, calls go on, and its repair is noticed', async () => {
    await using served = await RunnerUnderTest.start({ botFile: file });
    const first = await breaks(served);
    first.order('print');
    await first.event('done');
    writeFileSync(file, good);
    jest.advanceTimersByTime(2_000);
    const ready = async () => (await send(`${served.runner.url}/ready`)).status === 200;
    await until(ready, 'a bot is ready again');
    expect((await served.carrier.call()).hello.call.attempt).toBe(1);
  });

  test('gives new callers the recorded line at once, and dials nobody', async () => {
    await using served = await RunnerUnderTest.start({ botFile: file });
    await breaks(served);
    const { callId, verbs } = await served.carrier.answer();
    expect(verbs).toEqual(['Play', 'Hangup']);
    expect((await served.carrier.answer(callId)).verbs).toEqual(['Play', 'Hangup']);
    await served.carrier.hangup(callId, { HangupSource: 'Answer XML' });
    expect(await served.record(callId, { state: 'ended' })).toMatchObject({ endReason: 'no_bot', attempt: 1 });

    const { status, body } = await startCall(served.runner);
    expect([status, body.error.code]).toEqual([503, 'VB_BOT_LOAD_FAILED']);
  });

  test('gives callers who wait for a bot the recorded line as soon as it is known', async () => {
    await using served = await RunnerUnderTest.start({ botFile: file });
    writeFileSync(file, 'await new Promise((resolve) => setTimeout(resolve, 300)); nonsense;');
    await served.carrier.call();
    const { callId, streamUrl } = await served.carrier.answer();
    const stream = new Stream(streamUrl);
    expect(await stream.closed).toBe(1000);
    expect((await served.carrier.resume(callId)).verbs).toEqual(['Play', 'Hangup']);
    await served.carrier.hangup(callId, { HangupSource: 'Answer XML' });
    expect(await served.record(callId, { state: 'ended' })).toMatchObject({ endReason: 'no_bot' });
  });

  test('gives a caller whose bot has died the recorded line at once', async () => {
    await using served = await RunnerUnderTest.start({ botFile: file });
    const first = await breaks(served);
    first.order('exit');
    expect(await first.closed).toBe(1006);
    expect((await served.carrier.resume(first.callId)).verbs).toEqual(['Play', 'Hangup']);
  });
});
