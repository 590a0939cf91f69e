import { fileURLToPath } from 'node:url';
import type { CallRecord } from '../../../src/call/call-record.js';
import {
  FakeCartesia,
  FakeDeepgram,
  FakeLanguageModel,
  type FakeModelScript,
  type FakeSpeechReply,
} from '../../../src/lab/kit/index.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { until } from '../../e2e/processes.js';
import { RunnerOnSandbox } from '../../runner/runner-on-sandbox.js';
import type { Told } from '../../runner/runner-under-test.js';
import { FakeCaller } from '../../sandbox/fake-caller.js';
import { NotingCaller } from './noting-caller.js';

const BOT = fileURLToPath(new URL('bots/scene.ts', import.meta.url));
/** As long as real ones. None of them may be told to anybody but its provider. */
export const KEYS = {
  DEEPGRAM_API_KEY: 'd33p9ram0key0that0nobody0may0see0000aaaa',
  OPENAI_API_KEY: 'sk-proj-0penai0key0that0nobody0may0see0000bbbb',
  CARTESIA_API_KEY: 'sk_car_cartesia0key0that0nobody0may0see',
};

export interface SceneOptions {
  /** What the caller says, each time. */
  readonly texts?: readonly string[];
  /** What the model says. */
  readonly replies?: FakeModelScript;
  /** What becomes of a text that is to be spoken. */
  readonly speech?: (text: string, count: number) => FakeSpeechReply;
  /** Time between two messages of 100 ms of speech, in milliseconds. Default 0. */
  readonly betweenChunksMs?: number;
  /** Options of the bot, see `bots/scene.ts`. */
  readonly bot?: object;
}

/** What happens in one call, and the providers of that call alone. */
export class Scene {
  static async start(name: string, number: string, options: SceneOptions): Promise<Scene> {
    const { texts = [], replies = {}, speech, betweenChunksMs = 0 } = options;
    const [deepgram, model, cartesia] = await Promise.all([
      FakeDeepgram.start({ texts: () => texts }),
      FakeLanguageModel.start({ replies }),
      FakeCartesia.start({ betweenChunksMs, ...(speech && { reply: speech }) }),
    ]);
    return new Scene(name, number, deepgram, model, cartesia);
  }

  private constructor(
    readonly name: string,
    /** The other party's, E.164. */
    readonly number: string,
    readonly deepgram: FakeDeepgram,
    readonly model: FakeLanguageModel,
    readonly cartesia: FakeCartesia,
  ) {}

  /** What the voice was asked to say, all in one. */
  get spoken(): string {
    return this.cartesia.requests
      .map(({ text }) => text)
      .join(' ')
      .replace(/\s+/g, ' ');
  }

  /** The voice is asked for this text. */
  says(text: string, limitMs = 20_000): Promise<void> {
    return until(() => this.spoken.includes(text), `${this.name}: the bot says "${text}"`, limitMs);
  }

  async close(): Promise<void> {
    for (const fake of [this.deepgram, this.model, this.cartesia]) await fake[Symbol.asyncDispose]();
  }
}

export interface CallStageOptions {
  readonly transport?: 'carrier' | 'rooms';
  readonly overhear?: SandboxOptions['overhear'];
  /** By name; a number makes it a call to that number. */
  readonly scenes: Readonly<Record<string, SceneOptions & { readonly number?: string }>>;
}

/** One runner on a sandbox, and calls that may go on at once, each with providers of its own. */
export class CallStage implements AsyncDisposable {
  static async start({ transport = 'carrier', overhear, scenes }: CallStageOptions): Promise<CallStage> {
    const made = await Promise.all(
      Object.entries(scenes).map(([name, { number, ...options }], index) =>
        Scene.start(name, number ?? `+1202555${3_000 + index}`, options),
      ),
    );
    const botScenes = made.map(({ name, number, deepgram, model, cartesia }) => {
      const urls = { deepgram: deepgram.url, openai: model.url, cartesia: cartesia.url };
      return [number, { name, urls, ...scenes[name]?.bot }];
    });
    const runner = await RunnerOnSandbox.start({
      transport,
      botFile: BOT,
      callsPerProcess: made.length,
      environment: { ...KEYS, SCENES: JSON.stringify(Object.fromEntries(botScenes)) },
      recording: 'unless_refused',
      ...(overhear && { sandbox: { overhear } }),
    });
    return new CallStage(runner, new Map(made.map((scene) => [scene.name, scene])));
  }

  private constructor(
    readonly runner: RunnerOnSandbox,
    private readonly scenes: ReadonlyMap<string, Scene>,
  ) {}

  /** Everything the bots have written so far. */
  get output(): string {
    return this.runner.written;
  }

  scene(name: string): Scene {
    const scene = this.scenes.get(name);
    if (!scene) throw new Error(`there is no scene ${name}`);
    return scene;
  }

  /** What the bot of a scene has told, oldest first. */
  told(name: string, event: string): Told[] {
    return this.runner.told.filter((told) => told.scene === name && told.event === event);
  }

  /** Calls from the number of the scene. Resolves when the call is answered. */
  async caller({ number }: Scene): Promise<NotingCaller> {
    const phone = await FakeCaller.attach(this.runner.sandbox);
    const caller = new NotingCaller(phone);
    phone.client.dial({ from: number, to: this.runner.sandbox.number });
    await phone.events.next(({ type }) => type === 'answered', 20_000);
    caller.answeredMs = caller.heardMs;
    return caller;
  }

  /** Has the bot call the number of the scene. */
  dial({ number }: Scene): Promise<string> {
    return this.runner.startedCall({ phone_number: number });
  }

  /** The record of a scene's call when it is over. */
  async ended({ name, number }: Scene, limitMs = 45_000): Promise<CallRecord> {
    const find = () =>
      this.runner.records.all.find(({ state, from, to }) => state === 'ended' && (from === number || to === number));
    await until(() => find() !== undefined, `${name}: the call is over`, limitMs);
    return find() as CallRecord;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runner[Symbol.asyncDispose]();
    for (const scene of this.scenes.values()) await scene.close();
  }
}
