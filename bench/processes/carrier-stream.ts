import type { MediaStream as SandboxStream, StreamEnd } from '../../src/sandbox/carrier/media-stream.js';
import type { StreamPlace } from './carrier.js';
import { dist } from './dist.js';

const { deferred } = await dist<typeof import('../../src/base/async/deferred.js')>('base/async/deferred.js');
const { quirksOf } = await dist<typeof import('../../src/sandbox/carrier/quirks.js')>('sandbox/carrier/quirks.js');
const { MediaStream } = await dist<typeof import('../../src/sandbox/carrier/media-stream.js')>(
  'sandbox/carrier/media-stream.js',
);
const { PlaybackQueue } = await dist<typeof import('../../src/sandbox/network/playback-queue.js')>(
  'sandbox/network/playback-queue.js',
);

export const FRAME_MS = 20;
/** Mu-law at 8000 Hz. */
const BYTES_PER_MS = 8;

/**
 * The carrier's end of one call's media stream, as the sandbox has it. What comes is taken at the moment in which it comes, not with the
 * next 20 ms of all calls, and is played in real time.
 */
export abstract class CarrierStream extends PlaybackQueue {
  readonly opened: Promise<void>;
  /** Rejects when the call ends. */
  protected readonly ended: Promise<never>;
  #stream: SandboxStream | undefined;
  #playedAt = 0;
  /** What has not been played yet. */
  readonly #marks = new Map<NodeJS.Timeout, (isPlayed: boolean) => void>();
  #cleared = deferred<number>();

  /** @param clockRate of the clock by which it plays, against ours */
  constructor(
    { face, call, verb }: StreamPlace,
    private readonly clockRate = 1,
  ) {
    super();
    const words = () => face.stream.open({ call, verb, quirks: quirksOf(call.serial) });
    const options = { verb, face: face.stream, words, playback: this, progress: () => {} };
    const connected = MediaStream.connect(options, call.signal);
    this.opened = connected.then((stream) => {
      this.#stream = stream;
    });
    this.ended = connected.then(({ closed }) => closed).then((end) => this.#close(end));
    this.ended.catch(() => {}); // only matters to those who wait for something else
  }

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  override get queuedBytes(): number {
    return 0;
  }

  override get pendingMarks(): number {
    return this.#marks.size;
  }

  /** Resolves with when the bot next drops what it was saying. */
  cleared(): Promise<number> {
    return Promise.race([this.#cleared.promise, this.ended]);
  }

  /** Sends 20 ms of audio. */
  abstract sendFrame(): void;

  async close(): Promise<void> {
    const stream = this.#stream;
    stream?.close();
    await stream?.closed;
  }

  override push(payload: Uint8Array): void {
    if (payload.length === 0) return;
    const now = performance.now();
    this.#playedAt = Math.max(this.#playedAt, now) + payload.length / BYTES_PER_MS / this.clockRate;
    this.hear(payload, now);
  }

  /** A mark comes back when all before it has been played. */
  override mark(settle: (isPlayed: boolean) => void): void {
    const played = () => {
      this.#marks.delete(timer);
      settle(true);
    };
    const timer = setTimeout(played, Math.max(0, this.#playedAt - performance.now()));
    this.#marks.set(timer, settle);
  }

  override clear(): void {
    const now = performance.now();
    this.#playedAt = now;
    for (const [timer, settle] of this.#marks) {
      clearTimeout(timer);
      settle(false);
    }
    this.#marks.clear();
    this.#cleared.resolve(now);
    this.#cleared = deferred();
  }

  /** When everything that has come will have been played, in monotonic milliseconds. */
  protected get playedAt(): number {
    return this.#playedAt;
  }

  /** 20 ms of mu-law have come. */
  protected abstract hear(payload: Uint8Array, now: number): void;

  /** @param frame 20 ms of mu-law */
  protected say(frame: Uint8Array): void {
    this.#stream?.sendAudio(frame);
  }

  protected press(digit: '1'): void {
    this.#stream?.sendDigit(digit);
  }

  #close({ code }: StreamEnd): never {
    this.#stream = undefined;
    for (const timer of this.#marks.keys()) clearTimeout(timer);
    throw new Error(`the call ended with ${code}`);
  }
}
