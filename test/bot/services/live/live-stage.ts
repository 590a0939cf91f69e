import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createXai } from '@ai-sdk/xai';
import type { ConversationOptions } from '../../../../src/bot/conversation/conversation.js';
import {
  BotStoppedSpeakingFrame,
  type Frame,
  OutputAudioFrame,
  SpeechHeardFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import type { FrameProcessor } from '../../../../src/bot/pipeline/index.js';
import { createLive } from '../../../../src/bot/services/live/create-live.js';
import type { LiveOptions } from '../../../../src/bot/services/live/live-options.js';
import { resolveLiveOptions } from '../../../../src/bot/services/live/live-options.js';
import type { LLMService } from '../../../../src/bot/services/llm/index.js';
import {
  buzz,
  FakeGeminiLive,
  FakeGptLive,
  type FakeLiveOptions,
  FakeRealtime,
  FakeXai,
} from '../../../../src/lab/kit/index.js';
import { CallerStage, RATE } from './caller-stage.js';

/** Of what the far end says, where a test does not say otherwise: fast, so that the test is. */
const CHARACTER_MS = 20;

/** Far ends that others wrote clients for, by vendor, each with a model of the vendor's package that speaks to it. */
export const FAR_ENDS = {
  openai: async (options: FakeLiveOptions = {}) => {
    const fake = await FakeRealtime.start(options);
    const model = createOpenAI({ apiKey: 'k-openai', baseURL: `${fake.url}/v1` }).experimental_realtime(
      'gpt-realtime-2.1',
    );
    return { fake, model };
  },
  xai: async (options: FakeLiveOptions = {}) => {
    const fake = await FakeXai.start(options);
    return {
      fake,
      model: createXai({ apiKey: 'k-xai', baseURL: `${fake.url}/v1` }).experimental_realtime('grok-voice-1'),
    };
  },
  google: async (options: FakeLiveOptions = {}) => {
    const fake = await FakeGeminiLive.start(options);
    const baseURL = `${fake.url}/v1beta`;
    return {
      fake,
      model: createGoogleGenerativeAI({ apiKey: 'k-google', baseURL }).experimental_realtime('gemini-3.8-live'),
    };
  },
} as const;

/** A far end whose model takes its turns itself. */
export const continuousFarEnd = async (options: FakeLiveOptions = {}) => {
  const fake = await FakeGptLive.start(options);
  const model = createOpenAI({ apiKey: 'k-openai', baseURL: fake.baseUrl }).experimental_realtime('gpt-live-1');
  return { fake, model };
};

export type FarEnd = keyof typeof FAR_ENDS;

export type LiveFake = Awaited<ReturnType<(typeof FAR_ENDS)[FarEnd]>>['fake'] | FakeGptLive;

export interface LiveStageOptions {
  readonly farEnd?: FarEnd;
  readonly fake?: FakeLiveOptions;
  readonly live?: Partial<LiveOptions>;
  readonly conversation?: ConversationOptions;
  /** Says what is to be said word for word. Default: the model does. */
  readonly voice?: FrameProcessor;
}

/** A conversation with a live model. */
export class LiveStage<Fake extends LiveFake = LiveFake> extends CallerStage {
  /** With a model that takes its turns itself. @param delegate what it hands work to */
  static async continuous(options: LiveStageOptions = {}, delegate?: LLMService): Promise<LiveStage<FakeGptLive>> {
    const { fake, model } = await continuousFarEnd(options.fake);
    const live = { ...options.live, model: model as never };
    return new LiveStage<FakeGptLive>(fake, live, options, delegate);
  }

  static async start(options: LiveStageOptions = {}): Promise<LiveStage> {
    const { fake, model } = await FAR_ENDS[options.farEnd ?? 'openai']({ characterMs: CHARACTER_MS, ...options.fake });
    return new LiveStage(fake, { ...options.live, model: model as never }, options);
  }

  readonly heard: SpeechHeardFrame[] = [];
  readonly stopped: BotStoppedSpeakingFrame[] = [];
  /** Frames of 20 ms that the caller was sent: when, in monotonic milliseconds. */
  readonly sent: number[] = [];
  readonly reports: Array<Record<string, unknown>> = [];

  private constructor(
    readonly fake: Fake,
    live: LiveOptions,
    { conversation, voice }: LiveStageOptions,
    delegate?: LLMService,
  ) {
    super({ failure: { apology: new OutputAudioFrame(buzz(200, RATE), RATE) }, ...conversation }, [fake]);
    this.conversation.on('turn', (report) => this.reports.push(report as never));
    const service = createLive(resolveLiveOptions(live), { hasVoice: voice !== undefined, delegate });
    service.introduce(this.conversation.context);
    this.begin([service.ears], [service.speaker, ...(voice ? [voice] : [])]);
  }

  protected override noteSound(): void {
    this.sent.push(performance.now());
  }

  protected override see(frame: Frame): void {
    if (frame instanceof SpeechHeardFrame) this.heard.push(frame);
    if (frame instanceof BotStoppedSpeakingFrame) this.stopped.push(frame);
  }
}
