import { once } from 'node:events';
import { PhoneClient } from '../../../src/sandbox/network/phone-client.js';
import { toneIn } from './tones.js';

/** While the bots of one runner were heard. Milliseconds of the monotonic clock of this process. */
export interface Stretch {
  readonly runner: number;
  readonly fromMs: number;
  toMs: number;
}

/** What a caller has lived through. Milliseconds of the monotonic clock of this process. */
export interface CallStory {
  readonly startedMs: number;
  readonly answeredMs: number | undefined;
  readonly endedMs: number;
  /** Whether somebody else ended it before its time. */
  readonly isCut: boolean;
  /** What the carrier said of the end. */
  readonly cause: string;
  /** Hops of the call that failed, as the network tells them to a person. */
  readonly problems: readonly string[];
  /** In their order; between two of them there was a silence, or another runner's bot came. */
  readonly heard: readonly Stretch[];
}

export interface CallerOptions {
  readonly sandboxUrl: string;
  readonly phoneToken: string;
  readonly from: string;
  readonly to: string;
  /** How long the caller listens to a bot, in milliseconds from its first sound. */
  readonly listensMs: number;
  /** How long the caller bears silence, in milliseconds, before hanging up. */
  readonly patienceMs: number;
  /** While true, the caller listens on. */
  readonly stays?: (() => boolean) | undefined;
  /** Told of the first sound of a bot. */
  readonly onGreeted?: (() => void) | undefined;
}

/** Shorter gaps are a frame that came late, and no silence, in milliseconds. */
export const GAP_MS = 100;
const LOOK_EVERY_MS = 100;
const SILENCE = new Uint8Array(160).fill(0xff);

/** Somebody with a telephone, who listens for a while and hangs up; never while there is silence, unless it takes too long. */
export class Caller {
  readonly #heard: Stretch[] = [];
  #answeredMs: number | undefined;
  #hungUp = false;
  #lastSoundMs = performance.now();

  /** One call from its beginning to its end. */
  static call(options: CallerOptions): Promise<CallStory> {
    return new Caller(options).#call();
  }

  private constructor(private readonly options: CallerOptions) {}

  async #call(): Promise<CallStory> {
    const { sandboxUrl: url, phoneToken: token, from, to } = this.options;
    const exchange = (frame: Uint8Array) => this.#listen(frame);
    const phone = await PhoneClient.connect({ url, token, exchange });
    phone.once('answered', () => {
      this.#answeredMs = performance.now();
    });
    const problems: string[] = [];
    phone.on('progress', ({ ok, text }) => ok || problems.push(text));
    const ended = once(phone, 'ended') as Promise<Parameters<Parameters<typeof phone.once<'ended'>>[1]>>;
    const startedMs = performance.now();
    this.#lastSoundMs = startedMs;
    phone.dial({ from, to });
    const timer = setInterval(() => this.#isDone() && this.#hangUp(phone), LOOK_EVERY_MS);
    const [{ cause }] = await ended;
    clearInterval(timer);
    const endedMs = performance.now();
    await phone.close();
    const [answeredMs, isCut, heard] = [this.#answeredMs, !this.#hungUp, this.#heard];
    return { startedMs, answeredMs, endedMs, isCut, cause, problems, heard };
  }

  #listen(frame: Uint8Array): Uint8Array {
    const runner = toneIn(frame);
    if (runner === undefined) return SILENCE;
    const now = performance.now();
    const last = this.#heard.at(-1);
    if (!last) this.options.onGreeted?.();
    if (last?.runner === runner && now - last.toMs <= GAP_MS) last.toMs = now;
    else this.#heard.push({ runner, fromMs: now, toMs: now });
    this.#lastSoundMs = now;
    return SILENCE;
  }

  #isDone(): boolean {
    const { listensMs, patienceMs, stays = () => false } = this.options;
    const silentMs = performance.now() - this.#lastSoundMs;
    const [first] = this.#heard;
    const isTime = first !== undefined && performance.now() - first.fromMs >= listensMs;
    return (isTime && !stays() && silentMs <= GAP_MS) || silentMs > patienceMs;
  }

  #hangUp(phone: PhoneClient): void {
    if (this.#hungUp) return;
    this.#hungUp = true;
    phone.hangUp();
  }
}
