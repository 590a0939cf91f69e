import { createOpenAI } from '@ai-sdk/openai';
import 'ai'; // beforehand: while Node reads files, a hasty clock runs ahead
import { levelDb } from '../../../../src/base/audio/level.js';
import { withOtherwise } from '../../../../src/bot/api/parts/otherwise-part.js';
import type { ConversationOptions } from '../../../../src/bot/conversation/conversation.js';
import { TTSSpeakFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { createLive } from '../../../../src/bot/services/live/create-live.js';
import { resolveLiveOptions } from '../../../../src/bot/services/live/live-options.js';
import type { RealtimeModel } from '../../../../src/bot/services/live/realtime-model.js';
import { LLMService } from '../../../../src/bot/services/llm/index.js';
import { ServiceHealth } from '../../../../src/bot/services/service-health.js';
import { DeepgramSTT } from '../../../../src/bot/services/stt/index.js';
import { CartesiaTTS } from '../../../../src/bot/services/tts/cartesia-tts.js';
import {
  FakeCartesia,
  FakeDeepgram,
  FakeLanguageModel,
  type FakeLiveOptions,
  type FakeModelScript,
  FakeRealtime,
} from '../../../../src/lab/kit/index.js';
import { CallerStage } from './caller-stage.js';
import { continuousFarEnd, FAR_ENDS, type FarEnd, type LiveFake } from './live-stage.js';

const AUDIBLE_DB = -40;

export interface OtherwiseStageOptions {
  readonly live?: FakeLiveOptions;
  /** What the ears of the cascade understand, turn by turn. */
  readonly texts?: readonly string[];
  readonly replies?: FakeModelScript;
  readonly conversation?: ConversationOptions;
  /** Default: everything is well. */
  readonly health?: ServiceHealth;
  /** The live model, whose usual times are those of its name. */
  readonly name?: string;
}

/** A conversation with a realtime model and a cascade beside it. */
export class OtherwiseStage<Fake extends LiveFake = FakeRealtime> extends CallerStage {
  static async start(options: OtherwiseStageOptions = {}): Promise<OtherwiseStage> {
    const live = await FakeRealtime.start(options.live);
    const { name = 'gpt-realtime-2.1' } = options;
    const realtime = createOpenAI({ apiKey: 'k', baseURL: live.baseUrl }).experimental_realtime(name);
    return OtherwiseStage.#with(live, realtime, options);
  }

  /** With the realtime model of a vendor. */
  static async on(farEnd: FarEnd | 'continuous', options: OtherwiseStageOptions): Promise<OtherwiseStage<LiveFake>> {
    const { fake, model } = await (farEnd === 'continuous' ? continuousFarEnd : FAR_ENDS[farEnd])(options.live);
    return OtherwiseStage.#with<LiveFake>(fake, model, options);
  }

  static async #with<Fake extends LiveFake>(
    live: Fake,
    realtime: RealtimeModel,
    options: OtherwiseStageOptions,
  ): Promise<OtherwiseStage<Fake>> {
    const deepgram = await FakeDeepgram.start({ texts: options.texts ?? [] });
    const model = await FakeLanguageModel.start({ replies: options.replies ?? { text: 'The cascade answers.' } });
    const cartesia = await FakeCartesia.start();
    const { conversation = {}, health = new ServiceHealth() } = options;
    return new OtherwiseStage(live, deepgram, model, cartesia, conversation, health, realtime);
  }

  /** When the caller was sent 20 ms with sound in it, in monotonic milliseconds. */
  readonly sounds: number[] = [];

  private constructor(
    readonly live: Fake,
    readonly deepgram: FakeDeepgram,
    readonly model: FakeLanguageModel,
    readonly cartesia: FakeCartesia,
    options: ConversationOptions,
    private readonly health: ServiceHealth,
    realtime: RealtimeModel,
  ) {
    super({ holdAfterMs: 0, ...options }, [live, deepgram, model, cartesia]);
    const resolved = resolveLiveOptions({ model: realtime }, true);
    const cascade = {
      ears: new DeepgramSTT({ apiKey: 'k', baseUrl: deepgram.url }),
      llm: new LLMService({ model: createOpenAI({ apiKey: 'k', baseURL: model.url }).chat('fake') as never }),
      voice: new CartesiaTTS({ apiKey: 'k', baseUrl: cartesia.url, cache: false } as never),
    };
    const parts = withOtherwise(createLive(resolved, { hasVoice: false }), resolved.model, cascade, health);
    parts.live?.introduce(this.conversation.context);
    this.begin(parts.ears, [...(parts.llm ? [parts.llm] : []), ...parts.voice]);
  }

  /** Wants a text said. */
  say(text: string): void {
    this.emit(new TTSSpeakFrame(text));
  }

  /** The live session and all that could take its place are gone. */
  kill(): void {
    this.live.refuse(503, 'Away.');
    this.live.dropConnections();
  }

  /** How many milliseconds of sound the caller was sent, and the longest silence within it. */
  get sound(): { readonly ms: number; readonly longestSilenceMs: number } {
    const gaps = this.sounds.map((at, index) => at - (this.sounds[index - 1] ?? at));
    return { ms: this.sounds.length * 20, longestSilenceMs: Math.max(0, ...gaps) };
  }

  protected override noteSound(pcm: Int16Array): void {
    if (levelDb(pcm) > AUDIBLE_DB) this.sounds.push(performance.now());
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    for (const failing of this.health.failing) this.health.works(failing);
  }
}
