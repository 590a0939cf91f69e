import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { plivo } from '../../src/carriers/plivo/carrier.js';
import { roomProvider } from '../../src/rooms/registry.js';
import type { CallRecord } from '../../src/runner/call-registry.js';
import type { RunnerOptions } from '../../src/runner/runner.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.js';
import {
  FakeCartesia,
  FakeDeepgram,
  FakeLanguageModel,
  type FakeModelScript,
  type FakeSpeechReply,
} from '../../src/testing/index.js';
import { until } from '../e2e/processes.js';
import { RUNNER_TOKEN, RunnerUnderTest } from '../runner/runner-under-test.js';
import { AUTH_ID, AUTH_TOKEN, FakeCaller, PHONE_TOKEN } from '../sandbox/fake-caller.js';
import { NotingCaller } from './noting-caller.js';

const BOT = fileURLToPath(new URL('bots/scene.ts', import.meta.url));
const ROOMS_KEY = 'room-api-key-of-the-sandbox';
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
    const sandbox = await startSandbox({
      authId: AUTH_ID,
      authToken: AUTH_TOKEN,
      phoneToken: PHONE_TOKEN,
      rooms: { apiKey: ROOMS_KEY },
      ...(overhear && { overhear }),
    });
    const webhookSecret = randomBytes(32).toString('base64');
    const provider: RunnerOptions['provider'] =
      transport === 'carrier'
        ? {
            kind: 'carrier',
            carrier: plivo,
            credentials: { authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl: sandbox.apiUrl },
            machineDetection: 'off',
          }
        : {
            kind: 'rooms',
            provider: roomProvider,
            credentials: { apiKey: ROOMS_KEY, apiUrl: sandbox.roomsApiUrl },
            webhookSecret,
          };
    const botScenes = made.map(({ name, number, deepgram, model, cartesia }) => {
      const urls = { deepgram: deepgram.url, openai: model.url, cartesia: cartesia.url };
      return [number, { name, urls, ...scenes[name]?.bot }];
    });
    const served = new RunnerUnderTest({
      provider,
      botFile: BOT,
      callsPerProcess: made.length,
      botEnvironment: {
        CARRIER_AUTH_ID: AUTH_ID,
        CARRIER_AUTH_TOKEN: AUTH_TOKEN,
        CARRIER_API_URL: sandbox.apiUrl,
        ROOMS_API_KEY: ROOMS_KEY,
        ROOMS_API_URL: sandbox.roomsApiUrl,
        ...KEYS,
        SCENES: JSON.stringify(Object.fromEntries(botScenes)),
      },
    });
    const stage = new CallStage(sandbox, served, new Map(made.map((scene) => [scene.name, scene])));
    await served.runner.start();
    await stage.#register(transport, webhookSecret);
    return stage;
  }

  private constructor(
    readonly sandbox: Sandbox,
    readonly served: RunnerUnderTest,
    private readonly scenes: ReadonlyMap<string, Scene>,
  ) {}

  /** Everything the bots have written so far. */
  get output(): string {
    return this.served.output.all.join('\n');
  }

  scene(name: string): Scene {
    const scene = this.scenes.get(name);
    if (!scene) throw new Error(`there is no scene ${name}`);
    return scene;
  }

  /** What the bot of a scene has told, oldest first. */
  told(name: string, event: string): Array<{ readonly at: number; readonly data: unknown }> {
    return this.served.output.all
      .filter((line) => line.startsWith('{"scene"'))
      .map((line) => JSON.parse(line))
      .filter((told) => told.scene === name && told.event === event);
  }

  /** Calls from the number of the scene. Resolves when the call is answered. */
  async caller({ number }: Scene): Promise<NotingCaller> {
    const phone = await FakeCaller.attach(this.sandbox);
    const caller = new NotingCaller(phone);
    phone.client.dial({ from: number, to: this.sandbox.number });
    await phone.events.next(({ type }) => type === 'answered', 20_000);
    caller.answeredMs = caller.heardMs;
    return caller;
  }

  /** Has the bot call the number of the scene. */
  async dial({ number }: Scene): Promise<void> {
    const response = await fetch(`${this.served.runner.url}/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${RUNNER_TOKEN}` },
      body: JSON.stringify({ phone_number: number }),
    });
    if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  }

  /** The record of a scene's call when it is over. */
  async ended({ name, number }: Scene, limitMs = 45_000): Promise<CallRecord> {
    const find = () =>
      this.served.records.all.find(({ state, from, to }) => state === 'ended' && (from === number || to === number));
    await until(() => find() !== undefined, `${name}: the call is over`, limitMs);
    return find() as CallRecord;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.served[Symbol.asyncDispose]();
    await this.sandbox.close();
    for (const scene of this.scenes.values()) await scene.close();
  }

  async #register(transport: 'carrier' | 'rooms', secret: string): Promise<void> {
    const { answerUrl, hangupUrl, dialinUrl } = this.served.runner.addresses;
    const { applicationId, number: phoneNumber, apiUrl, roomsApiUrl } = this.sandbox;
    if (transport === 'carrier') {
      const client = await plivo.createRestClient({ authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl });
      await client.setWebhooks(applicationId, { answerUrl, hangupUrl }).finally(() => client.close());
    } else {
      const client = await roomProvider.createRestClient({ apiKey: ROOMS_KEY, apiUrl: roomsApiUrl });
      await client.setDialin({ phoneNumber, webhookUrl: dialinUrl, secret }).finally(() => client.close());
    }
  }
}
