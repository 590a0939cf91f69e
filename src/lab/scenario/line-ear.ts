import { FRAME_MS } from '../../base/audio/frame.js';
import { mulawLevelDb } from '../../base/audio/mulaw.js';
import { SILENT_AFTER_MS, SPEAKING_AFTER_MS, SPEAKING_DB } from '../../call/view/heard-sounds.js';

/** How long neither side may have said anything before the caller thinks the conversation is over, or that the bot waits for them. */
export const QUIET_MS = 5_000;
/** A bot that has spoken and is silent for so long has finished: pauses between its sentences are shorter. */
const TURN_AFTER_MS = 1_000;
/** What is heard without such a pause is the rest of what the bot was saying: it takes a moment to stop. */
export const PAUSE_MS = 200;

/** How long the bot has been silent when it is the caller's turn, in milliseconds. */
export interface Patience {
  /** A bot that has spoken. */
  readonly afterSpeechMs: number;
  /** A bot that has said nothing. */
  readonly afterNothingMs: number;
}

/** In the middle of a call. */
export const TURN: Patience = { afterSpeechMs: TURN_AFTER_MS, afterNothingMs: QUIET_MS };

/** Hears when the bot speaks. It has no clock but the line itself: 20 ms for each frame. */
export class LineEar {
  #isHeld = false;
  #frames = 0;
  #loudMs = 0;
  #lastLoudMs = Number.NEGATIVE_INFINITY;
  #isSpeaking = false;
  /** When something was last heard after a pause. */
  #resumedAtMs = Number.NEGATIVE_INFINITY;
  /** When the bot was last heard speaking; nothing while the call is held. */
  #spokeAtMs = Number.NEGATIVE_INFINITY;
  /** When the call was last held no more: what the bot said before is no answer to that. */
  #releasedAtMs = Number.NEGATIVE_INFINITY;

  /** Milliseconds heard so far. */
  get nowMs(): number {
    return this.#frames * FRAME_MS;
  }

  /** Whether the bot is speaking. */
  get isSpeaking(): boolean {
    return this.#isSpeaking;
  }

  /** When something was last heard, whatever it was, in milliseconds; negative infinity before. */
  get lastLoudMs(): number {
    return this.#lastLoudMs;
  }

  /** Whether what is heard now is not the bot: the music of a room provider that holds the call, or a telephone that rings. */
  hold(isHeld: boolean): void {
    if (this.#isHeld && !isHeld) this.#releasedAtMs = this.nowMs;
    this.#isHeld = isHeld;
    this.#loudMs = 0;
  }

  /** Whether the bot has finished what it had to say since then, or says nothing. */
  isMyTurn(sinceMs: number, { afterSpeechMs, afterNothingMs }: Patience = TURN): boolean {
    const fromMs = Math.max(sinceMs, this.#releasedAtMs);
    const quietMs = this.nowMs - Math.max(fromMs, this.#lastLoudMs);
    const hasSpoken = !this.#isHeld && this.#spokeAtMs > fromMs && this.#resumedAtMs >= sinceMs;
    return quietMs >= (hasSpoken ? afterSpeechMs : afterNothingMs);
  }

  /**
   * Hears the next 20 ms.
   * @param heard mu-law, 8000 Hz
   * @returns whether the bot begins or stops to speak; undefined when neither
   */
  hear(heard: Uint8Array): 'begins' | 'stops' | undefined {
    return this.#listen(mulawLevelDb(heard) > SPEAKING_DB);
  }

  /** The 20 ms are over. */
  tick(): void {
    this.#frames += 1;
  }

  #listen(isLoud: boolean): 'begins' | 'stops' | undefined {
    if (isLoud && this.nowMs - this.#lastLoudMs >= PAUSE_MS) this.#resumedAtMs = this.nowMs;
    if (isLoud) this.#lastLoudMs = this.nowMs;
    if (this.#isHeld) return undefined;
    this.#loudMs = isLoud ? this.#loudMs + FRAME_MS : 0;
    const isSpeaking = this.#isSpeaking
      ? this.nowMs - this.#lastLoudMs < SILENT_AFTER_MS
      : this.#loudMs >= SPEAKING_AFTER_MS;
    if (isSpeaking && isLoud) this.#spokeAtMs = this.nowMs;
    if (isSpeaking === this.#isSpeaking) return undefined;
    this.#isSpeaking = isSpeaking;
    return isSpeaking ? 'begins' : 'stops';
  }
}
