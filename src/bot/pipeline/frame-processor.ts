import type { CallTimeline } from '../../call/timeline.js';
import { FrameQueue } from './frame-queue.js';
import {
  CancelFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InterruptionFrame,
  StartFrame,
  SystemFrame,
} from './frames/index.js';

/** What a processor holds: one shape for processors of every class, which JavaScript engines read much faster than fields of each class. */
class ProcessorState {
  readonly downstream = new FrameQueue();
  readonly upstream = new FrameQueue();
  previous: FrameProcessor | undefined = undefined;
  next: FrameProcessor | undefined = undefined;
  phase: 'new' | 'started' | 'cancelled' = 'new';
  work: AbortController | undefined = undefined;
  interruptions = 0;
  timeline: CallTimeline | undefined = undefined;
}

/**
 * One step of a pipeline. Override {@link process}; whatever it does not {@link push} on stops here.
 *
 * Frames of one direction are handled one after another. While `process` returns nothing the next frame follows in
 * the same turn of the event loop; when it returns a promise, later data and control frames wait for it and system
 * frames overtake them. A throw or a rejection becomes an {@link ErrorFrame} that travels upstream.
 */
export abstract class FrameProcessor {
  readonly #own = new ProcessorState();

  get name(): string {
    return this.constructor.name;
  }

  /**
   * Handles one frame. The default passes it on.
   * @param direction where the frame is heading
   */
  process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    this.push(frame, direction);
  }

  /** What the processor brings along into a pipeline of these, right behind itself. Asked once. @internal */
  companions(_all: readonly FrameProcessor[]): readonly FrameProcessor[] {
    return [];
  }

  /** Gives back what the processor holds, once, after the pipeline has ended. */
  cleanup(): void | Promise<void> {}

  /** Aborted by the next interruption or cancellation. Take it when work starts and stop the work when it aborts. */
  protected get signal(): AbortSignal {
    const own = this.#own;
    own.work ??= new AbortController();
    if (own.phase === 'cancelled') own.work.abort();
    return own.work.signal;
  }

  /** Where what happens in the call is noted; from the {@link StartFrame} on, where a runner has started the bot. */
  protected get timeline(): CallTimeline | undefined {
    return this.#own.timeline;
  }

  /** Hands a frame to the neighbour in `direction`. At the end of the pipeline it goes nowhere. */
  protected push(frame: Frame, direction: FrameDirection = 'downstream'): void {
    const { next, previous } = this.#own;
    (direction === 'downstream' ? next : previous)?.receive(frame, direction);
  }

  /** Tells every other processor of the pipeline. @param create called once for each direction */
  protected broadcast(create: () => SystemFrame): void {
    this.push(create(), 'upstream');
    this.push(create(), 'downstream');
  }

  /** Gives the caller the floor: interrupts this processor and every other one of the pipeline. */
  protected interrupt(): void {
    this.#dropWork();
    this.broadcast(() => new InterruptionFrame());
  }

  /** Takes a frame from a neighbour. For pipelines and tests; processors use {@link push}. */
  receive(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof SystemFrame) {
      this.#receiveSystem(frame, direction);
      return;
    }
    const { phase, downstream, upstream } = this.#own;
    if (phase === 'cancelled') return;
    const queue = direction === 'downstream' ? downstream : upstream;
    if (queue.isBusy || !queue.isEmpty || phase === 'new') {
      queue.push(frame);
      return;
    }
    this.#run(queue, frame, direction);
    if (!queue.isEmpty) this.#drain(queue, direction);
  }

  /** Puts `next` behind this processor. For pipelines and tests. */
  link(next: FrameProcessor): void {
    this.#own.next = next;
    next.#own.previous = this;
  }

  #receiveSystem(frame: SystemFrame, direction: FrameDirection): void {
    if (frame instanceof InterruptionFrame) this.#dropWork();
    if (frame instanceof CancelFrame) {
      const own = this.#own;
      own.phase = 'cancelled';
      own.downstream.clear();
      own.upstream.clear();
      own.work?.abort();
    }
    if (frame instanceof StartFrame) this.#own.timeline = frame.timeline;
    const done = this.#attempt(frame, direction);
    if (!(frame instanceof StartFrame)) return;
    if (done) void done.then(() => this.#start());
    else this.#start();
  }

  #start(): void {
    const own = this.#own;
    if (own.phase !== 'new') return;
    own.phase = 'started';
    this.#drain(own.downstream, 'downstream');
    this.#drain(own.upstream, 'upstream');
  }

  #dropWork(): void {
    const own = this.#own;
    own.downstream.dropInterruptible();
    own.upstream.dropInterruptible();
    own.interruptions += 1;
    own.work?.abort();
    own.work = undefined;
  }

  #drain(queue: FrameQueue, direction: FrameDirection): void {
    while (!queue.isBusy) {
      const frame = queue.shift();
      if (!frame) return;
      this.#run(queue, frame, direction);
    }
  }

  #run(queue: FrameQueue, frame: Frame, direction: FrameDirection): void {
    queue.isBusy = true;
    const done = this.#attempt(frame, direction);
    if (!done) {
      queue.isBusy = false;
      return;
    }
    void done.then(() => {
      queue.isBusy = false;
      this.#drain(queue, direction);
    });
  }

  /** Runs `process`; returns a promise that never rejects, or nothing when all is done. */
  #attempt(frame: Frame, direction: FrameDirection): Promise<void> | undefined {
    const { interruptions } = this.#own;
    try {
      return this.process(frame, direction)?.catch((error: unknown) => this.#fail(error, interruptions));
    } catch (error) {
      this.#fail(error, interruptions);
      return undefined;
    }
  }

  #fail(error: unknown, interruptionsBefore: number): void {
    const { interruptions, phase } = this.#own;
    const wasAborted = interruptions > interruptionsBefore || phase === 'cancelled';
    if (wasAborted && (error as Error | undefined)?.name === 'AbortError') return;
    const cause = error instanceof Error ? error : new Error(String(error));
    this.push(new ErrorFrame(cause, false, this.name), 'upstream');
  }
}
