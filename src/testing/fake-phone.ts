import type { DtmfDigit } from '../audio/dtmf-digit.js';
import { levelDb } from '../audio/level.js';
import { decodeMulaw, encodeMulaw } from '../audio/mulaw.js';
import type { CallDirection, EndReason } from '../call/call.js';
import type { BotFunction } from '../call/runner-arguments.js';
import { VoicebotError } from '../errors.js';
import { PhoneClient, type PhoneProgress } from '../sandbox/network/phone-client.js';
import { startSandbox } from '../sandbox/sandbox.js';
import { serveBot } from './serve-bot.js';
import type { DecideTransfer } from './transfer-stage.js';

export interface FakePhoneOptions {
  /** The phone's own number, E.164: who calls the bot, or who was called by it. Default `+12025550199`. */
  from?: string;
  /** `outbound`: the bot takes the call for one that was dialled for it. Default `inbound`. */
  direction?: CallDirection;
  /** Custom data the bot finds as `args.body`. Default `{}`. */
  body?: Record<string, unknown>;
  /** Custom parameters the bot finds as `args.query`. Default `{}`. */
  query?: Readonly<Record<string, string>>;
  /**
   * Says what becomes of a transfer to the number `to` (E.164), and refuses it by throwing. On `answered` the caller talks
   * to somebody who says nothing until the phone hangs up; otherwise the caller is back with the bot at once. Default: every
   * transfer is refused with VB_TRANSFER_FAILED.
   */
  transfer?: DecideTransfer;
}

export interface CallEnd {
  /** What the bot threw, when it did. */
  readonly botError?: Error;
  /** Why the call is over, in the words of a runner's records. */
  readonly reason: EndReason;
  readonly durationMs: number;
}

const FRAME_SAMPLES = 160;
const SAMPLE_RATE = 8_000;
/** Louder than this counts as somebody speaking, in dBFS. */
const AUDIBLE_DB = -45;

/**
 * A telephone that calls a bot in a test: over the real carrier wire, on loopback, in real time, with no runner and no
 * account. Dispose of it to hang up and close everything.
 *
 * ```ts
 * await using phone = await FakePhone.call(bot);
 * await phone.hears();
 * phone.press('9');
 * await phone.ended;
 * ```
 */
export class FakePhone implements AsyncDisposable {
  /** Resolves when the call is over. */
  readonly ended: Promise<CallEnd>;
  #client: PhoneClient | undefined;
  readonly #heard: Int16Array[] = [];
  readonly #close: Array<() => Promise<void>> = [];
  #saying = new Int16Array(0);
  #isAudible = false;
  #pressed = '';
  #settleEnd!: (end: CallEnd) => void;
  readonly #onFrame = new Set<() => void>();

  /** Calls the bot; resolves when it was answered. */
  static async call(bot: BotFunction, options: FakePhoneOptions = {}): Promise<FakePhone> {
    const phone = new FakePhone();
    try {
      await phone.#dial(bot, options);
      return phone;
    } catch (error) {
      await phone[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor() {
    this.ended = new Promise((resolve) => {
      this.#settleEnd = resolve;
    });
  }

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
  press(digit: DtmfDigit): void {
    this.#client?.press(digit);
  }

  /** Speaks into the phone, after what it is still saying. @param pcm 8000 Hz mono */
  say(pcm: Int16Array): void {
    const rest = new Int16Array(this.#saying.length + pcm.length);
    rest.set(this.#saying);
    rest.set(pcm, this.#saying.length);
    this.#saying = rest;
  }

  hangUp(): void {
    this.#client?.hangUp();
  }

  /** Resolves when the bot is audible. @throws VoicebotError VB_DEADLINE_EXCEEDED */
  hears({ withinMs = 5_000 }: { withinMs?: number } = {}): Promise<void> {
    return this.#until(() => this.#isAudible, withinMs, 'nothing was heard');
  }

  /** Resolves when nothing has been audible for `forMs`. @throws VoicebotError VB_DEADLINE_EXCEEDED */
  hearsSilence({ forMs = 300, withinMs = 15_000 }: { forMs?: number; withinMs?: number } = {}): Promise<void> {
    const frames = Math.ceil(forMs / 20);
    const isSilent = () =>
      this.#heard.length >= frames && this.#heard.slice(-frames).every((frame) => levelDb(frame) < AUDIBLE_DB);
    return this.#until(isSilent, withinMs, 'it did not become silent');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#close.splice(0).reverse()) await close();
  }

  async #dial(
    bot: BotFunction,
    { from = '+12025550199', direction = 'inbound', body = {}, query = {}, transfer }: FakePhoneOptions,
  ): Promise<void> {
    const served = await serveBot(bot, { direction, body, query, transfer });
    this.#close.push(() => served.close());
    const account = { authId: 'MATESTTESTTESTTESTTE', authToken: 'test', phoneToken: 'test' };
    const sandbox = await startSandbox({ ...account, answerUrl: served.answerUrl, hangupUrl: served.hangupUrl });
    this.#close.push(() => sandbox.close());
    const client = await PhoneClient.connect({
      url: sandbox.url,
      token: account.phoneToken,
      exchange: (heard) => this.#exchange(heard),
    });
    this.#client = client;
    this.#close.push(() => client.close());
    client.on('progress', (line) => this.#noteKeys(line));
    client.once('ended', ({ durationMs }) => {
      const { error, endReason: reason } = served;
      this.#settleEnd({ durationMs, reason, ...(error && { botError: error }) });
    });
    const answered = new Promise<void>((resolve) =>
      client.once('answered', () => {
        this.#heard.length = 0; // the ringing tone is not the bot
        this.#isAudible = false;
        resolve();
      }),
    );
    client.dial({ from, to: sandbox.number });
    await Promise.race([answered, this.ended]);
  }

  /** The tones are too close together for a detector to tell a key that is pressed twice. */
  #noteKeys({ hop, text }: PhoneProgress): void {
    if (hop === 'dtmf') this.#pressed += text.replace('the bot presses', '').replaceAll(' ', '');
  }

  #exchange(heard: Uint8Array): Uint8Array {
    const frame = decodeMulaw(heard);
    this.#heard.push(frame);
    this.#isAudible = levelDb(frame) >= AUDIBLE_DB;
    for (const check of this.#onFrame) check();
    const said = new Int16Array(FRAME_SAMPLES);
    said.set(this.#saying.subarray(0, FRAME_SAMPLES));
    this.#saying = this.#saying.slice(FRAME_SAMPLES);
    return encodeMulaw(said);
  }

  /** Waits by the frames of the call, so a slow machine does not make a test fail. */
  async #until(condition: () => boolean, withinMs: number, failure: string): Promise<void> {
    const limit = this.#heard.length + (withinMs * SAMPLE_RATE) / 1_000 / FRAME_SAMPLES;
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
