import type { FrameProcessor } from './frame-processor.js';

/** Processors in the order the caller's audio meets them: input first, output near the end. */
export class Pipeline {
  readonly processors: readonly FrameProcessor[];

  constructor(processors: readonly FrameProcessor[]) {
    this.processors = processors.flatMap((one) => [one, ...one.companions(processors)]);
  }
}
