import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeWav } from '../../src/base/audio/wav.js';
import type { PhoneCallEnd } from '../../src/call/phone-messages.js';
import { normalisePhoneNumber } from '../../src/call/phone-number.js';
import { PhoneNetwork } from '../../src/sandbox/network/network.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { toneOf, toneSamples } from '../carriers/handovers/tones.js';
import { freePort } from '../free-port.js';
import { CALLER, FakeCaller, type PhoneEvent } from '../sandbox/fake-caller.js';
import type { HandoverProvider } from './handover-providers.js';
import { PITCHES, TimedEar } from './heard-tones.js';
import { isAlive, until } from './processes.js';
import { Voicebot } from './voicebot.js';

const BOT = fileURLToPath(new URL('bots/hands-over.ts', import.meta.url));
/** Longest wait for anything, in milliseconds: the machine may be busy. */
const PATIENCE_MS = 30_000;
const MOST_TRIES = 3;
/** How long the colleague's phone rings. */
const RING_MS = 3_000;
/** For how long it is listened after the kill, in milliseconds, and for how long at most where the two are to be connected then. */
const LISTENS_MS = 8_000;
const CONNECTS_MS = 25_000;
/** How soon after the caller has hung up no call may be left, in milliseconds. */
const OVER_LIMIT_MS = 15_000;
/** When the colleague's ringing is called so, and how long after its key a process is killed, in milliseconds. */
const RINGS_FOR_MS = 800;
const JOINS_FOR_MS = 10;
/** Of 20 ms each: who has been told something and hears nothing for so long is waited for. */
const PAUSE_FRAMES = 25;

/** How far a warm transfer has come. */
export const PHASES = [
  'talking',
  'announcing',
  'dialling',
  'ringing',
  'briefing',
  'asked',
  'joining',
  'bridged',
] as const;
export type Phase = (typeof PHASES)[number];
export type Victim = 'bot' | 'runner';

/** What the provider does first when it dials a number. */
const dialled = new Map<string, () => void>();

/** Has the provider tell when it dials. Call it once in a test file. */
export function watchDialling(): void {
  const { count } = PhoneNetwork.prototype;
  jest.spyOn(PhoneNetwork.prototype, 'count').mockImplementation(function (this: PhoneNetwork, call) {
    dialled.get(normalisePhoneNumber(call.setup.to))?.();
    count.call(this, call);
  });
}

/** A party of the call, from the kill on. */
export interface PartyResult {
  /** What they heard, one after the other: `hold, after 1.2 s colleague`. */
  readonly heard: string;
  /** What they heard last, or `hung up`. */
  readonly last: string;
  /** How long the provider has connected them, in seconds: what it charges. */
  readonly talkS: number;
  /** How their call ended, in the provider's words. */
  readonly end: string;
}

export interface KillResult {
  readonly caller: PartyResult;
  readonly colleague: PartyResult;
  /** How often the colleague was dialled. */
  readonly placed: number;
  /** How long after the caller had hung up no call was left, in milliseconds. */
  readonly overAfterMs: number;
  /** How the runner says that the calls ended, the caller's first; empty where it was killed. */
  readonly records: string;
  /** Sounds that a party must not hear, and has. */
  readonly leaks: readonly string[];
  /** Processes that are left of the run. */
  readonly processes: number;
}

/** A caller who is handed over by a run in a process of its own, at a sandbox in this one. */
export class KilledHandover implements AsyncDisposable {
  readonly #caller: TimedEar;
  readonly #colleague: TimedEar;
  #killedAt = 0;
  /** Whether the colleague has been told something, and not pressed a key since. */
  #isAsked = false;
  /** When the colleague has pressed the key for the first time. */
  #acceptedAt = Number.POSITIVE_INFINITY;

  /** A busy machine may let a run down before it is ready. @param n of the cell: its colleague has a number of their own */
  static async open(provider: HandoverProvider, n: number): Promise<KilledHandover> {
    for (let tries = 1; tries < MOST_TRIES; tries += 1) {
      const opened = await KilledHandover.#open(provider, n).catch(() => undefined);
      if (opened) return opened;
    }
    return await KilledHandover.#open(provider, n);
  }

