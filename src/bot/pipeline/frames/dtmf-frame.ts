import type { DtmfDigit } from '../../../base/audio/dtmf-digit.js';
import { DataFrame } from './frame.js';

/** The caller pressed a key. Kept by interruptions, because the next key may already be waiting when the first interrupts. */
export class DtmfFrame extends DataFrame {
  constructor(readonly digit: DtmfDigit) {
    super();
  }

  override get isInterruptible(): boolean {
    return false;
  }
}
