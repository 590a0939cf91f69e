/** Most frames that wait: as many as an uplink may deliver at once. */
const MAX_FRAMES = 10;
/** How long frames must have waited needlessly before they are dropped, in frames. */
const WINDOW = 50;

/**
 * Frames between a source that delivers one per tick, in bursts after a stall, and a sink that takes one per tick. The
 * backlog of a stall would delay the audio for good; so the buffer drops frames that it has not needed for a second.
 */
export class FrameBuffer {
  readonly #frames: Uint8Array[] = [];
  #taken = 0;
  #fewest = MAX_FRAMES;

  push(frame: Uint8Array): void {
    this.#frames.push(frame);
    if (this.#frames.length > MAX_FRAMES) this.#frames.shift();
  }

  /** The next frame, if there is one. */
  take(): Uint8Array | undefined {
    const frame = this.#frames.shift();
    this.#fewest = Math.min(this.#fewest, this.#frames.length);
    this.#taken += 1;
    if (this.#taken === WINDOW) {
      this.#frames.splice(0, this.#fewest);
      this.#taken = 0;
      this.#fewest = MAX_FRAMES;
    }
    return frame;
  }
}
