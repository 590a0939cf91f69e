import { VoicebotError } from '../../base/errors.js';
import { refuseProblems } from '../../base/names/option-names.js';
import type { ConsultLeg, Handover } from '../../call/consult.js';
import { type FailedWarmTransfer, type TransferOutcome, transferRefusal } from '../../call/transfer-outcome.js';
import { type Language, languageOf } from '../pipeline/language.js';
import { notedTransfer } from '../transports/transfer-notes.js';
import { transferTarget } from '../transports/transfer-options.js';
import { Bridge, type BridgeOptions, type Joinable } from './bridge.js';
import type { BriefedCall } from './briefing.js';
import type { CallPipeline } from './call-pipeline.js';
import { type ConsultedCall, Consulting } from './consulting.js';
import { checkHold, type HoldOptions, holdSoundOf } from './hold-options.js';
import type { CallTransport } from './open-transport.js';
import type { Sound } from './sound.js';
import {
  type BotAbilities,
  type CallTransferOptions,
  type ConsultOptions,
  consultProblems,
  RING_SECONDS,
  transferProblems,
  warmProblems,
} from './transfer-options.js';
import { WarmTransfers } from './warm-transfer.js';
import type { WriteBrief } from './written-brief.js';

/** A call that can be placed beside another, briefed and joined. */
export type BesideCall = Joinable & BriefedCall & ConsultedCall;

export interface TransferScene<Colleague extends BesideCall> {
  readonly call: Joinable;
  readonly transport: CallTransport;
  readonly pipeline: Pick<CallPipeline, 'mute' | 'isOver' | 'endsFor' | 'language' | 'hasEars'>;
  readonly hasVoice: boolean;
  /** The model of the conversation; undefined while there is none. */
  writer(): WriteBrief | undefined;
  /** Makes a call of what the runner has placed. */
  open(leg: ConsultLeg): Promise<Colleague>;
  /** What became of one. */
  tell(outcome: TransferOutcome & { readonly to: string }): void;
}

/** Holds the caller of one call, and connects them with other people. */
export class CallTransfers<Colleague extends BesideCall> {
  readonly consulting: Consulting<Colleague>;
  readonly #warm: WarmTransfers;
  /** The last warm one. */
  #last: Promise<unknown> | undefined;

  constructor(private readonly scene: TransferScene<Colleague>) {
    const { call, pipeline, open } = scene;
    this.consulting = new Consulting(call.leg, open);
    this.#warm = new WarmTransfers({
      caller: call,
      consulting: this.consulting,
      language: (): Language => languageOf(pipeline.language),
      write: (prompt, signal) => (scene.writer() as WriteBrief)(prompt, signal),
    });
  }

  /** As `Call.hold`. */
  async hold(options: HoldOptions): Promise<void> {
    const sound = checkHold(options);
    const { leg } = this.scene.call;
    if (leg.isJoined) throw new VoicebotError('VB_REQUEST_INVALID', 'hold: the caller is joined with others');
    leg.hold(await holdSoundOf(sound));
  }

  /** As `Call.consult`. */
  async consult(to: string, options: ConsultOptions): Promise<Colleague> {
    refuseProblems(consultProblems(options), 'VB_REQUEST_INVALID');
    const destination = transferTarget(to, 'to');
    const { leg } = this.scene.call;
    const sound = await holdSoundOf(options.hold ?? 'music');
    if (!leg.isJoined) leg.hold(sound);
    let isReached = false;
    try {
      const colleague = await this.consulting.call(destination, options.ringSeconds ?? RING_SECONDS);
      isReached = !colleague.isOver;
      return colleague;
    } finally {
      if (!isReached) leg.unhold();
    }
  }

  /** As `Call.bridge`. */
  bridge(colleagues: Joinable | readonly Joinable[], options: BridgeOptions): Promise<Bridge> {
    return Bridge.of(this.scene.call, [colleagues].flat(), options);
  }

  /** As `Call.transfer`, but for leaving the call when the destination of a cold one has answered. */
  async transfer(to: string, options: CallTransferOptions): Promise<TransferOutcome> {
    refuseProblems(transferProblems(options, this.#abilities()), 'VB_REQUEST_INVALID');
    const { pipeline, call } = this.scene;
    const { announce, warm } = options;
    if (pipeline.isOver) return { status: 'caller_left' };
    if (warm) return this.connect(to, { announce, warm }).catch(transferRefusal);
    const unmute = pipeline.mute();
    try {
      if (typeof announce === 'string') await call.say(announce);
      const recorded = typeof announce === 'string' ? undefined : announce;
      return await this.connect(to, { announce: recorded }).catch(transferRefusal);
    } finally {
      unmute();
    }
  }

  /** @throws VoicebotError when the transfer is refused */
  connect(to: string, options: CallTransferOptions = {}): Promise<TransferOutcome> {
    const connected = this.#connect(to, options);
    if (options.warm) this.#last = connected.catch(() => undefined);
    return connected;
  }

  /** Resolves when the calls that were dialled beside this one are over, and it is told what became of a warm transfer. The call has ended. */
  async over(): Promise<void> {
    await this.consulting.over();
    await this.#last;
  }

  async #connect(to: string, { announce, warm }: CallTransferOptions): Promise<TransferOutcome> {
    const { transport, pipeline, call, tell } = this.scene;
    try {
      if (warm) refuseProblems(warmProblems(warm, this.#abilities()), 'VB_REQUEST_INVALID');
      this.#refuseAnother(to, warm !== undefined);
      const outcome = warm
        ? await notedTransfer(
            call.leg.timeline,
            to,
            this.#warm.transfer(transferTarget(to, 'to'), announce, warm),
            true,
          )
        : await transport.transfer(to, announce === undefined ? undefined : { announce: announce as Sound });
      if (outcome.status === 'answered') pipeline.endsFor('transferred');
      tell({ ...outcome, to });
      return outcome;
    } catch (error) {
      tell({ ...transferRefusal(error), to });
      throw error;
    }
  }

  /** Goes on with what an earlier bot was about to hand over. @returns why it came to nothing */
  takeOver(handover: Handover): Promise<FailedWarmTransfer | undefined> {
    return this.#warm.takeOver(handover);
  }

  #abilities(): BotAbilities {
    const { pipeline, hasVoice, writer } = this.scene;
    return { hasVoice, hasEars: pipeline.hasEars, hasModel: writer() !== undefined };
  }

  /** A warm one to the same number is joined. @throws VoicebotError VB_TRANSFER_FAILED */
  #refuseAnother(to: string, isWarm: boolean): void {
    const { goingTo } = this.#warm;
    if (goingTo !== undefined && !(isWarm && goingTo === transferTarget(to, 'to')))
      throw new VoicebotError('VB_TRANSFER_FAILED', 'another transfer is going on');
    if (this.scene.call.leg.isJoined) throw new VoicebotError('VB_TRANSFER_FAILED', 'the caller is joined with others');
  }
}
