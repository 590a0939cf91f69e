/** Towards the caller's ear (`downstream`: input to output) or back towards the source. */
export type FrameDirection = 'downstream' | 'upstream';

/**
 * What travels through a pipeline. Data and control frames keep their order per direction; a {@link SystemFrame}
 * overtakes them and is handled at once, even while a processor is busy with an earlier frame.
 */
export abstract class Frame {
  /** Whether an interruption removes this frame from the queues it waits in. */
  get isInterruptible(): boolean {
    return true;
  }
}

/** Overtakes data and control frames. Never queued, so never dropped by an interruption. */
export abstract class SystemFrame extends Frame {
  override get isInterruptible(): boolean {
    return false;
  }
}

/** Content: audio, text, key presses. */
export abstract class DataFrame extends Frame {}

/** Ordered with the content it follows, such as "the end". Survives interruptions. */
export abstract class ControlFrame extends Frame {
  override get isInterruptible(): boolean {
    return false;
  }
}
