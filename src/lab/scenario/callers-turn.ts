import type { TimelineEvent } from '../../call/timeline.js';
import { type LineEar, PAUSE_MS, type Patience, TURN } from './line-ear.js';

/** Knows when it is the caller's turn: by what is heard, and by what the bot is at. */
export class CallersTurn {
  #functions = 0;
  /** When the last function returned, or the bot was last cut off, with nothing said since: what it said before is no answer. */
  #owesSinceMs = 0;

  constructor(private readonly ear: LineEar) {}

  /** Something has happened in the call. */
  note(event: TimelineEvent): void {
    const { type } = event;
    if (type === 'transfer_asked')
      this.ear.hold(true); // from now on a telephone rings
    else if (type === 'transfer_over') this.ear.hold(false);
    else if (type === 'tool_called') this.#functions += 1;
    else if (type === 'bot_done') this.#functions = 0;
    else if (type === 'tool_returned') {
      this.#functions = Math.max(0, this.#functions - 1);
      // The answer may be heard before it is known that the function has returned.
      if (this.ear.nowMs - this.ear.lastLoudMs >= PAUSE_MS) this.#owesSinceMs = this.ear.nowMs;
    } else if (type === 'said' && event.speaker === 'bot' && event.wasInterrupted) this.#owesSinceMs = this.ear.nowMs;
  }

  /**
   * See {@link LineEar.isMyTurn}. What a bot says before its function has returned is no answer yet: "Let me look that up."; nor are words
   * of which it was cut off, such as those with which it went on before it had understood the caller.
   */
  isNow(sinceMs: number, patience: Patience = TURN): boolean {
    const { afterNothingMs } = patience;
    if (this.#functions > 0) return this.ear.isMyTurn(sinceMs, { afterSpeechMs: afterNothingMs, afterNothingMs });
    return this.ear.isMyTurn(Math.max(sinceMs, this.#owesSinceMs), patience);
  }
}
