import { FrameProcessor } from './frame-processor.js';
import type { Frame, FrameDirection } from './frames/index.js';

/** The end of a pipeline: shows every frame that passes to its task. */
export class PipelineEnd extends FrameProcessor {
  constructor(private readonly onFrame: (frame: Frame, direction: FrameDirection) => void) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    this.push(frame, direction);
    this.onFrame(frame, direction);
  }
}
