import type { ProviderError } from '../../../../src/base/provider-error.js';
import {
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor, Pipeline, PipelineTask } from '../../../../src/bot/pipeline/index.js';
import { FluxDialect } from '../../../../src/bot/services/stt/deepgram-flux.js';
import { type DeepgramSTTOptions, isFlux } from '../../../../src/bot/services/stt/deepgram-options.js';
import { DeepgramDialect } from '../../../../src/bot/services/stt/deepgram-stt.js';
import { SttService } from '../../../../src/bot/services/stt/stt-service.js';
import { FakeDeepgram, type FakeDeepgramOptions } from '../../../../src/lab/kit/index.js';

const LIMIT_MS = 8_000;
export const KEY = 'dg-secret-key-4711';

/** Passes everything on, keeps what it saw, and tells when something came. */
class Witness extends FrameProcessor {
  readonly seen: Frame[] = [];
  readonly #waiting = new Set<() => void>();

  override process(frame: Frame, direction: FrameDirection): void {
    this.seen.push(frame);
    for (const check of this.#waiting) check();
    this.push(frame, direction);
  }

  of<T extends Frame>(kind: abstract new (...args: never[]) => T): T[] {
    return this.seen.filter((frame): frame is T => frame instanceof kind);
  }

  /** Resolves when `count` frames of a kind have come. */
  async sees<T extends Frame>(kind: abstract new (...args: never[]) => T, count = 1): Promise<T[]> {
    let check = () => {};
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      check = () => this.of(kind).length >= count && resolve();
      timer = setTimeout(() => reject(new Error(`no ${count} ${kind.name} in time`)), LIMIT_MS);
      this.#waiting.add(check);
      check();
    }).finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(check);
    });
    return this.of(kind);
  }
}

/** Deepgram's wire with shorter times, so that tests do not take as long as calls do. */
export class QuickDialect extends DeepgramDialect {
  override readonly keepAlive = { message: '{"type":"KeepAlive"}', afterMs: 300 };
}

class QuickFlux extends FluxDialect {
  override readonly keepAlive = { afterMs: 100 };
}

export interface StartSttOptions {
  deepgram?: FakeDeepgramOptions;
  stt?: DeepgramSTTOptions;
  sampleRate?: number;
  /** Called before the pipeline starts. */
  prepare?: (deepgram: FakeDeepgram) => void;
}

/** A running pipeline of nothing but speech to text, on a fake Deepgram. */
export async function startStt({ deepgram = {}, stt = {}, sampleRate = 8_000, prepare }: StartSttOptions = {}) {
  const fake = await FakeDeepgram.start(deepgram);
  prepare?.(fake);
  const { model = 'nova-3' } = stt;
  const options = { apiKey: KEY, baseUrl: fake.url, answersWithinMs: 1_200, ...stt, model };
  const dialect = isFlux(model) ? new QuickFlux(options) : new QuickDialect(options);
  const service = new SttService(dialect, stt);
  const before = new Witness();
  const after = new Witness();
  const task = new PipelineTask(new Pipeline([before, service, after]), { audioInSampleRate: sampleRate });
  task.on('problem', () => {});
  const connecting = fake.nextSession();
  const run = task.run();
  return {
    fake,
    service,
    before,
    after,
    task,
    run,
    /** The first connection. */
    connecting,
    /** The caller's audio, in frames of 20 ms. */
    hear(pcm: Int16Array): void {
      const size = sampleRate / 50;
      for (let at = 0; at < pcm.length; at += size) {
        task.queueFrame(new InputAudioFrame(pcm.slice(at, at + size), sampleRate));
      }
    },
    /** What went wrong, as told to the rest of the pipeline. */
    get errors(): ProviderError[] {
      return after.of(ErrorFrame).map(({ error }) => error as ProviderError);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await task.cancel();
      await run;
      await fake.close();
    },
  };
}

/** The same with Flux, and the first connection to it. */
export async function startFlux({ stt, ...options }: StartSttOptions = {}) {
  const call = await startStt({ ...options, stt: { model: 'flux-general-en', ...stt } });
  return Object.assign(call, { listening: call.connecting.then(() => call.fake.fluxSession) });
}

/** Samples that all differ from their neighbours and survive mu-law: `ms` of them from `seed` on. */
export function counting(ms: number, seed = 0): Int16Array {
  return Int16Array.from({ length: ms * 8 }, (_, i) => (((i + seed * 8) % 15) + 1) * 8);
}

/** Resolves when `condition` holds. For what tells nobody that it happened. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('not in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
