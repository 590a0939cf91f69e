import type { CallTimeline } from '../../../call/timeline.js';
import { SystemFrame } from './frame.js';

/**
 * From here on another language is spoken. Put in at the head of a pipeline it is obeyed by every part: ears listen for that language
 * anew from the caller's last final words on, the voice speaks it from the next sentence on, a conversation says in it what it says by
 * itself, and tells the model. A service that was given a language of its own keeps it.
 */
export class SpeechLanguageFrame extends SystemFrame {
  #isNoted = false;

  /**
   * @param language a well-formed BCP 47 tag, such as `es-MX`
   * @param from the one before, where there was one
   */
  constructor(
    readonly language: string,
    readonly from?: string,
  ) {
    super();
  }

  /** Notes the change in the call's timeline, once. @internal */
  notedIn(timeline: CallTimeline | undefined): void {
    if (!this.#isNoted)
      timeline?.note({ type: 'language_changed', language: this.language, ...(this.from && { from: this.from }) });
    this.#isNoted ||= timeline !== undefined;
  }
}
