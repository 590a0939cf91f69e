import type { DtmfDigit } from '../../../src/base/audio/dtmf.js';
import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { PhoneProgress } from '../../../src/call/phone-messages.js';
import { until } from '../../e2e/processes.js';
import { Side } from '../../e2e/recording.js';
import { FakeCaller } from '../../sandbox/fake-caller.js';
import { measure } from '../../sandbox/rooms/live-rooms-under-test.js';
import { untilRooms } from '../../sandbox/rooms/open-rooms.js';
import { ROOMS_KEY, RunnerOnSandbox, type RunnerOnSandboxOptions, testSandbox } from '../runner-on-sandbox.js';
import { botFile, type Told } from '../runner-under-test.js';

const FRAME_MS = 20;

/** Whether mu-law audio is nothing but a tone. */
export function isTone(frames: readonly Uint8Array[], pitch: number): boolean {
  const { purity, level } = measure(decodeMulaw(Buffer.concat(frames)), pitch);
  return purity > 0.9 && level > -40;
}

/** {@link until}, with a message that says how things are when it is too late. */
async function soon(condition: () => boolean, what: () => string, limitMs: number): Promise<void> {
  await until(condition, '', limitMs).catch(() => {
    throw new Error(`not within ${limitMs} ms: ${what()}`);
  });
}

type RoomsOnSandboxOptions = RunnerOnSandboxOptions & {
  /** Of the bots' pipelines, both ways, in hertz. Default 8000. */
  readonly pipelineRate?: number;
};

/** The runner and the sandbox's room provider, each as it is, and bots in processes of their own. */
export class RoomsOnSandbox extends RunnerOnSandbox {
  static override async start({
    pipelineRate = 8_000,
    ...options
  }: RoomsOnSandboxOptions = {}): Promise<RoomsOnSandbox> {
    const rooms = new RoomsOnSandbox(await testSandbox(options.sandbox), {
      transport: 'rooms',
      botFile: botFile('rooms-tones.ts'),
      environment: { PIPELINE_RATE: `${pipelineRate}` },
      silenceSeconds: 0,
      ...options,
    });
    await rooms.serve();
    await rooms.ready(options.warm, 20_000);
    return rooms;
  }

  /** Somebody calls the number. */
  async caller(from: string): Promise<RoomCaller> {
    const phone = await FakeCaller.attach(this.sandbox);
    phone.client.dial({ from, to: this.sandbox.number });
    return new RoomCaller(this, from, phone);
  }

  /** The runner is asked to call somebody. */
  async dial(phone_number: string, body: object = {}): Promise<FollowedCall> {
    const id = await this.startedCall({ phone_number, body });
    return new FollowedCall(this, () => id);
  }

  /** Resolves when it holds for the names of the rooms that the provider has. */
  untilRooms(holds: (names: readonly string[]) => boolean, what: string): Promise<void> {
    return untilRooms({ apiUrl: this.sandbox.roomsApiUrl, apiKey: ROOMS_KEY }, holds, what);
  }
}

/** A call as the runner and its bots tell of it. */
export class FollowedCall {
  constructor(
    readonly rooms: RoomsOnSandbox,
    private readonly findId: () => string | undefined,
  ) {}

  get id(): string {
    const id = this.findId();
    if (id === undefined) throw new Error('the runner does not know the call yet');
    return id;
  }

  get told(): readonly Told[] {
    const id = this.findId();
    return id === undefined ? [] : this.rooms.told.filter(({ call }) => call === id);
  }

  get events(): string[] {
    return this.told.map(({ event }) => event);
  }

  get records(): CallRecord[] {
    const id = this.findId();
    return this.rooms.records.all.filter((record) => record.id === id);
  }

  get states(): string[] {
    const id = this.findId();
    return id === undefined ? [] : this.rooms.statesOf(id);
  }

  describe(): string {
    const told = this.told.map(({ event, attempt }) => `${event} ${attempt}`);
    return `${this.states.join(' ')}; ${told.join(', ')}`;
  }

  /** What a bot tells, once it has. */
  async tells(event: string, attempt = 1, limitMs = 12_000): Promise<Told> {
    const find = () => this.told.find((told) => told.event === event && told.attempt === attempt);
    await until(
      () => find() !== undefined,
      `bot ${attempt} tells ${event}, not only ${this.events} (${this.states})`,
      limitMs,
    );
    return find() as Told;
  }

  async ended(limitMs = 14_000): Promise<CallRecord> {
    const find = () => this.records.find(({ state }) => state === 'ended');
    await soon(
      () => find() !== undefined,
      () => `the end of the call: ${this.describe()}`,
      limitMs,
    );
    return find() as CallRecord;
  }

  /** Its room is gone at the provider. */
  async roomGone(): Promise<void> {
    const { data } = await this.tells('start');
    const name = new URL(data.room_url).pathname.split('/').at(-1) as string;
    await this.rooms.untilRooms((names) => !names.includes(name), 'the room is gone');
  }

  /** Ends the process of its bot, as the system would. */
  async killBot(when: string, attempt = 1): Promise<number> {
    const { pid } = await this.tells(when, attempt);
    process.kill(pid, 'SIGKILL');
    return pid;
  }
}

/** Somebody with a telephone, from the moment of dialling on. */
export class RoomCaller extends FollowedCall implements AsyncDisposable {
  /** What the network does with the call, and after how much of it, in milliseconds. */
  readonly progress: { readonly atMs: number; readonly line: PhoneProgress }[] = [];

  constructor(
    rooms: RoomsOnSandbox,
    from: string,
    readonly phone: FakeCaller,
  ) {
    super(rooms, () => rooms.records.all.find((record) => record.from === from)?.id);
    phone.client.on('progress', (line) => this.progress.push({ atMs: this.heardMs, line }));
  }

  /** Everything heard so far, from the answer on. */
  get heard(): Side {
    return new Side(decodeMulaw(Buffer.concat(this.phone.heard.all)));
  }

  override describe(): string {
    return `${super.describe()}; ${this.progress.map(({ atMs, line }) => `${line.text} (${atMs})`).join(', ')}; heard ${this.heardMs} ms`;
  }

  get heardMs(): number {
    return this.phone.heard.all.length * FRAME_MS;
  }

  press(keys: string): void {
    for (const key of keys) this.phone.client.press(key as DtmfDigit);
  }

  /** From when on a tone is heard for 100 ms, in milliseconds of the call from `fromMs` on. */
  async hears(pitch: number, { fromMs = 0, limitMs = 8_000 } = {}): Promise<number> {
    let searchedMs = Math.ceil(fromMs / FRAME_MS) * FRAME_MS;
    const find = () => {
      while (searchedMs + 100 <= this.heardMs && !this.isTone(pitch, searchedMs, searchedMs + 100)) {
        searchedMs += FRAME_MS;
      }
      return searchedMs + 100 <= this.heardMs;
    };
    await soon(find, () => `a tone of ${pitch} Hz after ${fromMs} ms: ${this.describe()}`, limitMs);
    return searchedMs;
  }

  /** Whether this stretch of the call is nothing but a tone. */
  isTone(pitch: number, fromMs: number, toMs: number): boolean {
    const frames = this.phone.heard.all.slice(fromMs / FRAME_MS, toMs / FRAME_MS);
    return isTone(frames, pitch);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.phone[Symbol.asyncDispose]();
  }
}
