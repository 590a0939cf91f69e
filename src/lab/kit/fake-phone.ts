import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import { decodeMulaw, encodeMulaw } from '../../base/audio/mulaw.js';
import { type OptionNames, refuseUnknownOptions } from '../../base/names/option-names.js';
import type { CallDirection } from '../../call/call.js';
import type { PhoneProgress } from '../../call/phone-messages.js';
import type { BotFunction } from '../../call/runner-arguments.js';
import { type CarrierName, DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import { newAccountAt } from '../../sandbox/extension-side.js';
import { PhoneClient } from '../../sandbox/network/phone-client.js';
import { startSandbox } from '../../sandbox/sandbox.js';
import { serveBot } from './serve-bot.js';
import { onceDialled, TestPhone } from './test-phone.js';
import type { DecideTransfer } from './transfer-stage.js';

/** Who calls the bot of a test, and what becomes of transfers. */
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
   * to a destination that says nothing until the phone hangs up; otherwise the caller is back with the bot at once. Default: every
   * transfer is refused with VB_TRANSFER_FAILED.
   */
  transfer?: DecideTransfer;
  /** Whose wire the call goes over: one of voicebot's carriers, or one that `useExtension` has brought. Default `plivo`. */
  carrier?: CarrierName;
}

const OPTIONS: OptionNames<FakePhoneOptions> = {
  from: true,
  direction: true,
  body: true,
  query: true,
  transfer: true,
  carrier: true,
};

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
export class FakePhone extends TestPhone {
  #client: PhoneClient | undefined;

  /**
   * Calls the bot; resolves when it was answered.
   * @throws VoicebotError VB_CONFIG_INVALID naming every option that is not known
   */
  static override async call(bot: BotFunction, options: FakePhoneOptions = {}): Promise<FakePhone> {
    refuseUnknownOptions(options, OPTIONS);
    const phone = new FakePhone();
    return onceDialled(phone, phone.#dial(bot, options));
  }

  override press(digit: DtmfDigit): void {
    this.#client?.press(digit);
  }

  override hangUp(): void {
    this.#client?.hangUp();
  }

  async #dial(
    bot: BotFunction,
    {
      from = '+12025550199',
      direction = 'inbound',
      body = {},
      query = {},
      transfer,
      carrier = DEFAULT_CARRIER,
    }: FakePhoneOptions,
  ): Promise<void> {
    const served = await serveBot(bot, { direction, body, query, transfer, carrier });
    this.closeLater(() => served.close());
    const { publicKey: _, ...account } = { ...(await newAccountAt(carrier)), phoneToken: 'test' };
    const { answerUrl, hangupUrl } = served;
    const sandbox = await startSandbox({ carrier, ...account, answerUrl, hangupUrl });
    this.closeLater(() => sandbox.close());
    const client = await PhoneClient.connect({
      url: sandbox.url,
      token: account.phoneToken,
      exchange: (heard) => encodeMulaw(this.exchange(decodeMulaw(heard))),
    });
    this.#client = client;
    this.closeLater(() => client.close());
    client.on('progress', (line) => this.#noteKeys(line));
    client.once('ended', ({ durationMs }) => {
      const { error, endReason: reason } = served;
      this.settleEnd({ durationMs, reason, ...(error && { botError: error }) });
    });
    const answered = new Promise<void>((resolve) =>
      client.once('answered', () => {
        this.forget(); // the ringing tone
        resolve();
      }),
    );
    client.dial({ from, to: sandbox.number });
    await Promise.race([answered, this.ended]);
  }

  /** The tones are too close together for a detector to tell a key that is pressed twice. */
  #noteKeys({ hop, text }: PhoneProgress): void {
    if (hop === 'dtmf') this.notePressed(text.replace('the bot presses', '').replaceAll(' ', ''));
  }
}
