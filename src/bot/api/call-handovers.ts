import { operatorNumber } from '../../call/operator-number.js';
import type { TransferOutcome } from '../../call/transfer-outcome.js';
import type { Bridge, BridgeOptions, Joinable } from './bridge.js';
import type { CallLeg } from './call-leg.js';
import type { BesideCall, CallTransfers } from './call-transfers.js';
import { CallWishes } from './call-wishes.js';
import type { HoldOptions } from './hold-options.js';
import type { CallTransferOptions, ConsultOptions } from './transfer-options.js';

/** What a bot does with its caller and other people. */
export abstract class CallHandovers<Colleague extends BesideCall> extends CallWishes {
  /** Who is at the other end, on hold or joined with others. @internal */
  abstract readonly leg: CallLeg;

  /**
   * Connects the caller with another person, when everything said before has been heard; what they say meanwhile does not count. When it comes to
   * nothing they are with the bot again. With `warm` the bot holds the caller, has the other person briefed, and connects the two when that one
   * takes the call: the call goes on without the bot then, whose function may return. Otherwise the bot leaves the call when they answer.
   * @param to E.164, in a room also a `sip:` address where it is not `warm`; default `OPERATOR_NUMBER`, else the sandbox's operator
   * @returns what became of it; a transfer that is refused is told as `refused`
   * @throws VoicebotError VB_REQUEST_INVALID naming every option that is wrong or not known, and what the bot lacks for it; VB_CONFIG_INVALID
   *   for a text when the bot has no voice; what `onDeclined` throws
   */
  async transfer(to?: string, options: CallTransferOptions = {}): Promise<TransferOutcome> {
    const isWarm = options?.warm !== undefined;
    const outcome = await this.handovers().transfer(to ?? operatorNumber({ isWarm }), options);
    if (outcome.status === 'answered' && !options.warm) await this.hangUp();
    return outcome;
  }

  /**
   * The caller hears music, or another sound, in a loop, and neither what they say nor what they press reaches the bot, which can still speak to
   * them: the sound stops meanwhile. On hold already, they hear this sound from now on.
   * @throws VoicebotError VB_REQUEST_INVALID for an option that is wrong or not known, and for a caller who is joined with others; VB_WAV_INVALID
   *   for a file that cannot be read
   */
  async hold(options: HoldOptions = {}): Promise<void> {
    await this.handovers().hold(options);
  }

  /** The caller is with the bot again. Safe to call twice. */
  unhold(): void {
    this.leg.unhold();
  }

  /**
   * Dials another number beside the call, under the limits of every call that goes out. The caller is on hold meanwhile, and stays so when it is
   * answered; when it is not, or the other one hangs up, they are with the bot again, unless {@link hold} was called meanwhile. Their leaving ends
   * the ringing.
   * @param to E.164
   * @returns a call of its own, with the parts of the bot, `linkedTo` this one, which is hung up at the latest when this one is over; where it was
   *   not answered one that `isOver`, for the reason that its `ended` gives
   * @throws VoicebotError VB_REQUEST_INVALID naming every option that is wrong or not known; VB_WAV_INVALID; VB_STREAM_CLOSED when the call is over; VB_TRANSFER_FAILED
   *   where no runner serves it; VB_TARGET_REFUSED, VB_DIAL_LIMIT, and what the provider refuses it with: the caller is with the bot then
   */
  async consult(to: string, options: ConsultOptions = {}): Promise<Colleague> {
    return this.handovers().consult(to, options);
  }

  /**
   * Joins the caller with the other party of another call, or of up to three: they hear each other, and are not on hold any more. Where it fails
   * on the way none of them hears the others, and each is with the bot.
   * @throws VoicebotError VB_REQUEST_INVALID naming every option and every call that is wrong: the same call, one that is joined already, more
   *   than four parties; VB_STREAM_CLOSED where one of them is over; VB_CARRIER_UNSUPPORTED where their providers cannot be joined;
   *   VB_ROOMS_REQUEST_FAILED where the room does not confirm it; VB_TRANSFER_FAILED while a cold transfer goes on
   */
  async bridge(colleagues: Joinable | readonly Joinable[], options: BridgeOptions = {}): Promise<Bridge> {
    return this.handovers().bridge(colleagues, options);
  }

  abstract hangUp(): Promise<void>;

  /** @internal */
  protected abstract handovers(): CallTransfers<Colleague>;
}
