import { DataFrame } from './frame.js';

/** Words of the caller that will not change any more. Kept by interruptions: these words may be what interrupts. */
export class TranscriptionFrame extends DataFrame {
  /** @param endsUtterance the provider has heard the caller stop */
  constructor(
    readonly text: string,
    readonly endsUtterance = false,
  ) {
    super();
  }

  override get isInterruptible(): boolean {
    return false;
  }
}

/** What the caller seems to be saying since the last final words; replaced by the next of these or by the final ones. */
export class InterimTranscriptionFrame extends DataFrame {
  constructor(readonly text: string) {
    super();
  }

  override get isInterruptible(): boolean {
    return false;
  }
}
