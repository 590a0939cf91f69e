import {
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  InterimTranscriptionFrame,
  StartFrame,
  TranscriptionFrame,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor, Pipeline, PipelineTask } from '../../../../src/bot/pipeline/index.js';
import { ServiceHealth } from '../../../../src/bot/services/service-health.js';
import type { DeepgramSTTOptions } from '../../../../src/bot/services/stt/deepgram-options.js';
import { EarsInTurn } from '../../../../src/bot/services/stt/ears-in-turn.js';
import { socketEars } from '../../../../src/bot/services/stt/socket-ear.js';
import { SttService } from '../../../../src/bot/services/stt/stt-service.js';
import type { BotEntry } from '../../../../src/call/timeline.js';
import { FakeDeepgram, type FakeDeepgramOptions } from '../../../../src/lab/kit/index.js';
import { KEY, QuickDialect } from './start-stt.js';

const FRAME_MS = 20;

type Switch = Extract<BotEntry, { type: 'service_switched' }>;

/** What was understood, in order. */
class Words extends FrameProcessor {
  readonly finals: string[] = [];
  readonly interims: string[] = [];
  readonly errors: ErrorFrame[] = [];

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof TranscriptionFrame) this.finals.push(frame.text);
    if (frame instanceof InterimTranscriptionFrame) this.interims.push(frame.text);
    if (frame instanceof ErrorFrame) this.errors.push(frame);
    this.push(frame, direction);
  }
}

/** Gives the processors behind it a timeline. */
class Noting extends FrameProcessor {
  constructor(private readonly note: (entry: BotEntry) => void) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof StartFrame) {
      frame.timeline = { note: this.note, during: (_step, work) => work() };
    }
    this.push(frame, direction);
  }
}

export interface StartEarsOptions {
  /** What each of them understands, and what is to happen before anybody connects. */
  readonly fakes: ReadonlyArray<FakeDeepgramOptions & { readonly prepare?: (fake: FakeDeepgram) => void }>;
  readonly stt?: DeepgramSTTOptions;
  readonly health?: ServiceHealth;
}

/** A running pipeline of nothing but ears, on as many fake Deepgrams as there are in the list; their models are `ears-1`, `ears-2`, … */
export async function startEars({ fakes: options, stt = {}, health = new ServiceHealth() }: StartEarsOptions) {
  const fakes = await Promise.all(options.map(({ prepare: _, ...rest }) => FakeDeepgram.start(rest)));
  const sources = fakes.map(({ url }, index) =>
    socketEars(new QuickDialect({ apiKey: KEY, baseUrl: url, model: `ears-${index + 1}`, ...stt }), 4_000),
  );
  for (const [index, { prepare }] of options.entries()) prepare?.(fakes[index] as FakeDeepgram);
  const service = new SttService(new EarsInTurn(sources, health));
  const words = new Words();
  const noted: BotEntry[] = [];
  const task = new PipelineTask(new Pipeline([new Noting((entry) => noted.push(entry)), service, words]), {
    audioInSampleRate: 8_000,
  });
  task.on('problem', () => {});
  const run = task.run();
  return {
    fakes,
    sources,
    health,
    words,
    service,
    noted,
    get switches(): Switch[] {
      return noted.filter((entry): entry is Switch => entry.type === 'service_switched');
    },
    /** The caller's audio at the pace of a call, in frames of 20 ms. */
    async hear(pcm: Int16Array): Promise<void> {
      const size = 8 * FRAME_MS;
      const beganAt = performance.now();
      for (let at = 0; at < pcm.length; at += size) {
        task.queueFrame(new InputAudioFrame(pcm.slice(at, at + size), 8_000));
        const dueIn = beganAt + at / 8 + FRAME_MS - performance.now();
        if (dueIn > 0) await new Promise((resolve) => setTimeout(resolve, dueIn));
      }
    },
    /** The voice detector says so. */
    voice(isHeard: boolean): void {
      task.queueFrame(isHeard ? new UserStartedSpeakingFrame() : new UserStoppedSpeakingFrame());
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await task.cancel();
      await run;
      await Promise.all(fakes.map((fake) => fake.close()));
    },
  };
}

/** A voice for so long, in milliseconds; the fakes take it for speech. */
export const loud = (ms: number): Int16Array =>
  Int16Array.from({ length: 8 * ms }, (_, i) => Math.round(8_000 * Math.sin(i / 3)));

export const silence = (ms: number): Int16Array => new Int16Array(8 * ms);
