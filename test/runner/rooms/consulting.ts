import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Goertzel } from '../../../src/base/audio/goertzel.js';
import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import { encodeWav } from '../../../src/base/audio/wav.js';
import type { RoomsClient } from '../../../src/bot/transports/room/join-room.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { until } from '../../e2e/processes.js';
import { FakeCaller } from '../../sandbox/fake-caller.js';
import { hum } from '../../sandbox/rooms/live-rooms-under-test.js';
import { untilRooms } from '../../sandbox/rooms/open-rooms.js';
import { ROOMS_KEY, RunnerOnSandbox } from '../runner-on-sandbox.js';
import type { Told } from '../runner-under-test.js';

export const COLLEAGUE = '+12025550177';
const PATIENCE_MS = 40_000;

/** What each of them sounds like, in hertz. */
export const SOUNDS = {
  caller: 500,
  greeting: 600,
  briefing: 900,
  whisper: 1_200,
  music: 1_600,
  colleague: 2_100,
  second: 2_600,
};
export type Sound = keyof typeof SOUNDS;

interface ConsultingOptions {
  readonly client?: RoomsClient;
  /** How long the colleague lets it ring, in milliseconds. */
  readonly ringMs?: number;
  /** In `bots/`. */
  readonly bot?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Of the runner. */
  readonly silenceSeconds?: number;
}

/** Resolves when no telephone is on the line, and no room is left. */
export async function nothingIsLeft(sandbox: Sandbox): Promise<void> {
  await until(() => sandbox.liveCalls === 0, 'no call is left', PATIENCE_MS);
  const account = { apiUrl: sandbox.roomsApiUrl, apiKey: ROOMS_KEY };
  await untilRooms(account, ({ length }) => length === 0, 'no room is left', PATIENCE_MS);
}

/** A sound of a second, as a file. @returns its path */
export function soundFile(folder: string, sound: Sound): string {
  const path = join(folder, `${sound}.wav`);
  const pcm = Int16Array.from({ length: 8_000 }, (_, n) => 8_000 * Math.sin((n * SOUNDS[sound] * Math.PI) / 4_000));
  writeFileSync(path, encodeWav({ sampleRate: 8_000, channels: [pcm], encoding: 'L16' }));
  return path;
}

/** A caller in a room whose bot consults a colleague there, on a runner and a sandbox of its own. */
export class ConsultingInRoom implements AsyncDisposable {
  static async open(options: ConsultingOptions = {}): Promise<ConsultingInRoom> {
    const { client = 'built-in', ringMs = 300, bot = 'consulting.ts', environment, silenceSeconds = 0 } = options;
    const folder = mkdtempSync(join(tmpdir(), 'voicebot-consulting-'));
    const runner = await RunnerOnSandbox.start({
      transport: 'rooms',
      client,
      botFile: fileURLToPath(new URL(`bots/${bot}`, import.meta.url)),
      environment: { COLLEAGUE, HOLD_FILE: soundFile(folder, 'music'), ...environment },
      warm: 2,
      silenceSeconds,
    });
    const colleague = await FakeCaller.attending(runner.sandbox, COLLEAGUE, { ringMs });
    const caller = await FakeCaller.attach(runner.sandbox);
    caller.says = hum(SOUNDS.caller);
    colleague.says = hum(SOUNDS.colleague);
    const at = new ConsultingInRoom(runner, caller, colleague, folder);
    caller.dial(runner.sandbox);
    await at.tells('greeted');
    return at;
  }

  private constructor(
    readonly runner: RunnerOnSandbox,
    readonly caller: FakeCaller,
    readonly colleague: FakeCaller,
    private readonly folder: string,
  ) {}

  /** What a bot of the caller's call has said, or says. */
  async tells(event: string, attempt?: number): Promise<Told> {
    const find = () =>
      this.runner.told.find((told) => told.event === event && (attempt === undefined || told.attempt === attempt));
    await until(() => find() !== undefined, `the bot tells ${event}:\n${this.runner.written}`, PATIENCE_MS);
    return find() as Told;
  }

  record(id: string): Promise<CallRecord> {
    return this.runner.anyRecord({ id, state: 'ended' } as Partial<CallRecord>, PATIENCE_MS);
  }

  get liveCalls(): number {
    return this.runner.sandbox.liveCalls;
  }

  nothingIsLeft(): Promise<void> {
    return nothingIsLeft(this.runner.sandbox);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.caller[Symbol.asyncDispose]();
    await this.colleague[Symbol.asyncDispose]();
    await this.runner[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true });
  }
}

/** A tenth of a second, in samples. */
const WINDOW = 800;

/** How loud a sound is in each twentieth of a second of what a telephone has heard, as the amplitude of its tone; about 8000 where it is there. */
function levels(phone: FakeCaller, sound: Sound, fromFrame: number): number[] {
  const pcm = Int16Array.from(phone.heard.all.slice(fromFrame).flatMap((frame) => [...decodeMulaw(frame)]));
  const bin = new Goertzel(SOUNDS[sound], 8_000);
  const found: number[] = [];
  for (let at = 0; at + WINDOW <= pcm.length; at += WINDOW / 2) {
    // A window without edges: a tone that begins in it does not sound like all others.
    const shape = (n: number) => Math.sin((Math.PI * n) / WINDOW) ** 2;
    bin.measure(Float64Array.from(pcm.subarray(at, at + WINDOW), (sample, n) => sample * shape(n)));
    found.push((4 * Math.sqrt(bin.power)) / WINDOW);
  }
  return found;
}

/** How loud it is at its loudest. */
export const loudest = (phone: FakeCaller, sound: Sound, fromFrame = 0): number =>
  Math.max(0, ...levels(phone, sound, fromFrame));

/** It has gone on, but for frames of a busy machine that are late now and then: for less than 200 ms at a time, and a tenth of the time in all. */
export function expectGoesOn(phone: FakeCaller, sound: Sound, fromFrame: number): void {
  const isThere = levels(phone, sound, fromFrame).map((level) => level > 4_000);
  let [windows, most] = [0, 0];
  for (const is of isThere) {
    windows = is ? 0 : windows + 1;
    most = Math.max(most, windows);
  }
  expect((most * WINDOW) / 2 / 8).toBeLessThan(200);
  expect(isThere.filter((is) => !is).length / isThere.length).toBeLessThan(0.1);
}

/** Waits until a telephone hears a sound, from now on. */
export async function hearsSound(phone: FakeCaller, sound: Sound, what = `${sound} is heard`): Promise<void> {
  const from = phone.heard.all.length;
  await until(() => loudest(phone, sound, from) > 4_000, what, PATIENCE_MS);
}
