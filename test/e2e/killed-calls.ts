import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decodeMulaw } from '../../src/base/audio/mulaw.js';
import type { RoomMethod } from '../../src/providers/rooms/client-messages.js';
import { RoomCallControl } from '../../src/sandbox/rooms/call-control.js';
import { SandboxLiveRooms } from '../../src/sandbox/rooms/live-rooms.js';
import { SandboxRoom } from '../../src/sandbox/rooms/room-session.js';
import { ANY_HOUR } from '../any-hour.js';
import { allProcessesOf, browsersOf, foldersOf, renderersOf } from '../providers/daily/client/page-host.js';
import { isTone } from '../runner/rooms-on-sandbox/rooms-on-sandbox.js';
import { FakeCaller } from '../sandbox/fake-caller.js';
import { type Accounts, SHARED_NUMBER } from './accounts.js';
import { isAlive, until } from './processes.js';
import { Side } from './recording.js';
import { type CliEvent, Voicebot } from './voicebot.js';

const TOKEN = 'token-of-the-runner-of-the-test';
const BOT = fileURLToPath(new URL('bots/talks-on.ts', import.meta.url));
/** What the bot says, in hertz. */
const PITCH = 800;
const FRAME_MS = 20;
/** A caller hears nothing below this, in dBFS. */
const SILENT_DB = -50;
const LEFT_LIMIT_MS = 10_000;
/** A machine that is busy takes its time. */
const LIMIT_MS = 20_000;

export type Victim = 'page' | 'browser' | 'bot' | 'runner';

/** What a bot tells of itself. */
interface Told {
  readonly pid: number;
  readonly event: string;
}

/** What is there though all calls are over. */
export interface Left {
  /** Bots, and browsers that nobody keeps. */
  readonly processes: number;
  readonly pages: number;
  /** Of browsers that nobody keeps. */
  readonly folders: number;
  /** At the provider. */
  readonly rooms: number;
}

/** A runner in a process of its own whose bots join the sandbox's rooms through a browser, and parts of it that are killed. */
export class KilledCalls implements AsyncDisposable {
  /** Whoever is let into a room does this first; then it is told that it is in. */
  onEnter = (): void => {};
  /** A caller who is fetched does this first. */
  onForward = (): void => {};
  /** The provider does this first when a bot asks it for this. */
  onRequest = (_method: RoomMethod): void => {};
  /** The provider does this first when it tells a room of something. */
  onNews = (_action: string): void => {};
  /** How often somebody was let into a room. */
  entered = 0;
  #eventsBefore = 0;
  #roomsBefore: readonly string[] = [];
  #placedBefore: ReadonlyMap<string, number> = new Map();

  static async open(accounts: Accounts, ...args: string[]): Promise<KilledCalls> {
    const run = new Voicebot(['run', BOT, '--transport', 'rooms', '--dialin', '--port', '0', ...args], {
      home: accounts.home,
      environment: { ...accounts.environment(), ...ANY_HOUR, ROOMS_CLIENT: 'browser', VOICEBOT_TOKEN: TOKEN },
    });
    const { url } = await run.event('ready', {}, 40_000).catch(async (cause: unknown) => {
      await run[Symbol.asyncDispose]();
      throw new Error(`not ready: ${run.lines.all.join('\n')}`, { cause });
    });
    return new KilledCalls(accounts, run, url);
  }

  private constructor(
    private readonly accounts: Accounts,
    readonly run: Voicebot,
    private readonly url: string,
  ) {
    const { enter, forward } = SandboxLiveRooms.prototype;
    const calls = this;
    jest.spyOn(SandboxLiveRooms.prototype, 'enter').mockImplementation(function (this: SandboxLiveRooms, ...args) {
      calls.onEnter();
      calls.entered += 1;
      return enter.apply(this, args);
    });
    jest.spyOn(SandboxLiveRooms.prototype, 'forward').mockImplementation(function (this: SandboxLiveRooms, ...args) {
      calls.onForward();
      return forward.apply(this, args);
    });
    const { broadcast } = SandboxRoom.prototype;
    jest.spyOn(SandboxRoom.prototype, 'broadcast').mockImplementation(function (this: SandboxRoom, ...args) {
      const [{ action }] = args;
      calls.onNews(action);
      broadcast.apply(this, args);
    });
    const { perform } = RoomCallControl.prototype;
    jest.spyOn(RoomCallControl.prototype, 'perform').mockImplementation(function (this: RoomCallControl, ...args) {
      const [, method] = args;
      calls.onRequest(method);
      return perform.apply(this, args);
    });
  }

  /** What has happened so far counts no more; that many bots wait for a call. */
  async begin(bots = 1): Promise<void> {
    const readyBots = async () => (await (await fetch(`${this.url}/ready`)).json()) as { readyBots: number };
    await until(async () => (await readyBots()).readyBots >= bots, `${bots} bots are ready`, LIMIT_MS);
    this.#eventsBefore = this.run.events.all.length;
    this.#roomsBefore = await this.accounts.rooms();
    this.#placedBefore = new Map(this.accounts.sandbox.placedCalls);
    this.entered = 0;
  }

  /** Somebody calls the runner's number. */
  async caller(from = '+12025550142'): Promise<KilledCaller> {
    const phone = await FakeCaller.attach(this.accounts.sandbox);
    phone.client.dial({ from, to: SHARED_NUMBER });
    return new KilledCaller(phone);
  }

