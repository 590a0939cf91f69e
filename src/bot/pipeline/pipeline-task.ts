import { EventEmitter } from 'node:events';
import { settlesWithin } from '../../base/async/deadline.js';
import { deferred } from '../../base/async/deferred.js';
import { errorText } from '../../base/error-text.js';
import { errorTypeOf, VoicebotError } from '../../base/errors.js';
import { reportException } from '../../base/exception/report-exception.js';
import { type EventNames, refuseUnknownEvents } from '../../base/names/event-names.js';
import { type OptionNames, refuseProblems, unknownOptions } from '../../base/names/option-names.js';
import { FrameProcessor } from './frame-processor.js';
import {
  CancelFrame,
  type CancelReason,
  EndFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  StartFrame,
} from './frames/index.js';
import { IdleWatch } from './idle-watch.js';
import type { Pipeline } from './pipeline.js';

/** How a {@link PipelineTask} runs, and when it stops by itself. */
export interface PipelineTaskOptions {
  /** Rate of the caller's audio inside the pipeline, in hertz: 8000, 16000, 24000 or 48000. Default 8000. */
  audioInSampleRate?: number;
  /** Rate of the bot's audio on its way to the wire, in hertz. Default 8000. */
  audioOutSampleRate?: number;
  /**
   * Longest time in which the bot does not speak, no words of the caller are understood and no key is pressed before the task cancels
   * itself, in milliseconds; 0 means no limit. Noise does not count. Default 300000 (five minutes).
   */
  idleTimeoutMs?: number;
  /** Cancels the task when aborted. A bot passes the signal of its arguments. */
  signal?: AbortSignal;
}

/** What a {@link PipelineTask} tells. */
export interface PipelineTaskEvents {
  /** A processor failed and the pipeline goes on. Written to standard error when there is no listener. */
  problem: [error: Error, source: string | undefined];
  /** Neither side took part for the idle limit; the task is being cancelled. */
  idle: [];
}

const OPTIONS: OptionNames<PipelineTaskOptions> = {
  audioInSampleRate: true,
  audioOutSampleRate: true,
  idleTimeoutMs: true,
  signal: true,
};
const EVENTS: EventNames<PipelineTaskEvents> = { problem: true, idle: true };

/** Longest wait for the processors to let go after a cancellation, in milliseconds. */
const CANCEL_LIMIT_MS = 10_000;
const SAMPLE_RATES = [8_000, 16_000, 24_000, 48_000];

/** Runs one pipeline from its first frame to its last. */
export class PipelineTask extends EventEmitter<PipelineTaskEvents> {
  readonly #processors: readonly FrameProcessor[];
  readonly #source = new PipelineEnd((frame) => this.#onUpstreamEnd(frame));
  readonly #idle: IdleWatch;
  readonly #start: StartFrame;
  readonly #signal: AbortSignal | undefined;
  readonly #over = deferred();
  #failure: Error | undefined;
  #state: 'new' | 'running' | 'over' = 'new';

