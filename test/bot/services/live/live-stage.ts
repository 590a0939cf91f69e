import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createXai } from '@ai-sdk/xai';
import type { ProviderError } from '../../../../src/base/provider-error.js';
import { Conversation, type ConversationOptions } from '../../../../src/bot/conversation/conversation.js';
import {
  BotStoppedSpeakingFrame,
  CallerJoinedFrame,
  CancelFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  OutputAudioFrame,
  SpeechHeardFrame,
  StartFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../../src/bot/pipeline/index.js';
import { createLive } from '../../../../src/bot/services/live/create-live.js';
import type { LiveOptions } from '../../../../src/bot/services/live/live-options.js';
import { resolveLiveOptions } from '../../../../src/bot/services/live/live-options.js';
import type { LLMService } from '../../../../src/bot/services/llm/index.js';
import { sharedHealth } from '../../../../src/bot/services/service-health.js';
import { SpeechOutput } from '../../../../src/bot/transports/speech-output.js';
import {
  buzz,
  FakeGeminiLive,
  FakeGptLive,
  type FakeLiveOptions,
  FakeRealtime,
  FakeXai,
} from '../../../../src/lab/kit/index.js';
import { SILENT_WIRE } from '../../transports/silent-wire.js';

const RATE = 8_000;
/** Of what the far end says, where a test does not say otherwise: fast, so that the test is. */
const CHARACTER_MS = 20;

/** An end of the pipeline. */
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

type LiveFake = Awaited<ReturnType<(typeof FAR_ENDS)[FarEnd]>>['fake'] | FakeGptLive;

export interface LiveStageOptions {
  readonly farEnd?: FarEnd;
  readonly fake?: FakeLiveOptions;
  readonly live?: Partial<LiveOptions>;
  readonly conversation?: ConversationOptions;
}

/** A conversation with a live model on loopback, and a real output; the caller's sound goes on in real time. */
export class LiveStage<Fake extends LiveFake = LiveFake> implements AsyncDisposable {
  /** With a model that takes its turns itself. @param delegate what it hands work to */
  static async continuous(options: LiveStageOptions = {}, delegate?: LLMService): Promise<LiveStage<FakeGptLive>> {
    const { fake, model } = await continuousFarEnd(options.fake);
    const live = { ...options.live, model: model as never };
    return new LiveStage<FakeGptLive>(fake, live, options.conversation ?? {}, delegate);
  }

  static async start(options: LiveStageOptions = {}): Promise<LiveStage> {
    const { fake, model } = await FAR_ENDS[options.farEnd ?? 'openai']({ characterMs: CHARACTER_MS, ...options.fake });
    return new LiveStage(fake, { ...options.live, model: model as never }, options.conversation ?? {});
  }

  readonly conversation: Conversation;
  readonly errors: ProviderError[] = [];
  /** What the conversation has told, in order. */
  readonly told: string[] = [];
  readonly heard: SpeechHeardFrame[] = [];
  readonly stopped: BotStoppedSpeakingFrame[] = [];
  /** Frames of 20 ms that the caller was sent: when, in monotonic milliseconds. */
  readonly sent: number[] = [];
  readonly clears: number[] = [];
  readonly reports: Array<Record<string, unknown>> = [];
  hungUp: string | undefined;
  readonly #head: End;
  readonly #processors: readonly FrameProcessor[];
  readonly #clock: NodeJS.Timeout;
  readonly #waiting = new Set<() => void>();
  #speech: Int16Array = new Int16Array(0);
  #frames = 0;
  readonly #startedAt = performance.now();

  private constructor(
    readonly fake: Fake,
    live: LiveOptions,
    options: ConversationOptions,
    delegate?: LLMService,
  ) {
    this.conversation = new Conversation({
      detector: () => ({ isSpeech: (pcm) => pcm.some((sample) => sample !== 0) }),
      log: () => {},
      failure: { apology: new OutputAudioFrame(buzz(200, RATE), RATE) },
      ...options,
    });
    const { conversation } = this;
    conversation.on('caller_said', (text) => this.#tell(`caller: ${text}`));
    conversation.on('bot_said', (text, wasInterrupted) => this.#tell(`bot: ${text}${wasInterrupted ? ' -' : ''}`));
    conversation.on('turn', (report) => this.reports.push(report as never));
    const service = createLive(resolveLiveOptions(live), { hasVoice: false, delegate });
    const wire = {
      ...SILENT_WIRE,
      isOpen: () => true,
      sendAudio: () => void this.sent.push(performance.now()),
      sendClear: () => void this.clears.push(performance.now()),
    };
    const call = { hangUp: async (reason?: string) => this.#noteEnd(reason), released() {} };
    const output = new SpeechOutput(wire, true, call);
    this.#head = new End((frame) => this.#see(frame, 'upstream'));
    const tail = new End((frame) => this.#see(frame, 'downstream'));
    this.#processors = [
      this.#head,
      service.ears,
      conversation.user(),
      service.speaker,
      output,
      conversation.assistant(),
      tail,
    ];
    this.#processors.reduce((previous, next) => {
      previous.link(next);
      return next;
    });
    service.introduce(conversation.context);
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

  emit(frame: Frame): void {
    this.#head.emit(frame, 'downstream');
  }

  /** Resolves when something is so; looked at whenever anything happens. */
  async until(isSo: () => unknown, what: string, limitMs = 20_000): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const limit = setTimeout(() => {
        this.#waiting.delete(check);
        reject(
          new Error(
            `not within ${limitMs} ms: ${what}; told: ${this.told.join(' | ')}; errors: ${this.errors.join(' | ')}`,
          ),
        );
      }, limitMs);
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
    await this.until(
      () => this.told.some((line) => line.startsWith('bot: ') && line.includes(text)),
      `the bot says ${text}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#clock);
    this.#head.emit(new CancelFrame('call_ended'), 'downstream');
    await Promise.all(this.#processors.map(async (processor) => processor.cleanup()));
    for (const failing of sharedHealth.failing) sharedHealth.works(failing);
    await this.fake[Symbol.asyncDispose]();
  }

  /** As much of the caller's sound as time has passed. */
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

  #see(frame: Frame, direction: FrameDirection): void {
    if (direction === 'upstream' && frame instanceof ErrorFrame) this.errors.push(frame.error as ProviderError);
    if (direction === 'downstream' && frame instanceof SpeechHeardFrame) this.heard.push(frame);
    if (direction === 'downstream' && frame instanceof BotStoppedSpeakingFrame) this.stopped.push(frame);
    for (const check of this.#waiting) check();
  }

  #noteEnd(reason = 'ended'): void {
    this.hungUp = reason;
  }

  #tell(line: string): void {
    this.told.push(line);
  }
}
