import { DataFrame } from './frame.js';

/** Keys the bot presses: sent when the caller has heard what was said before. Dropped by an interruption, as speech is. */
export class OutputDtmfFrame extends DataFrame {
  /** @param digits 1 to 64 of `0-9 * # A-D`; in a room at most 20 */
  constructor(readonly digits: string) {
    super();
  }
}