  static async #open(provider: HandoverProvider, n: number): Promise<KilledHandover> {
    const sandbox = await provider.sandbox();
    const home = mkdtempSync(join(tmpdir(), 'voicebot-handover-'));
    const holdFile = join(home, 'hold.wav');
    writeFileSync(holdFile, encodeWav({ sampleRate: 8_000, channels: [toneSamples(2_100, 8_000)], encoding: 'L16' }));
    const number = `+12025551${100 + n}`;
    const port = await freePort();
    const options = ['--transport', provider.transport, '--dialin', '--warm', '2', '--drain-seconds', '0'];
    const where = ['--port', `${port}`, '--public-url', `http://127.0.0.1:${port}`];
    const environment = { ...provider.settings(sandbox), COLLEAGUE: number, HOLD_FILE: holdFile };
    const run = new Voicebot(['run', BOT, ...options, ...where], { home, environment });
    try {
      const { url } = await run.event('ready', {}, 60_000);
      const readyBots = async () => ((await (await fetch(`${url}/ready`)).json()) as { readyBots: number }).readyBots;
      await until(async () => (await readyBots()) >= 2, 'two bots are warm', PATIENCE_MS);
      const colleague = await FakeCaller.attending(sandbox, number, { ringMs: RING_MS });
      return new KilledHandover(sandbox, run, home, number, await FakeCaller.attach(sandbox), colleague);
    } catch (cause) {
      await run[Symbol.asyncDispose]();
      await sandbox.close();
      throw new Error(`not ready: ${run.lines.all.join('\n')}`, { cause });
    }
  }

  private constructor(
    private readonly sandbox: Sandbox,
    private readonly run: Voicebot,
    private readonly home: string,
    private readonly number: string,
    caller: FakeCaller,
    colleague: FakeCaller,
  ) {
    this.#caller = new TimedEar(caller, toneOf(1_200));
    this.#colleague = new TimedEar(colleague, toneOf(400));
  }

  /** Kills the victim in this phase. */
  async kill(victim: Victim, phase: Phase): Promise<void> {
    const caller = this.#caller.phone.client;
    caller.dial({ from: CALLER, to: this.sandbox.number });
    await this.#soon(() => this.#caller.hears('bot'), 'the caller hears the bot');
    await this.#soon(() => this.#told('serves') !== undefined, 'the bot has told its name');
    const { pid } = this.#told('serves') ?? {};
    const kill = () => {
      this.run.children(); // which nothing would tell afterwards
      this.#killedAt = performance.now();
      process.kill(victim === 'bot' ? Number(pid) : this.run.pid, 'SIGKILL');
    };
    if (phase === 'talking') return kill();
    if (phase === 'dialling') dialled.set(this.number, kill);
    caller.press('1');
    await this.#upTo(phase);
    if (phase !== 'dialling') kill();
    dialled.delete(this.number);
  }

  /**
   * What becomes of the two, to the end. The colleague presses the key whenever they have been asked to.
   * @param connects the two are to be connected: on a busy machine that is waited for
   */
  async result(connects: boolean): Promise<KillResult> {
    const killedAt = this.#killedAt;
    const isOver = () => {
      this.#answer();
      const listensMs = performance.now() - killedAt;
      return listensMs > (connects && !this.#doTalk() ? CONNECTS_MS : LISTENS_MS);
    };
    await until(isOver, 'it has been listened long enough', PATIENCE_MS);
    const overAt = performance.now();
    const isCallerThere = endOf(this.#caller.phone) === undefined;
    const heardBy = (ear: TimedEar) => inWords(ear, killedAt, overAt);
    const [callerHeard, colleagueHeard] = [heardBy(this.#caller), heardBy(this.#colleague)];
    const hungUpAt = performance.now();
    if (isCallerThere) this.#caller.phone.client.hangUp();
    await until(() => this.sandbox.liveCalls === 0, '', OVER_LIMIT_MS).catch(() => {}); // the test looks at what is left
    const overAfterMs = this.sandbox.liveCalls > 0 ? Number.POSITIVE_INFINITY : performance.now() - hungUpAt;
    const phones = [this.#caller.phone, this.#colleague.phone];
    const hasEnded = ({ events }: FakeCaller) =>
      events.all.some(({ type }) => type === 'ended') || !events.all.some(({ type }) => type === 'answered');
    await until(() => phones.every(hasEnded), '', PATIENCE_MS).catch(() => {});
    return {
      caller: { ...callerHeard, ...billed(this.#caller.phone) },
      colleague: { ...colleagueHeard, ...billed(this.#colleague.phone) },
      placed: this.sandbox.placedCalls.get(this.number) ?? 0,
      overAfterMs: Math.round(overAfterMs),
      records: await this.#records(),
      leaks: this.#leaks(),
      processes: await this.#left(),
    };
  }

  /** What the run has said, for a test that fails. */
  get said(): string {
    return this.run.lines.all.slice(-30).join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    dialled.delete(this.number);
    await this.#caller.phone[Symbol.asyncDispose]();
    await this.#colleague.phone[Symbol.asyncDispose]();
    await this.run[Symbol.asyncDispose]();
    await this.sandbox.close();
    rmSync(this.home, { recursive: true, force: true });
  }

  async #upTo(phase: Phase): Promise<void> {
    const { phone } = this.#colleague;
    const at = PHASES.indexOf(phase);
    await this.#soon(() => this.#caller.hears('announcement'), 'the caller hears the announcement');
    if (at < 2) return;
    if (phase === 'dialling') return this.#soon(() => this.#killedAt > 0, 'the provider dials');
    const rings = () => phone.events.all.some(({ type }) => type === 'ringing');
    await this.#soon(rings, 'the phone rings');
    if (phase === 'ringing') {
      const since = performance.now();
      return this.#soon(() => performance.now() > since + RINGS_FOR_MS, 'it rings for a while');
    }
    await this.#soon(() => this.#colleague.hears('briefing'), 'the colleague is briefed');
    if (phase === 'briefing') return;
    await this.#soon(() => this.#colleague.hears('silence', PAUSE_FRAMES), 'the colleague is waited for');
    if (phase === 'asked') {
      this.#isAsked = true;
      return;
    }
    this.#accept();
    if (phase === 'joining') {
      const since = performance.now();
      return this.#soon(() => performance.now() > since + JOINS_FOR_MS, 'the key has come');
    }
    await this.#soon(() => this.#told('outcome') !== undefined, 'the bot has left');
    await this.#soon(() => this.#doTalk(), 'they talk');
  }

  /** The colleague does as they are asked. */
  #answer(): void {
    const ear = this.#colleague;
    if (ear.hears('briefing', 5)) this.#isAsked = true;
    if (!this.#isAsked || !ear.hears('silence', PAUSE_FRAMES)) return;
    this.#isAsked = false;
    this.#accept();
  }

  #accept(): void {
    this.#acceptedAt = Math.min(this.#acceptedAt, performance.now());
    this.#colleague.phone.client.press('1');
  }

  #doTalk(): boolean {
    return this.#caller.hears('colleague') && this.#colleague.hears('caller');
  }

  #leaks(): string[] {
    const leaks = [...leaksOf(this.#caller, 'caller'), ...leaksOf(this.#colleague, 'colleague')];
    const isEarly = this.#colleague.hasHeard('caller', 0, this.#acceptedAt);
    return isEarly ? [...leaks, 'colleague hears caller before the key'] : leaks;
  }

  /** The latest of what the bots have told. */
  #told(event: string): { readonly pid: number } | undefined {
    const lines = this.run.events.all.flatMap((one) => (one.event === 'bot_output' ? [String(one.line)] : []));
    const line = lines.findLast((one) => one.startsWith(`{"event":"${event}"`));
    return line === undefined ? undefined : JSON.parse(line);
  }

  async #records(): Promise<string> {
    if (!isAlive(this.run.pid)) return '';
    const records = () => this.run.events.all.flatMap(({ event, call }) => (event === 'call' ? [call] : []));
    const ended = () => records().filter(({ state }) => state === 'ended');
    const ids = () => new Set(records().map(({ id }) => id));
    await until(() => ended().length >= ids().size, '', PATIENCE_MS).catch(() => {});
    const open = ids().size - ended().length;
    const sorted = ended().sort((one, other) => Number(Boolean(one.linkedTo)) - Number(Boolean(other.linkedTo)));
    return [...sorted.map(({ endReason }) => endReason), ...(open > 0 ? [`${open} open`] : [])].join(' / ');
  }

  /** A runner that lives keeps bots for the next call. */
  async #left(): Promise<number> {
    if (isAlive(this.run.pid)) return 0;
    const left = () => this.run.children().filter(isAlive).length;
    await until(() => left() === 0, '', OVER_LIMIT_MS).catch(() => {});
    return left();
  }

  #soon(condition: () => boolean, what: string): Promise<void> {
    return until(condition, what, PATIENCE_MS);
  }
}

function endOf({ events }: FakeCaller): PhoneCallEnd | undefined {
  const event = events.all.find((one) => one.type === 'ended') as Extract<PhoneEvent, { type: 'ended' }> | undefined;
  return event?.end;
}

function billed(phone: FakeCaller): Pick<PartyResult, 'talkS' | 'end'> {
  const end = endOf(phone);
  return {
    talkS: Math.round((end?.durationMs ?? 0) / 100) / 10,
    end: end ? `${end.source}: ${end.cause}` : 'not called',
  };
}

/** What was heard from the kill on, with how long after it each began. */
function inWords(ear: TimedEar, fromMs: number, toMs: number): Pick<PartyResult, 'heard' | 'last'> {
  const runs = ear.runs(fromMs, toMs);
  const { phone } = ear;
  const wasAnswered = phone.events.all.some(({ type }) => type === 'answered');
  const isOver = endOf(phone) !== undefined;
  const words = runs.map(({ heard, fromMs: at }, n) => {
    const afterMs = Math.round(at - fromMs);
    return n === 0 && afterMs < 60 ? heard : `${afterMs} ms ${heard}`;
  });
  if (isOver) words.push('hung up');
  else if (!wasAnswered) words.push('not answered');
  return { heard: words.join(', '), last: isOver ? 'hung up' : (runs.at(-1)?.heard ?? 'nothing') };
}

/** The caller hears nothing that is said to the colleague, and the colleague nothing that is said or played to the caller. */
function leaksOf(ear: TimedEar, party: 'caller' | 'colleague'): string[] {
  const forbidden = PITCHES.map(([heard]) => heard).filter((heard) =>
    party === 'caller' ? heard === 'briefing' || heard === 'caller' : heard !== 'briefing' && heard !== 'caller',
  );
  return [...new Set(forbidden)].filter((heard) => ear.hasHeard(heard)).map((heard) => `${party} hears ${heard}`);
}
