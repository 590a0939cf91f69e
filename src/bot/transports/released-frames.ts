/** How far back released audio is kept, in milliseconds: more than the far end holds, and a long word before it. */
const KEPT_MS = 2_000;

/** The last frames that have gone out: what of them was not heard may be sent again. */
export class ReleasedFrames {
  #frames: Int16Array[] = [];

  constructor(private readonly frameMs: number) {}

  add(frame: Int16Array): void {
    this.#frames.push(frame);
    if (this.#frames.length > KEPT_MS / this.frameMs) this.#frames.shift();
  }

  /** Takes back the frames of the last `ms` milliseconds, as far as they are kept, in order. */
  takeBack(ms: number): Int16Array[] {
    const count = Math.min(this.#frames.length, Math.ceil(ms / this.frameMs));
    return count > 0 ? this.#frames.splice(-count) : [];
  }

  clear(): void {
    this.#frames = [];
  }
}
