import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import type { PhoneNotice, RingOutcome } from '../../call/phone-messages.js';

/** The network's side of a telephone. It has no clock: the network's ticks drive it. */
export interface Phone {
  /**
   * Plays 20 ms of mu-law (160 bytes) to its ear; `reply` gets the 20 ms it says meanwhile, once, now or a little
   * later, in the order of the calls.
   */
  exchange(heard: Uint8Array, reply: (said: Uint8Array) => void): void;
  notify(notice: PhoneNotice): void;
}

/** A phone's access to its call. */
export interface CallHandle {
  readonly signal: AbortSignal;
  /** Resolves after `ms` of call time or when the call is over. */
  wait(ms: number): Promise<void>;
  press(digit: DtmfDigit): void;
  /** The words of what the phone has just said. */
  spoke(text: string): void;
  hangUp(): void;
}

/** A phone that can be called. */
export interface Callee extends Phone {
  /** Whether a machine answers, as the carrier's detection will find out. */
  readonly isMachine: boolean;
  /** Rings until it has decided. */
  ring(call: CallHandle): Promise<RingOutcome>;
}
