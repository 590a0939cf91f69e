import type { CallTimeline } from '../../../call/timeline.js';
import { DataFrame } from './frame.js';

/** Words of the caller that will not change any more. Kept by interruptions: these words may be what interrupts. */
export class TranscriptionFrame extends DataFrame {
  #isNoted = false;

  /** @param endsUtterance the vendor has heard the caller stop */
  constructor(
    readonly text: string,
    readonly endsUtterance = false,
  ) {
    super();
  }

  override get isInterruptible(): boolean {
    return false;
  }

  /** Notes the words in the call's timeline, once: for whatever takes them. @returns itself */
  notedIn(timeline: CallTimeline | undefined): this {
    if (timeline && !this.#isNoted && this.text !== '')
      timeline.note({ type: 'said', speaker: 'caller', text: this.text });
    this.#isNoted ||= timeline !== undefined;
    return this;
  }
}

/** What the caller seems to be saying since the last final words; replaced by the next of these or by the final ones. */
export class InterimTranscriptionFrame extends DataFrame {
  #isNoted = false;

  constructor(readonly text: string) {
    super();
  }

  override get isInterruptible(): boolean {
    return false;
  }

  /** Notes the words in the call's timeline, once: for whatever takes them. @returns itself */
  notedIn(timeline: CallTimeline | undefined): this {
    if (!this.#isNoted) timeline?.note({ type: 'interim_transcript', text: this.text });
    this.#isNoted ||= timeline !== undefined;
    return this;
  }
}

/** What speech to text that detects the ends of turns says of this one: that it is perhaps over, that it is, or that the caller goes on. */
export class EndOfTurnFrame extends DataFrame {
  constructor(readonly is: 'likely' | 'certain' | 'revoked') {
    super();
  }

  override get isInterruptible(): boolean {
    return false;
  }
}
