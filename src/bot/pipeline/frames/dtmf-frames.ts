import type { DtmfDigit } from '../../../base/audio/dtmf-digit.js';
import { DataFrame } from './frame.js';

/** The caller pressed a key. Kept by interruptions, because the next key may already be waiting when the first interrupts. */
export class DtmfFrame extends DataFrame {
  /** Set by what acts on the key, a `listen` or a conversation, so that it counts once. What finds it set leaves the key alone. */
  isTaken = false;

  constructor(readonly digit: DtmfDigit) {
    super();
  }

  override get isInterruptible(): boolean {
    return false;
  }
}

/** Keys the bot presses: sent when the caller has heard what was said before. Dropped by an interruption, as speech is. */
export class OutputDtmfFrame extends DataFrame {
  /** @param digits 1 to 64 of `0-9 * # A-D`; in a room at most 20 */
  constructor(readonly digits: string) {
    super();
  }
}
