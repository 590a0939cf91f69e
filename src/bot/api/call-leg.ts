import { deferred } from '../../base/async/deferred.js';
import type { BotEndReason, EndReason } from '../../call/call.js';
import type { CallRunnerLink } from '../../call/runner-link.js';
import type { CallTimeline } from '../../call/timeline.js';
import { type DtmfFrame, TranscriptionFrame } from '../pipeline/frames/index.js';
import type { FrameProcessor } from '../pipeline/index.js';
import type { LoopedSound } from '../transports/looped-sound.js';
import type { Party } from '../transports/party.js';
import type { CallPipeline } from './call-pipeline.js';

/** The other party of a call, as those who hold them and join them with others have it. */
export interface CallLegOptions {
  readonly party: Party;
  readonly pipeline: CallPipeline;
  readonly runner: CallRunnerLink | undefined;
}

/** Who follows what is said and pressed in a call that is joined with others. */
export interface LegListener {
  heard(frame: DtmfFrame | TranscriptionFrame): void;
}

/** The other party of a call: on hold, joined with others, or with the bot. @internal */
export class CallLeg {
  readonly #left = deferred<void>();
  /** What the bot hears again when neither a hold nor others keep it from that. */
  #unmute: (() => void) | undefined;
  #isHeld = false;
  #isJoined = false;
  #isLeft = false;
  #listener: LegListener | undefined;

  /** @param call `number`: of the other party, E.164 or a `sip:` address */
  constructor(
    private readonly call: { readonly id: string; readonly number: string },
    private readonly options: CallLegOptions,
  ) {}

  get id(): string {
    return this.call.id;
  }

  get number(): string {
    return this.call.number;
  }

  get party(): Party {
    return this.options.party;
  }

  get runner(): CallRunnerLink | undefined {
    return this.options.runner;
  }

  get timeline(): CallTimeline | undefined {
    return this.options.runner?.timeline;
  }

  get isOver(): boolean {
    return this.options.pipeline.isOver;
  }

  get signal(): AbortSignal {
    return this.options.pipeline.signal;
  }

  /** Resolves when the call is over, with the reason. Never rejects. */
  get ended(): Promise<EndReason> {
    return this.options.pipeline.over;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  get isJoined(): boolean {
    return this.#isJoined;
  }

  /** The bot has left the parties to each other: its function may return, and the call goes on. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Resolves when the bot has left. */
  get left(): Promise<void> {
    return this.#left.promise;
  }

  /** They hear this; undefined: silence. Held already, they hear it in place of what they heard; joined with others, they are not held. */
  hold(sound: LoopedSound | undefined): void {
    if (this.isOver || this.#isJoined) return;
    this.#isHeld = true;
    this.#attend(false);
    this.party.hold(sound);
  }

  /** They are with the bot again. Safe to call twice. */
  unhold(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.party.unhold();
    if (!this.#isJoined) this.#attend(true);
  }

  /** They hear others now. @param listener is told what they say, for a bot that listens */
  join(listener: LegListener | undefined): void {
    this.#isJoined = true;
    this.#listener = listener;
    this.#attend(false, listener !== undefined);
  }

  /** They are with the bot alone. */
  part(): void {
    if (!this.#isJoined) return;
    this.#isJoined = false;
    this.#listener = undefined;
    if (!this.#isHeld) this.#attend(true);
  }

  /** The bot neither listens nor speaks any more. What the record says, however the call ends. */
  leave(): void {
    this.#isLeft = true;
    this.#listener = undefined;
    this.party.listen(false);
    this.options.pipeline.endsFor('transferred');
    this.#left.resolve();
  }

  /** Ends the call when everything said so far has been heard. */
  end(reason: BotEndReason): void {
    this.options.pipeline.end(reason);
  }

  /** What is heard in the call. */
  heard(frame: DtmfFrame | TranscriptionFrame): void {
    this.#listener?.heard(frame);
  }

  /** Puts a processor where the bot hears the party, once: for a call without a conversation. */
  watch(processor: FrameProcessor): void {
    this.options.pipeline.fill([processor], []);
  }

  /** @param isListening the ears hear it all the same, and no conversation takes it for an answer */
  #attend(isWithBot: boolean, isListening = isWithBot): void {
    this.party.listen(isListening);
    if (isWithBot) {
      this.#unmute?.();
      this.#unmute = undefined;
    } else this.#unmute ??= this.options.pipeline.mute();
  }
}

export const isWords = (frame: DtmfFrame | TranscriptionFrame): frame is TranscriptionFrame =>
  frame instanceof TranscriptionFrame;
