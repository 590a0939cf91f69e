import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callFolderNames } from '../../src/call/folder/folder-name.js';
import { type CallFolder, readCallFolder } from '../../src/call/folder/read-call-folder.js';
import { concat } from '../base/audio/signals.js';
import { testsAtOnce } from '../tests-at-once.js';
import { isAlive, until } from './processes.js';
import { readRecording, returnedShare, type Side } from './recording.js';
import { type CliEvent, type Served, Voicebot } from './voicebot.js';

const SPEECH = fileURLToPath(new URL('../fixtures/audio/speech.wav', import.meta.url));
const ECHO = 'templates/echo/bot.ts';
const BARGE = 'test/e2e/bots/barge.mjs';
/** The stream begins some time after the answer, with which the phone's recording begins. */
const MAX_DELAY_MS = 400;
const KILL_AT_MS = 3_000;
/** A call, its runner, and a busy machine. */
const LIMIT_MS = 90_000;

jest.setTimeout(LIMIT_MS);

const figures: string[] = [];

afterAll(() => {
  process.stderr.write(figures.map((figure) => `  ${figure}\n`).join(''));
});

/** A runner with a call, and the folder that the call leaves. */
class KeptCall implements AsyncDisposable {
  readonly home = mkdtempSync(join(tmpdir(), 'voicebot-folders-'));
  #runner: Served | undefined;
  #caller: Voicebot | undefined;

  async serve(bot: string, transport: 'carrier' | 'rooms' = 'carrier', warm = 1): Promise<Served> {
    const runner = await Voicebot.serve(bot, { home: this.home, transport }, ['--warm', `${warm}`]);
    this.#runner = runner;
    await until(async () => (await runner.readyBots()) === warm, `${warm} warm bots`);
    return runner;
  }

  /** Somebody calls; both sides are recorded by the phone too. */
  call({ port }: Served, ...args: string[]): Voicebot {
    const record = ['--record', join(this.home, 'phone.wav')];
    this.#caller = new Voicebot(['call', '--port', `${port}`, '--talk-over', ...record, ...args], { home: this.home });
    return this.#caller;
  }

  /** What the phone has recorded. */
  get phone() {
    return readRecording(join(this.home, 'phone.wav'));
  }

  /** The folder of the only call, when whoever adds to it is done. */
  async folder(isDone: (folder: CallFolder) => boolean = ({ isLive }) => !isLive): Promise<CallFolder> {
    let folder: CallFolder | undefined;
    await until(
      async () => {
        const [name, ...others] = await callFolderNames(join(this.home, 'calls'));
        if (!name || others.length > 0) return false;
        folder = await readCallFolder(join(this.home, 'calls', name));
        return isDone(folder);
      },
      'the folder is complete',
      90_000,
    );
    return folder as CallFolder;
  }