  /** The runner is asked to call somebody. */
  async dial(to: string): Promise<void> {
    const response = await fetch(`${this.url}/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ phone_number: to }),
    });
    if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  }

  /** A bot tells this. */
  async tells(event: string): Promise<void> {
    await until(() => this.#told.some((told) => told.event === event), `a bot tells ${event}`, LIMIT_MS);
  }

  /** Somebody has been let into a room more often than that. */
  async enters(before: number): Promise<void> {
    await until(() => this.entered > before, 'the bot is in the room again', LIMIT_MS);
  }

  /** Ends it at once, as the system would. */
  kill(victim: Victim): void {
    this.run.children(); // which nobody would know of afterwards
    const browsers = browsersOf(this.run.pid);
    const pids = {
      page: () => browsers.flatMap(pagesOf),
      browser: () => browsers,
      bot: () => [...this.#bots].slice(-1),
      runner: () => [this.run.pid],
    }[victim]();
    if (pids.length !== 1) throw new Error(`victims of the kind ${victim}: ${pids.length}`);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
  }

  /** The records of these calls, as they ended. Waits until so many have. */
  async ended(calls = 1, limitMs = LIMIT_MS): Promise<CliEvent[]> {
    const find = () => this.#events.filter(({ event, call }) => event === 'call' && call.state === 'ended');
    await until(() => find().length >= calls, 'the runner tells of the end', limitMs);
    return find().map(({ call }) => call);
  }

  /** Every call is over at the provider. */
  async over(): Promise<void> {
    await until(() => this.accounts.sandbox.liveCalls === 0, 'all calls are over', LIMIT_MS);
  }

  /** Who was called since the beginning, and how often. */
  placed(): Record<string, number> {
    const { placedCalls } = this.accounts.sandbox;
    const more = [...placedCalls].map(([to, times]) => [to, times - (this.#placedBefore.get(to) ?? 0)] as const);
    return Object.fromEntries(more.filter(([, times]) => times > 0));
  }

  /** What is left, 10 s after the end of the calls at the latest. @param rooms so many rooms are to be left */
  async left(rooms = 0, limitMs = LEFT_LIMIT_MS): Promise<Left> {
    let left = await this.#look();
    const isDone = () => left.processes + left.pages + left.folders === 0 && left.rooms === rooms;
    const look = async () => {
      left = await this.#look();
      return isDone();
    };
    await until(look, '', limitMs).catch(() => {}); // whoever asks looks at what is left
    return left;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    jest.restoreAllMocks();
    await this.run[Symbol.asyncDispose]();
  }

  async #look(): Promise<Left> {
    const { pid } = this.run;
    const isKept = isAlive(pid);
    const owners = [...this.#bots, ...(isKept ? [] : [pid])];
    const rooms = await this.accounts.rooms();
    return {
      processes: owners.filter(isAlive).length + owners.flatMap(allProcessesOf).length,
      pages: browsersOf(pid).flatMap(pagesOf).length,
      folders: owners.flatMap((owner) => foldersOf(owner)).length,
      rooms: rooms.filter((name) => !this.#roomsBefore.includes(name)).length,
    };
  }

  get #events(): CliEvent[] {
    return this.run.events.all.slice(this.#eventsBefore);
  }

  get #told(): Told[] {
    const lines = this.#events.filter(({ event }) => event === 'bot_output').map(({ line }) => String(line));
    return lines.filter((line) => line.startsWith('{"call"')).map((line) => JSON.parse(line) as Told);
  }

  /** The processes whose bots have had a call. */
  get #bots(): Set<number> {
    return new Set(this.#told.map(({ pid }) => pid));
  }
}

/** Somebody with a telephone who has called. */
export class KilledCaller implements AsyncDisposable {
  constructor(readonly phone: FakeCaller) {}

  get heardMs(): number {
    return this.phone.heard.all.length * FRAME_MS;
  }

  /** Hears the bot for half a second from now on. */
  async hearsBot(): Promise<void> {
    const fromMs = this.heardMs;
    const hears = () => {
      const frames = this.phone.heard.all.slice((this.heardMs - 500) / FRAME_MS);
      return this.heardMs >= fromMs + 500 && isTone(frames, PITCH);
    };
    await this.#soon(hears, 'the bot is heard');
  }

  /** Whoever the call was transferred to has answered. */
  async talksTo(number: string): Promise<void> {
    await this.#soon(() => this.#progress.includes(`connected with ${number}`), `${number} has answered`);
  }

  async hangUp(): Promise<void> {
    this.phone.client.hangUp();
    await this.phone.ended();
  }

  /** The longest time without any sound, in milliseconds. */
  longestSilenceMs(fromMs: number): number {
    const { levels } = new Side(decodeMulaw(Buffer.concat(this.phone.heard.all)));
    let [run, longest] = [0, 0];
    for (const level of levels.slice(fromMs / FRAME_MS)) {
      run = level > SILENT_DB ? 0 : run + FRAME_MS;
      longest = Math.max(longest, run);
    }
    return longest;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.phone[Symbol.asyncDispose]();
  }

  get #progress(): string[] {
    return this.phone.events.all.flatMap((event) => (event.type === 'progress' ? event.line.text : []));
  }

  async #soon(condition: () => boolean, what: string): Promise<void> {
    await until(condition, what, LIMIT_MS).catch((cause: Error) => {
      throw new Error(`${cause.message}; ${this.#progress.join(', ')}`, { cause });
    });
  }
}

/** Of a browser's processes, those whose pages are in calls: they have sound. */
const pagesOf = (browser: number): number[] => renderersOf(browser).filter(hasSound);

function hasSound(pid: number): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.some((id) => readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').startsWith('Realtime AudioW'));
  } catch {
    return false; // it has just ended
  }
}
