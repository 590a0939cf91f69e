import type { Frame, FrameDirection } from '../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../src/bot/pipeline/index.js';

/** Passes everything on and keeps what it saw. */
export class Recorder extends FrameProcessor {
  readonly seen: Array<{ frame: Frame; direction: FrameDirection }> = [];

  override process(frame: Frame, direction: FrameDirection): void {
    this.seen.push({ frame, direction });
    this.push(frame, direction);
  }

  /** What came downstream of one kind. */
  of<T extends Frame>(kind: abstract new (...args: never[]) => T): T[] {
    return this.seen.flatMap(({ frame }) => (frame instanceof kind ? [frame] : []));
  }
}