  /** How much of what the folder keeps the phone has recorded too, and how much later; before zero, earlier. */
  compare(kept: { caller: Side; bot: Side }) {
    const { phone } = this;
    const both = (side: Side, other: Side) => {
      const later = concat(new Int16Array(MAX_DELAY_MS * 8), other.pcm);
      const { share, delayMs = Number.NaN } = returnedShare(side.pcm, later, 2 * MAX_DELAY_MS);
      return { share, delayMs: delayMs - MAX_DELAY_MS };
    };
    return { phone, caller: both(kept.caller, phone.caller), bot: both(kept.bot, phone.bot) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#caller?.[Symbol.asyncDispose]();
    await this.#runner?.[Symbol.asyncDispose]();
    rmSync(this.home, { recursive: true, force: true });
  }
}

const recordingIn = (folder: CallFolder) => readRecording(join(folder.path, 'audio.wav'));

/** How like two signals are, of which the second is later; 1 for a copy. */
function correlation(one: Int16Array, other: Int16Array, delayMs: number): number {
  const later = delayMs < 0 ? concat(new Int16Array(-delayMs * 8), other) : other.subarray(delayMs * 8);
  let [product, energy, otherEnergy] = [0, 0, 0];
  for (let n = 0; n < Math.min(one.length, later.length); n += 1) {
    const [a, b] = [one[n] as number, later[n] as number];
    product += a * b;
    energy += a * a;
    otherEnergy += b * b;
  }
  return product / Math.sqrt(energy * otherEnergy);
}

/** Where somebody who speaks falls silent for a fifth of a second, from `fromMs` on, in milliseconds. */
function silenceAfter(side: Side, fromMs: number): number {
  const first = side.levels.findIndex(
    (_, n) => n * 20 >= fromMs && side.levels.slice(n, n + 10).every((level) => level < -60),
  );
  return first * 20;
}

const problemsOf = (events: readonly CliEvent[]) =>
  events.filter(({ event, message }) => event === 'problem' && /recorded/.test(message));

test('a recording is what the phone has recorded: both sides, in time with each other, cut where it was cut', async () => {
  await using call = new KeptCall();
  const served = await call.serve(BARGE);
  expect(await call.call(served, '--wav', SPEECH, '--dtmf', 'w1.5 1 w2 2', '--seconds', '6').exit).toBe(0);
  const folder = await call.folder();
  const kept = recordingIn(folder);
  const { phone, caller: said, bot: heard } = call.compare(kept);
  expect(folder.missing).toEqual([]);
  expect(folder.record).toMatchObject({ state: 'ended', endReason: 'caller_hung_up' });
  // Where nothing else runs: all of it, less than 5 ms apart, a correlation above 0.99, cut in the same frame. A stall moves some of that.
  expect(Math.min(said.share, heard.share)).toBeGreaterThan(0.9);
  const { delayMs } = said;
  expect(Math.abs(heard.delayMs - delayMs)).toBeLessThan(60);
  const like = [kept.caller, kept.bot].map(({ pcm }, n) =>
    correlation(pcm, (n === 0 ? phone.caller : phone.bot).pcm, delayMs),
  );
  figures.push(`correlation of the caller ${like[0]?.toFixed(4)}, of the bot ${like[1]?.toFixed(4)}`);
  figures.push(`the two sides are ${Math.abs(heard.delayMs - delayMs)} ms apart`);
  expect(Math.min(...like)).toBeGreaterThan(0.5);
  expect(Math.abs(kept.bot.durationMs + delayMs - phone.bot.durationMs)).toBeLessThanOrEqual(200);
  for (const keyMs of [1_500, 3_600]) {
    const cuts = [silenceAfter(kept.bot, keyMs - delayMs) + delayMs, silenceAfter(phone.bot, keyMs)];
    figures.push(`cut at ${cuts[0]} ms, heard by the phone at ${cuts[1]} ms`);
    expect(Math.abs((cuts[0] as number) - (cuts[1] as number))).toBeLessThanOrEqual(200);
  }
});

test('in a room too, through its codec and its jitter buffers', async () => {
  await using call = new KeptCall();
  const served = await call.serve(BARGE, 'rooms');
  expect(await call.call(served, '--wav', SPEECH, '--dtmf', 'w2.5 1', '--seconds', '8').exit).toBe(0);
  const folder = await call.folder();
  const { caller: said, bot: heard } = call.compare(recordingIn(folder));
  figures.push(`in a room: the bot's side stands ${(said.delayMs - heard.delayMs).toFixed(0)} ms late`);
  expect(folder.missing).toEqual([]);
  expect(Math.min(said.share, heard.share)).toBeGreaterThan(0.5);
  expect(Math.abs(heard.delayMs - said.delayMs)).toBeLessThan(400);
});

async function killedBot(): Promise<void> {
  await using call = new KeptCall();
  const served = await call.serve(BARGE, 'carrier', 2);
  const caller = call.call(served, '--wav', SPEECH, '--dtmf', `w${KILL_AT_MS / 1_000} 1`, '--seconds', '8');
  const { line } = await served.events.next((event) => /^pid \d+ serves/.test(event.line));
  await caller.event('key_pressed');
  process.kill(Number.parseInt(line.slice('pid '.length), 10), 'SIGKILL');
  expect(await caller.exit).toBe(0);
  const folder = await call.folder();
  const { phone } = call;
  const kept = recordingIn(folder);
  expect(folder.record).toMatchObject({ state: 'ended', endReason: 'caller_hung_up', attempt: 2 });
  expect(folder.missing).toEqual([]);
  expect(folder.events.find(({ type }) => type === 'bot_done')).toMatchObject({ outcome: 'lost' });
  expect(new Set(folder.events.map((event) => event.bot))).toEqual(new Set([undefined, 1, 2]));
  expect(phone.bot.audibleMs(KILL_AT_MS + 2_000)).toBeGreaterThan(1_000); // the second bot is heard
  expect(kept.bot.audibleMs(KILL_AT_MS + 2_000)).toBeGreaterThan(1_000);
  expect(kept.bot.durationMs).toBeGreaterThan(phone.bot.durationMs - 1_500);
  const lost = kept.caller.levels.slice(KILL_AT_MS / 20 - 100, KILL_AT_MS / 20 + 200).filter((level) => level < -90);
  figures.push(
    `bot killed: ${lost.length * 20} ms of the caller are not in the recording, until the next bot listened`,
  );
  expect(lost.length * 20).toBeLessThan(4_000);
  expect(call.compare(kept).caller.share).toBeGreaterThan(0.8);
}

async function killedRunner(): Promise<void> {
  await using call = new KeptCall();
  const served = await call.serve(ECHO);
  const caller = call.call(served, '--wav', SPEECH, '--dtmf', `w${KILL_AT_MS / 1_000} 1`, '--seconds', '6');
  await caller.event('key_pressed');
  served.signal('SIGKILL');
  expect(await caller.exit).toBe(0);
  await until(() => !served.children().some(isAlive), 'the bot ends after the call');
  const { path } = await call.folder(() => true);
  for (const file of ['audio.wav', 'events.ndjson', 'call.json'].map((name) => join(path, name))) {
    if (existsSync(file)) utimesSync(file, 0, 0); // as if nothing had been added to it for long
  }
  const folder = await call.folder(({ transcript, isLive }) => transcript.length === 0 && !isLive);
  const kept = recordingIn(folder);
  expect(folder.record).toMatchObject({ state: 'ended' });
  expect(folder.record.endReason).toBeUndefined();
  expect(folder.missing).toEqual([expect.stringContaining('its runner was gone before')]);
  const { phone, caller: said } = call.compare(kept);
  expect(Math.abs(kept.caller.durationMs + said.delayMs - phone.caller.durationMs)).toBeLessThanOrEqual(300);
  expect(said.share).toBeGreaterThan(0.9);
}

/** A disk of its own for the folders of a call, on which little has room. Only root may have one. */
class SmallDisk implements Disposable {
  readonly #path: string;