  /** @throws VoicebotError VB_CONFIG_INVALID naming every option that is out of range or not known */
  constructor(pipeline: Pipeline, options: PipelineTaskOptions = {}) {
    super();
    refuseUnknownEvents(this, EVENTS);
    const { audioInSampleRate = 8_000, audioOutSampleRate = 8_000, idleTimeoutMs = 300_000, signal } = options;
    const problems = Object.entries({ audioInSampleRate, audioOutSampleRate })
      .filter(([, rate]) => !SAMPLE_RATES.includes(rate))
      .map(([name, rate]) => `${name} must be one of ${SAMPLE_RATES.join(', ')}, got ${rate}`);
    problems.push(...unknownOptions(options, OPTIONS));
    if (!(idleTimeoutMs >= 0)) problems.push(`idleTimeoutMs must be 0 or more, got ${idleTimeoutMs}`);
    refuseProblems(problems);

    this.#start = new StartFrame(audioInSampleRate, audioOutSampleRate);
    this.#idle = new IdleWatch(idleTimeoutMs, () => {
      this.emit('idle');
      this.#cancel('idle');
    });
    this.#signal = signal;
    const sink = new PipelineEnd((frame, direction) => this.#onDownstreamEnd(frame, direction));
    this.#processors = [this.#source, ...pipeline.processors, sink];
    this.#processors.reduce((previous, next) => {
      previous.link(next);
      return next;
    });
  }

  /**
   * Starts the pipeline. Resolves when it has ended, by an {@link EndFrame}, by {@link cancel}, or because the call is over.
   * @throws the error of a fatal {@link ErrorFrame}; VoicebotError VB_PIPELINE_FAILED when called twice
   */
  async run(): Promise<void> {
    if (this.#state !== 'new') throw new VoicebotError('VB_PIPELINE_FAILED', 'run() may be called once');
    this.#state = 'running';
    const onAbort = () => this.#cancel('cancelled');
    this.#signal?.addEventListener('abort', onAbort, { once: true });
    this.#idle.start();
    this.queueFrame(this.#start);
    if (this.#signal?.aborted) onAbort();
    try {
      await this.#over.promise;
    } finally {
      this.#state = 'over';
      this.#idle.stop();
      this.#signal?.removeEventListener('abort', onAbort);
      await this.#cleanUp();
    }
    if (this.#failure) throw this.#failure;
  }

  /** Puts a frame in at the head of the pipeline. */
  queueFrame(frame: Frame): void {
    this.#source.receive(frame, 'downstream');
  }

  /** Ends the pipeline at once: nothing more is played, the call is hung up. Resolves when {@link run} does. */
  async cancel(): Promise<void> {
    if (this.#state === 'new') throw new VoicebotError('VB_PIPELINE_FAILED', 'cancel() before run()');
    this.#cancel('cancelled');
    await this.#over.promise;
  }

  /** Until the returned function is called, once, no idle limit holds: the caller waits on hold, or talks with others. @internal */
  excuseIdle(): () => void {
    return this.#idle.excuse();
  }

  /** Notes in the call's timeline what the pipeline goes on after. */
  noteProblem(error: Error, from: string | undefined): void {
    this.#start.timeline?.note({ type: 'warning', message: errorText(error), from, errorType: errorTypeOf(error) });
  }

  #cancel(reason: CancelReason): void {
    if (this.#state !== 'running') return;
    this.queueFrame(new CancelFrame(reason));
    void settlesWithin(this.#over.promise, CANCEL_LIMIT_MS).then(() => this.#over.resolve());
  }

  #onUpstreamEnd(frame: Frame): void {
    this.#idle.see(frame);
    if (!(frame instanceof ErrorFrame)) return;
    if (!frame.isFatal) {
      this.#report(frame.error, frame.source);
      return;
    }
    this.#failure ??= frame.error;
    this.noteProblem(frame.error, frame.source);
    this.#cancel('failed');
  }

  #onDownstreamEnd(frame: Frame, direction: FrameDirection): void {
    if (direction === 'upstream') return;
    this.#idle.see(frame);
    if (frame instanceof EndFrame || frame instanceof CancelFrame) this.#over.resolve();
  }

  async #cleanUp(): Promise<void> {
    const results = await Promise.allSettled(this.#processors.map(async (processor) => processor.cleanup()));
    for (const result of results) if (result.status === 'rejected') this.#report(result.reason, 'cleanup');
  }

  #report(error: Error, source: string | undefined): void {
    this.noteProblem(error, source);
    if (!this.emit('problem', error, source)) printProblem(error, source);
  }
}

/** Where problems come from that handlers of the user's have thrown. */
export const HANDLER = 'a handler';

/**
 * Writes a problem that has no listener to standard error; one of the user's code as such, but what a call that is over refuses it.
 * @param call where it is known
 */
export function printProblem(
  error: Error,
  source: string | undefined,
  call?: { readonly id: string; readonly signal: AbortSignal },
): void {
  const isCode = !(error instanceof VoicebotError) || (source === HANDLER && !call?.signal.aborted);
  if (isCode) reportException(`pipeline: ${source ?? 'a processor'} failed`, error, { callId: call?.id });
  else console.error(`${source ?? 'pipeline'}: ${error.message}${hintOf(error)}`);
}

const hintOf = ({ hint }: VoicebotError) => (hint ? `\n  ${hint}` : '');

/** The end of a pipeline: shows every frame that passes to its task. */
class PipelineEnd extends FrameProcessor {
  constructor(private readonly onFrame: (frame: Frame, direction: FrameDirection) => void) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    this.push(frame, direction);
    this.onFrame(frame, direction);
  }
}
