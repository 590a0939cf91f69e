import { createOpenAI } from '@ai-sdk/openai';
import { levelDb } from '../../../../src/base/audio/level.js';
import type { ProviderError } from '../../../../src/base/provider-error.js';
import { withOtherwise } from '../../../../src/bot/api/parts/otherwise-part.js';
import { Conversation, type ConversationOptions } from '../../../../src/bot/conversation/conversation.js';
import {
  CallerJoinedFrame,
  CancelFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  StartFrame,
  TTSSpeakFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../../src/bot/pipeline/index.js';
import { createLive } from '../../../../src/bot/services/live/create-live.js';
import { resolveLiveOptions } from '../../../../src/bot/services/live/live-options.js';
import { LLMService } from '../../../../src/bot/services/llm/index.js';
import { ServiceHealth, sharedHealth } from '../../../../src/bot/services/service-health.js';
import { DeepgramSTT } from '../../../../src/bot/services/stt/index.js';
import { CartesiaTTS } from '../../../../src/bot/services/tts/cartesia-tts.js';
import { SpeechOutput } from '../../../../src/bot/transports/speech-output.js';
import {
  buzz,
  FakeCartesia,
  FakeDeepgram,
  FakeLanguageModel,
  type FakeLiveOptions,
  type FakeModelScript,
  FakeRealtime,
} from '../../../../src/lab/kit/index.js';
import { SILENT_WIRE } from '../../transports/silent-wire.js';

const RATE = 8_000;
const AUDIBLE_DB = -40;

class End extends FrameProcessor {
  constructor(private readonly see: (frame: Frame) => void) {
    super();
  }

  override process(frame: Frame): void {
    this.see(frame);
  }

  emit(frame: Frame, direction: FrameDirection): void {
    this.push(frame, direction);
  }
}

export interface OtherwiseStageOptions {
  readonly live?: FakeLiveOptions;
  /** What the ears of the cascade understand, turn by turn. */
  readonly texts?: readonly string[];
  readonly replies?: FakeModelScript;
  readonly conversation?: ConversationOptions;
  /** Default: everything is well. */
  readonly health?: ServiceHealth;
}

/** A conversation with a realtime model and a cascade beside it, all on loopback, with a real output and a caller in real time. */
export class OtherwiseStage implements AsyncDisposable {
  static async start(options: OtherwiseStageOptions = {}): Promise<OtherwiseStage> {
    const live = await FakeRealtime.start(options.live);
    const deepgram = await FakeDeepgram.start({ texts: options.texts ?? [] });
    const model = await FakeLanguageModel.start({ replies: options.replies ?? { text: 'The cascade answers.' } });
    const cartesia = await FakeCartesia.start();
    const { conversation = {}, health = new ServiceHealth() } = options;
    return new OtherwiseStage(live, deepgram, model, cartesia, conversation, health);
  }

  readonly conversation: Conversation;
  readonly errors: ProviderError[] = [];
  /** What the conversation has told, in order. */
  readonly told: string[] = [];
  /** When the caller was sent 20 ms with sound in it, in monotonic milliseconds. */
  readonly sounds: number[] = [];
  hungUp: string | undefined;
  readonly #head: End;
  readonly #processors: readonly FrameProcessor[];
  readonly #clock: NodeJS.Timeout;
  readonly #waiting = new Set<() => void>();
  #speech: Int16Array = new Int16Array(0);
  #frames = 0;
  readonly #startedAt = performance.now();

  private constructor(
    readonly live: FakeRealtime,
    readonly deepgram: FakeDeepgram,
    readonly model: FakeLanguageModel,
    readonly cartesia: FakeCartesia,
    options: ConversationOptions,
    private readonly health: ServiceHealth,
  ) {
    this.conversation = new Conversation({
      detector: () => ({ isSpeech: (pcm) => pcm.some((sample) => sample !== 0) }),
      log: () => {},
      holdAfterMs: 0,
      ...options,
    });
    const { conversation } = this;
    conversation.on('caller_said', (text) => this.told.push(`caller: ${text}`));
    conversation.on('bot_said', (text, wasCut) => this.told.push(`bot: ${text}${wasCut ? ' -' : ''}`));
    const realtime = createOpenAI({ apiKey: 'k', baseURL: live.baseUrl }).experimental_realtime('gpt-realtime-2.1');
    const resolved = resolveLiveOptions({ model: realtime }, true);
    const cascade = {
      ears: new DeepgramSTT({ apiKey: 'k', baseUrl: deepgram.url }),
      llm: new LLMService({ model: createOpenAI({ apiKey: 'k', baseURL: model.url }).chat('fake') as never }),
      voice: new CartesiaTTS({ apiKey: 'k', baseUrl: cartesia.url, cache: false } as never),
    };
    const parts = withOtherwise(createLive(resolved, { hasVoice: false }), resolved.model, cascade, health);
    const wire = {
      ...SILENT_WIRE,
      isOpen: () => true,
      sendAudio: (pcm: Int16Array) => {
        if (levelDb(pcm) > AUDIBLE_DB) this.sounds.push(performance.now());
      },
    };
    const call = {
      hangUp: async (reason?: string) => {
        this.hungUp = reason ?? 'ended';
      },
      released() {},
    };
    this.#head = new End((frame) => this.#see(frame));
    this.#processors = [
      this.#head,
      ...parts.ears,
      conversation.user(),
      ...(parts.llm ? [parts.llm] : []),
      ...parts.voice,
      new SpeechOutput(wire, true, call),
      conversation.assistant(),
      new End(() => {}),
    ];
    this.#processors.reduce((previous, next) => {
      previous.link(next);
      return next;
    });
    parts.live?.introduce(conversation.context);
    this.#head.emit(new StartFrame(RATE, RATE), 'downstream');
    this.#clock = setInterval(() => this.#tick(), 10);
  }

  join(): void {
    this.#head.emit(new CallerJoinedFrame(), 'downstream');
  }

  /** The caller speaks for so long, from now on. */
  speak(ms: number): void {
    this.#speech = buzz(ms, RATE);
  }

  /** Wants a text said. */
  say(text: string): void {
    this.#head.emit(new TTSSpeakFrame(text), 'downstream');
  }

  /** The live session and all that could take its place are gone. */
  kill(): void {
    this.live.refuse(503, 'Away.');
    this.live.dropConnections();
  }

  async until(isSo: () => unknown, what: string, limitMs = 20_000): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const about = () => `told: ${this.told.join(' | ')}; errors: ${this.errors.join(' | ')}; ended: ${this.hungUp}`;
      const limit = setTimeout(() => reject(new Error(`not within ${limitMs} ms: ${what}; ${about()}`)), limitMs);
      const check = () => {
        if (!isSo()) return;
        clearTimeout(limit);
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  async says(text: string): Promise<void> {
    await this.until(() => this.told.some((line) => line.startsWith('bot: ') && line.includes(text)), text);
  }

  /** How many milliseconds of sound the caller was sent, and the longest silence within it. */
  get sound(): { readonly ms: number; readonly longestSilenceMs: number } {
    const gaps = this.sounds.map((at, index) => at - (this.sounds[index - 1] ?? at));
    return { ms: this.sounds.length * 20, longestSilenceMs: Math.max(0, ...gaps) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#clock);
    this.#head.emit(new CancelFrame('call_ended'), 'downstream');
    await Promise.all(this.#processors.map(async (processor) => processor.cleanup()));
    for (const health of [this.health, sharedHealth]) for (const failing of health.failing) health.works(failing);
    for (const far of [this.live, this.deepgram, this.model, this.cartesia]) await far[Symbol.asyncDispose]();
  }

  #tick(): void {
    while (this.#frames * 20 <= performance.now() - this.#startedAt) {
      this.#frames += 1;
      const pcm = new Int16Array(160);
      pcm.set(this.#speech.subarray(0, 160));
      this.#speech = this.#speech.subarray(160);
      this.#head.emit(new InputAudioFrame(pcm, RATE), 'downstream');
    }
    for (const check of this.#waiting) check();
  }

  #see(frame: Frame): void {
    if (frame instanceof ErrorFrame) this.errors.push(frame.error as ProviderError);
  }
}
