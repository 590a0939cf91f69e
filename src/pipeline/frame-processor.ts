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

/**
 * One step of a pipeline. Override {@link process}; whatever it does not {@link push} on stops here.
 *
 * Frames of one direction are handled one after another. While `process` returns nothing the next frame follows in
 * the same turn of the event loop; when it returns a promise, later data and control frames wait for it and system
 * frames overtake them. A throw or a rejection becomes an {@link ErrorFrame} that travels upstream.
 */
export abstract class FrameProcessor {
  readonly #downstream = new FrameQueue();
  readonly #upstream = new FrameQueue();
  #previous: FrameProcessor | undefined;
  #next: FrameProcessor | undefined;
  #state: 'new' | 'started' | 'cancelled' = 'new';
  #work: AbortController | undefined;
  #interruptions = 0;

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

  /** Gives back what the processor holds, once, after the pipeline has ended. */
  cleanup(): void | Promise<void> {}

  /** Aborted by the next interruption or cancellation. Take it when work starts and stop the work when it aborts. */
  protected get signal(): AbortSignal {
    this.#work ??= new AbortController();
    if (this.#state === 'cancelled') this.#work.abort();
    return this.#work.signal;
  }

  /** Hands a frame to the neighbour in `direction`. At the end of the pipeline it goes nowhere. */
  protected push(frame: Frame, direction: FrameDirection = 'downstream'): void {
    (direction === 'downstream' ? this.#next : this.#previous)?.receive(frame, direction);
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
    if (this.#state === 'cancelled') return;
    const queue = direction === 'downstream' ? this.#downstream : this.#upstream;
    if (queue.isBusy || !queue.isEmpty || this.#state === 'new') {
      queue.push(frame);
      return;
    }
    this.#run(queue, frame, direction);
    if (!queue.isEmpty) this.#drain(queue, direction);
  }

  /** Puts `next` behind this processor. For pipelines and tests. */
  link(next: FrameProcessor): void {
    this.#next = next;
    next.#previous = this;
  }

  #receiveSystem(frame: SystemFrame, direction: FrameDirection): void {
    if (frame instanceof InterruptionFrame) this.#dropWork();
    if (frame instanceof CancelFrame) {
      this.#state = 'cancelled';
      this.#downstream.clear();
      this.#upstream.clear();
      this.#work?.abort();
    }
    const done = this.#attempt(frame, direction);
    if (!(frame instanceof StartFrame)) return;
    if (done) void done.then(() => this.#start());
    else this.#start();
  }

  #start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'started';
    this.#drain(this.#downstream, 'downstream');
    this.#drain(this.#upstream, 'upstream');
  }

  #dropWork(): void {
    this.#downstream.dropInterruptible();
    this.#upstream.dropInterruptible();
    this.#interruptions += 1;
    this.#work?.abort();
    this.#work = undefined;
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
    const interruptions = this.#interruptions;
    try {
      return this.process(frame, direction)?.catch((error: unknown) => this.#fail(error, interruptions));
    } catch (error) {
      this.#fail(error, interruptions);
      return undefined;
    }
  }

  #fail(error: unknown, interruptionsBefore: number): void {
    const wasAborted = this.#interruptions > interruptionsBefore || this.#state === 'cancelled';
    if (wasAborted && (error as Error | undefined)?.name === 'AbortError') return;
    const cause = error instanceof Error ? error : new Error(String(error));
    this.push(new ErrorFrame(cause, false, this.name), 'upstream');
  }
}
