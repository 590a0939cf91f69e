import { SILENCE } from './frame.js';

/** Replies later than this many ticks are replaced by silence. */
const MAX_FRAMES_LATE = 10;

/**
 * Puts a phone's audio back on the network's clock: exactly one frame per tick, in the order of the ticks. A reply
 * that is up to 200 ms late is waited for, so that a short stall of the phone loses nothing; a later one is replaced
 * by silence and thrown away when it comes.
 */
export class Uplink {
  #owed = 0;
  #replaced = 0;

  constructor(private readonly send: (frame: Uint8Array) => void) {}

  /** To be called once per tick, before the phone is asked for its frame. */
  tick(): void {
    if (this.#owed < MAX_FRAMES_LATE) {
      this.#owed += 1;
      return;
    }
    this.#replaced += 1;
    this.send(SILENCE);
  }

  /** The phone's reply to the oldest tick it has not answered. */
  said(frame: Uint8Array): void {
    if (this.#replaced > 0) {
      this.#replaced -= 1;
    } else {
      this.#owed -= 1;
      this.send(frame);
    }
  }
}
