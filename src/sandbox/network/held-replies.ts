import { FRAME_MS } from '../../base/audio/frame.js';

/**
 * What a phone on a bad line says: some replies go out late, in the order of the frames they answer. The frames that the phone
 * hears are the clock.
 */
export class HeldReplies {
  readonly #waiting: { readonly said: Uint8Array; readonly dueAt: number }[] = [];
  #framesHeard = 0;

  /** @param holdMs by how much the next reply is late, in milliseconds of call time */
  constructor(
    private readonly send: (said: Uint8Array) => void,
    private readonly holdMs: () => number = () => 0,
  ) {}

  /** The reply to the frame that was heard now; sends those whose time has come. */
  push(said: Uint8Array): void {
    const now = this.#framesHeard++;
    this.#waiting.push({ said, dueAt: now + Math.round(this.holdMs() / FRAME_MS) });
    this.#sendWhile((dueAt) => dueAt <= now);
  }

  /** Sends all replies, as no more frames are heard. */
  flush(): void {
    this.#sendWhile(() => true);
  }

  #sendWhile(isDue: (dueAt: number) => boolean): void {
    for (let [first] = this.#waiting; first && isDue(first.dueAt); [first] = this.#waiting) {
      this.send(first.said);
      this.#waiting.shift();
    }
  }
}
