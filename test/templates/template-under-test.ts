import { isAbsolute, join } from 'node:path';
import { decodeMulaw } from '../../src/base/audio/mulaw.js';
import type { RoomsClient } from '../../src/bot/transports/room/join-room.js';
import type { CallRecord } from '../../src/call/call-record.js';
import { FakeCartesia, type FakeCartesiaOptions } from '../../src/lab/kit/fake-cartesia.js';
import { FakeDeepgram, FakeLanguageModel, type FakeModelScript } from '../../src/lab/kit/index.js';
import { murmur } from '../../src/sandbox/network/prompt-audio.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { until } from '../e2e/processes.js';
import { Side } from '../e2e/recording.js';
import { RunnerOnSandbox } from '../runner/runner-on-sandbox.js';
import { FakeCaller } from '../sandbox/fake-caller.js';

const FRAME_BYTES = 160;
const FRAME_MS = 20;
/** How long it must be quiet before the bot has finished, in milliseconds. */
const PAUSE_MS = 500;

export interface TemplateOptions {
  readonly transport: 'carrier' | 'rooms';
  /** How the bot joins a room. Default: by the client in this package. */
  readonly client?: RoomsClient;
  /** What the model says. */
  readonly replies: FakeModelScript;
  /** What the caller says, each time. */
  readonly texts?: readonly string[];
  /** How the voice sounds. Default: every character is 15 ms of a tone. */
  readonly voice?: FakeCartesiaOptions;
  /** More of the bot's environment. */
  readonly environment?: Record<string, string>;
}

/** A bot as it is, such as a template, on a runner, on the sandbox, with providers that do as they are told. */
export class TemplateUnderTest implements AsyncDisposable {
  /** @param bot name of a template, or the absolute path of a bot file */
  static async start(bot: string, options: TemplateOptions): Promise<TemplateUnderTest> {
    const { transport, client, replies, texts = [], voice = { characterMs: 15 }, environment } = options;
    const [deepgram, model, cartesia] = await Promise.all([
      FakeDeepgram.start({ texts: () => texts }),
      FakeLanguageModel.start({ replies }),
      FakeCartesia.start(voice),
    ]);
    const runner = await RunnerOnSandbox.start({
      transport,
      recording: 'unless_refused',
      ...(client && { client }),
      botFile: isAbsolute(bot) ? bot : join(PACKAGE_ROOT, 'templates', bot, 'bot.ts'),
      environment: {
        DEEPGRAM_API_KEY: 'deepgram-key',
        DEEPGRAM_BASE_URL: deepgram.url,
        OPENAI_API_KEY: 'openai-key',
        OPENAI_BASE_URL: model.url,
        CARTESIA_API_KEY: 'cartesia-key',
        CARTESIA_BASE_URL: cartesia.url,
        ...environment,
      },
    });
    return new TemplateUnderTest(deepgram, model, cartesia, runner);
  }

  private constructor(
    readonly deepgram: FakeDeepgram,
    readonly model: FakeLanguageModel,
    readonly cartesia: FakeCartesia,
    readonly served: RunnerOnSandbox,
  ) {}

  /** What the bot has written so far. */
  get output(): string {
    return this.served.written;
  }

  /** What the voice was asked to say, all in one. */
  get spoken(): string {
    return this.cartesia.requests
      .map(({ text }) => text)
      .join(' ')
      .replace(/\s+/g, ' ');
  }

  /** The voice is asked for this text. */
  async says(text: string, limitMs = 10_000): Promise<void> {
    await until(() => this.spoken.includes(text), '', limitMs).catch(() => {
      throw new Error(`the bot has not said "${text}" but: ${this.spoken}\n${this.output}`);
    });
  }

  async caller(): Promise<TalkingCaller> {
    const phone = await FakeCaller.attach(this.served.sandbox);
    const caller = new TalkingCaller(phone);
    phone.dial(this.served.sandbox);
    await phone.events.next(({ type }) => type === 'answered', 10_000);
    return caller;
  }

  async dial(phone_number: string, body: object = {}, headers: Record<string, string> = {}): Promise<void> {
    await this.served.startedCall({ phone_number, body }, { headers });
  }

  /** The record of a call that is over. */
  ended(limitMs = 15_000): Promise<CallRecord> {
    return this.served.nextRecord({ state: 'ended' }, limitMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.served[Symbol.asyncDispose]();
    for (const fake of [this.deepgram, this.model, this.cartesia]) await fake[Symbol.asyncDispose]();
  }
}

/** Somebody on the telephone who waits for the bot to finish before they speak. */
export class TalkingCaller implements AsyncDisposable {
  #saying = new Uint8Array(0);

  constructor(readonly phone: FakeCaller) {
    phone.says = () => {
      const frame = new Uint8Array(FRAME_BYTES).fill(0xff);
      frame.set(this.#saying.subarray(0, FRAME_BYTES));
      this.#saying = this.#saying.slice(FRAME_BYTES);
      return frame;
    };
  }

  /** Everything heard so far. */
  get heard(): Side {
    return new Side(decodeMulaw(Buffer.concat(this.phone.heard.all)));
  }

  get heardMs(): number {
    return this.phone.heard.all.length * FRAME_MS;
  }

  /** Speaks when it has been quiet for a moment. What the words are is the speech-to-text's affair. */
  async says(length = 'about as long as this'): Promise<void> {
    await this.quiet();
    this.speaks(length);
  }

  /** Speaks at once, whoever else does. */
  speaks(length = 'about as long as this'): void {
    this.#saying = Uint8Array.from(murmur(length));
  }

  /** Resolves when the bot is heard, from now on. @returns when, in milliseconds since the answer */
  async begins(limitMs = 10_000): Promise<number> {
    const fromMs = this.heardMs;
    await until(() => this.heard.firstAudibleMs(fromMs) !== undefined, 'the bot is heard', limitMs);
    return this.heard.firstAudibleMs(fromMs) ?? fromMs;
  }

  async quiet(limitMs = 15_000): Promise<void> {
    const isQuiet = () => {
      const last = this.phone.heard.all.slice(-PAUSE_MS / FRAME_MS);
      return last.length === PAUSE_MS / FRAME_MS && new Side(decodeMulaw(Buffer.concat(last))).audibleMs() === 0;
    };
    await until(isQuiet, 'the bot has finished', limitMs);
  }

  hangUp(): void {
    this.phone.client.hangUp();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.phone[Symbol.asyncDispose]();
  }
}
