/** How the far end of a wire takes audio. All in milliseconds. */
export interface Pace {
  /** How far ahead of the caller's ear audio is released: enough to ride out jitter, little to take back. */
  readonly leadMs: number;
  /**
   * The same for audio that arrives frame by frame. After a stall it comes in a burst, and is late by that much wherever
   * it waits until it has caught up: the far end may hold it as well as we, and we need no timer for each frame.
   */
  readonly liveLeadMs: number;
  /** By how much a frame may be late and the next one still keep its place, because the far end bridges the gap. */
  readonly bridgedMs: number;
  /** How long released audio takes to be heard where the far end acknowledges no marks. */
  readonly transitMs: number;
  /** How long it takes from when it is due, as the recording of a call has it. Default 0. */
  readonly heardAfterMs?: number;
  /** False where it is known that no mark is ever acknowledged. */
  readonly acknowledges: boolean;
}

/** A carrier holds what it is sent in a queue, plays it in real time, and may acknowledge marks. */
export const CARRIER_PACE: Pace = { leadMs: 100, liveLeadMs: 200, bridgedMs: 0, transitMs: 0, acknowledges: true };

/** The wire side of a playout. What was played comes back through {@link Playout.markPlayed}. */
export interface PlayoutWire {
  /** Sends one frame of exactly {@link FRAME_MS}. */
  sendAudio(pcm: Int16Array): void;
  sendMark(name: string): void;
  sendClear(): void;
  /** True while the peer does not take what was sent; nothing more is released then. */
  isCongested(): boolean;
  /** How often what was just sent was lost on the way. Default: never, or the wire is over then. */
  readonly breaks?: number;
}
