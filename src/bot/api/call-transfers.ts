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
  type WarmOptions,
  warmProblems,
} from './transfer-options.js';
import { WarmTransfers } from './warm-transfer.js';
import type { WriteBrief } from './written-brief.js';

/** A call that can be placed beside another, briefed and joined. */
export type BesideCall = Joinable & BriefedCall & ConsultedCall;

export interface TransferScene<Colleague extends BesideCall> {
  readonly call: Joinable;
  readonly transport: CallTransport;
  readonly pipeline: Pick<CallPipeline, 'mute' | 'isOver' | 'endsFor' | 'language' | 'hasEars' | 'report'>;
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
  #last: Promise<TransferOutcome> | undefined;
  /** Of the one that has connected the caller. */
  #answered: TransferOutcome | undefined;
  /** Cold ones that go on. */
  #cold = 0;
  /** How often the bot has put the caller on hold by itself. */
  #holds = 0;

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
    const sound = await holdSoundOf(checkHold(options));
    const { leg } = this.scene.call;
    if (leg.isJoined) throw new VoicebotError('VB_REQUEST_INVALID', 'hold: the caller is joined with others');
    this.#holds += 1;
    leg.hold(sound);
  }

  /** As `Call.consult`. */
  async consult(to: string, options: ConsultOptions): Promise<Colleague> {
    refuseProblems(consultProblems(options), 'VB_REQUEST_INVALID');
    const destination = transferTarget(to, 'to');
    const { leg } = this.scene.call;
    const sound = await holdSoundOf(options.hold ?? 'music');
    /** For these the caller is not on hold: the bot has taken them off it. */
    const others = leg.isHeld ? [] : this.consulting.open;
    if (!leg.isJoined) leg.hold(sound);
    const holds = this.#holds;
    let isReached = false;
    try {
      const colleague = await this.consulting.call(destination, options.ringSeconds ?? RING_SECONDS);
      isReached = !colleague.isOver;
      if (isReached) void colleague.leg.ended.then(() => holds === this.#holds && this.#takeOffHold(others));
      return colleague;
    } finally {
      if (!isReached) this.#takeOffHold(others);
    }
  }

  /** One who was consulted is not there. @param others for whom the caller is not on hold */
  #takeOffHold(others: readonly Colleague[]): void {
    const isHeldForMore =
      this.consulting.isCalling ||
      this.#warm.goingTo !== undefined ||
      this.consulting.open.some((open) => !others.includes(open));
    if (!isHeldForMore) this.scene.call.leg.unhold();
  }

  /** As `Call.bridge`. */
  async bridge(colleagues: Joinable | readonly Joinable[], options: BridgeOptions): Promise<Bridge> {
    if (this.#cold > 0) throw new VoicebotError('VB_TRANSFER_FAILED', 'the caller is being transferred');
    return Bridge.of(this.scene.call, [colleagues].flat(), options);
  }

  /** As `Call.transfer`, but for leaving the call when the destination of a cold one has answered. */
  async transfer(to: string, options: CallTransferOptions): Promise<TransferOutcome> {
    refuseProblems(transferProblems(options, this.#abilities()), 'VB_REQUEST_INVALID');
    const { pipeline, call } = this.scene;
    const { announce, warm } = options;
    if (pipeline.isOver) return { status: 'caller_left' };
    if (warm) return this.connect(to, { announce, warm }, rethrow);
    const unmute = pipeline.mute();
    this.#cold += 1;
    try {
      if (typeof announce === 'string') await call.say(announce);
      const recorded = typeof announce === 'string' ? undefined : announce;
      return await this.connect(to, { announce: recorded });
    } finally {
      this.#cold -= 1;
      unmute();
    }
  }

  /**
   * @param failed is told what `onDeclined` has thrown. Default: it is reported, and the call goes on
   * @returns what became of it, also where it is refused
   */
  async connect(to: string, options: CallTransferOptions = {}, failed = this.#report): Promise<TransferOutcome> {
    const before = this.#warm.goingTo;
    const connected = this.#connect(to, options);
    const isOwn = this.#warm.goingTo !== before; // it has begun: neither joined another one nor was refused
    if (!isOwn) return connected;
    this.#last = connected;
    const outcome = await connected;
    await this.#sayDeclined(options.warm?.onDeclined, outcome).catch(failed);
    return this.#answered ?? outcome; // another colleague may have taken the call
  }

  /** Resolves when the calls that were dialled beside this one are over, and it is told what became of a warm transfer. The call has ended. */
  async over(): Promise<void> {
    await this.consulting.over();
    await this.#last;
  }

  readonly #report = (thrown: unknown): void =>
    this.scene.pipeline.report(thrown instanceof Error ? thrown : new Error(String(thrown)));

  /** Never rejects. */
  async #connect(to: string, { announce, warm }: CallTransferOptions): Promise<TransferOutcome> {
    const { pipeline, tell } = this.scene;
    const outcome = await this.#carriedOut(to, announce, warm).catch(transferRefusal);
    if (outcome.status === 'answered') {
      this.#answered = outcome;
      pipeline.endsFor('transferred');
    }
    tell({ ...outcome, to });
    return outcome;
  }

  /** @throws VoicebotError when it is refused */
  async #carriedOut(
    to: string,
    announce: string | Sound | undefined,
    warm: WarmOptions | undefined,
  ): Promise<TransferOutcome> {
    const { transport, call } = this.scene;
    if (warm) refuseProblems(warmProblems(warm, this.#abilities()), 'VB_REQUEST_INVALID');
    this.#refuseAnother(to, warm !== undefined);
    if (warm)
      return notedTransfer(call.leg.timeline, to, this.#warm.transfer(transferTarget(to, 'to'), announce, warm), true);
    this.#cold += 1;
    try {
      const outcome = await transport.transfer(
        to,
        announce === undefined ? undefined : { announce: announce as Sound },
      );
      if (outcome.status !== 'answered' && !this.consulting.isCalling) call.leg.unhold(); // the carrier has taken them off it
      return outcome;
    } finally {
      this.#cold -= 1;
    }
  }

  async #sayDeclined(said: WarmOptions['onDeclined'], outcome: TransferOutcome): Promise<void> {
    if (outcome.status === 'answered' || outcome.status === 'caller_left') return;
    if (typeof said === 'function') await said(outcome);
    else if (said !== undefined) await this.scene.call.say(said);
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
    const isJoining = isWarm && goingTo === transferTarget(to, 'to');
    if (goingTo === undefined ? isWarm && this.#cold > 0 : !isJoining)
      throw new VoicebotError('VB_TRANSFER_FAILED', 'another transfer is going on');
    if (this.scene.call.leg.isJoined) throw new VoicebotError('VB_TRANSFER_FAILED', 'the caller is joined with others');
  }
}

const rethrow = (error: unknown): never => {
  throw error;
};