  constructor({ home }: KeptCall, size: string) {
    this.#path = join(home, 'calls');
    mkdirSync(this.#path);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', this.#path]);
  }

  makeReadOnly(): void {
    execFileSync('mount', ['-o', 'remount,ro', this.#path]);
  }

  [Symbol.dispose](): void {
    execFileSync('umount', ['-l', this.#path]);
  }
}

async function onFullDisk(): Promise<void> {
  await using call = new KeptCall();
  using _disk = new SmallDisk(call, '60k');
  const served = await call.serve(ECHO);
  expect(await call.call(served, '--wav', SPEECH, '--seconds', '5').exit).toBe(0);
  expect(call.phone.bot.audibleMs(3_000)).toBeGreaterThan(700); // the bot is heard long after the disk was full
  await until(() => problemsOf(served.events.all).length > 0, 'it is told');
  served.signal('SIGINT');
  await served.exit;
  expect(problemsOf(served.events.all)).toMatchObject([{ message: expect.stringContaining('ENOSPC') }]);
  const folder = await call.folder(() => true);
  expect(folder.audio?.durationMs).toBeGreaterThan(500);
  expect(folder.audio?.durationMs).toBeLessThan(2_500);
}

async function onReadOnlyDisk(): Promise<void> {
  await using call = new KeptCall();
  using disk = new SmallDisk(call, '1m');
  disk.makeReadOnly();
  const served = await call.serve(ECHO);
  expect(await call.call(served, '--wav', SPEECH, '--seconds', '4').exit).toBe(0);
  expect(call.phone.bot.audibleMs(2_000)).toBeGreaterThan(500);
  await until(() => problemsOf(served.events.all).length > 0, 'it is told');
  served.signal('SIGINT');
  await served.exit;
  expect(problemsOf(served.events.all)).toMatchObject([{ message: expect.stringContaining('EROFS') }]);
}

const DISKS = {
  'a full disk: the call goes on, the recording stops, one warning (needs root)': onFullDisk,
  'a read-only disk: the same (needs root)': onReadOnlyDisk,
};

describe('two at once:', () => {
  testsAtOnce(
    {
      'kill -9 of the bot: the call goes on with another one in the same recording, which lacks less than a second':
        killedBot,
      'kill -9 of the runner: the call goes on, its bot records it to the end, and the folder says what is missing':
        killedRunner,
      ...(mayMount() && DISKS),
    },
    4 * LIMIT_MS,
  );
  if (!mayMount()) test.skip.each(Object.keys(DISKS))('%s', () => {});
});

function mayMount(): boolean {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', home], { stdio: 'ignore' });
    execFileSync('umount', [home]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(home, { recursive: true });
  }
}
