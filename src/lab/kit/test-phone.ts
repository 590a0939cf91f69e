import { deferred } from '../../base/async/deferred.js';
import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import { FRAME_MS } from '../../base/audio/frame.js';
import { levelDb } from '../../base/audio/level.js';
import { VoicebotError } from '../../base/errors.js';
import type { EndReason } from '../../call/call.js';

const FRAME_SAMPLES = 160;
/** Louder than this counts as speech, in dBFS. */
const AUDIBLE_DB = -45;

/** How a call of a test ended. */
export interface CallEnd {
  /** What the bot threw, when it did. */
  readonly botError?: Error;
  /** Why the call is over, in the words of a runner's records. */
  readonly reason: EndReason;
  readonly durationMs: number;
}

/** A telephone in a test, on whatever network: 8000 Hz mono, one frame of 20 ms after the other, each way. */
export abstract class TestPhone implements AsyncDisposable {
  readonly #end = deferred<CallEnd>();
  /** Resolves when the call is over. */
  readonly ended: Promise<CallEnd> = this.#end.promise;
  readonly #heard: Int16Array[] = [];
  readonly #onFrame = new Set<() => void>();
  readonly #close: Array<() => Promise<void> | void> = [];
  #saying = new Int16Array(0);
  #isAudible = false;
  #pressed = '';

  protected constructor() {}

  /** Everything heard so far: 8000 Hz mono, 20 ms per frame of the call, silence included. */
  get heard(): Int16Array {
    const all = new Int16Array(this.#heard.length * FRAME_SAMPLES);
    for (const [index, frame] of this.#heard.entries()) all.set(frame, index * FRAME_SAMPLES);
    return all;
  }

  /** Whether something is audible right now. */
  get isHearing(): boolean {
    return this.#isAudible;
  }

  /** The keys the bot has pressed so far, such as `12#`. */
  get pressed(): string {
    return this.#pressed;
  }

  /** Presses a key. */
  abstract press(digit: DtmfDigit): void;

  /** Ends the call from this side. */
  abstract hangUp(): void;

  /** Speaks into the phone, after what it is still saying. @param pcm 8000 Hz mono */
  say(pcm: Int16Array): void {
    const rest = new Int16Array(this.#saying.length + pcm.length);
    rest.set(this.#saying);
    rest.set(pcm, this.#saying.length);
    this.#saying = rest;
  }

  /** Resolves when the bot is audible. @throws VoicebotError VB_DEADLINE_EXCEEDED */
  hears({ withinMs = 5_000 }: { withinMs?: number } = {}): Promise<void> {
    return this.#until(() => this.#isAudible, withinMs, 'nothing was heard');
  }

  /** Resolves when nothing has been audible for `forMs`. @throws VoicebotError VB_DEADLINE_EXCEEDED */
  hearsSilence({ forMs = 300, withinMs = 15_000 }: { forMs?: number; withinMs?: number } = {}): Promise<void> {
    const frames = Math.ceil(forMs / FRAME_MS);
    const isSilent = () =>
      this.#heard.length >= frames && this.#heard.slice(-frames).every((frame) => levelDb(frame) < AUDIBLE_DB);
    return this.#until(isSilent, withinMs, 'it did not become silent');
  }

  /** For `await using`: hangs up, and closes what belongs to the call. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#close.splice(0).reverse()) await close();
  }

  /** Has it closed when the phone is disposed of, before everything that was passed earlier. */
  protected closeLater(close: () => Promise<void> | void): void {
    this.#close.push(close);
  }

  /** The bot has pressed keys. */
  protected notePressed(keys: string): void {
    this.#pressed += keys;
  }

  /** The call is over. The first end counts. */
  protected settleEnd(end: CallEnd): void {
    this.#end.resolve(end);
  }

  /** What was heard so far was not the bot. */
  protected forget(): void {
    this.#heard.length = 0;
    this.#isAudible = false;
  }

  /** @param frame what is heard. @returns what is said meanwhile */
  protected exchange(frame: Int16Array): Int16Array {
    this.#heard.push(frame);
    this.#isAudible = levelDb(frame) >= AUDIBLE_DB;
    for (const check of this.#onFrame) check();
    const said = new Int16Array(FRAME_SAMPLES);
    said.set(this.#saying.subarray(0, FRAME_SAMPLES));
    this.#saying = this.#saying.slice(FRAME_SAMPLES);
    return said;
  }

  /** Waits by the frames of the call, so a slow machine does not make a test fail. */
  async #until(condition: () => boolean, withinMs: number, failure: string): Promise<void> {
    const limit = this.#heard.length + withinMs / FRAME_MS;
    let settle: (() => void) | undefined;
    const checked = new Promise<boolean>((resolve) => {
      settle = () => {
        if (condition()) resolve(true);
        else if (this.#heard.length >= limit) resolve(false);
      };
      this.#onFrame.add(settle);
      settle();
    });
    const over = this.ended.then(() => condition());
    const isMet = await Promise.race([checked, over]);
    if (settle) this.#onFrame.delete(settle);
    if (!isMet) throw new VoicebotError('VB_DEADLINE_EXCEEDED', `${failure} within ${withinMs} ms of the call`);
  }
}

/** The phone, once it has dialled; when that fails, what it has opened until then is closed. */
export async function onceDialled<Phone extends TestPhone>(phone: Phone, dialling: Promise<void>): Promise<Phone> {
  try {
    await dialling;
    return phone;
  } catch (error) {
    await phone[Symbol.asyncDispose]();
    throw error;
  }
}
