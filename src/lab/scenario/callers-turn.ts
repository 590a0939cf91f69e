import type { TimelineEvent } from '../../call/timeline.js';
import { type LineEar, PAUSE_MS, type Patience, TURN } from './line-ear.js';

/** Knows when it is the caller's turn: by what is heard, and by what the bot is at. */
export class CallersTurn {
  #functions = 0;
  /** When the last function returned to a bot that said nothing meanwhile. */
  #workedAtMs = 0;

  constructor(private readonly ear: LineEar) {}

  /** Something has happened in the call. */
  note({ type }: TimelineEvent): void {
    if (type === 'transfer_asked')
      this.ear.hold(true); // from now on a telephone rings
    else if (type === 'transfer_over') this.ear.hold(false);
    else if (type === 'tool_called') this.#functions += 1;
    else if (type === 'bot_done') this.#functions = 0;
    else if (type === 'tool_returned') {
      this.#functions = Math.max(0, this.#functions - 1);
      // The answer may be heard before it is known that the function has returned.
      if (this.ear.nowMs - this.ear.lastLoudMs >= PAUSE_MS) this.#workedAtMs = this.ear.nowMs;
    }
  }

  /** See {@link LineEar.isMyTurn}. What a bot says before its function has returned is no answer yet: "Let me look that up." */
  isNow(sinceMs: number, patience: Patience = TURN): boolean {
    const { afterNothingMs } = patience;
    if (this.#functions > 0) return this.ear.isMyTurn(sinceMs, { afterSpeechMs: afterNothingMs, afterNothingMs });
    return this.ear.isMyTurn(Math.max(sinceMs, this.#workedAtMs), patience);
  }
}
