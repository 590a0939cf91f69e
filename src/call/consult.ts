import type { CallInfo, EndReason } from './call.js';
import type { RunnerArguments } from './runner-arguments.js';

/** Whom a bot wants dialled beside its own call. */
export interface ConsultRequest {
  /** A number, E.164. */
  readonly to: string;
  /** How long it may ring, in whole seconds, 5 to 120. */
  readonly ringSeconds: number;
  /** The runner's identifier of the call that an earlier bot has had placed for this: it is taken on as it is, and nothing is dialled. */
  readonly legId?: string | undefined;
}

/** A call that the runner has placed for the bot of another one, and whose media it brings into the same process. */
export interface ConsultLeg {
  /** What its `Call` is told; `linkedTo` is the other call. */
  readonly call: CallInfo;
  /** Resolves when its media is there, or when it has come to nothing. Never rejects. */
  readonly reached: Promise<ReachedLeg | LostLeg>;
  /** Ends it, whether it rings or is answered. Safe to call twice. */
  end(): void;
}

/** The callee has answered. */
export interface ReachedLeg {
  /** What a `Call` is opened with. */
  readonly args: RunnerArguments;
  /** The bot is done with it: with what it has thrown, if it has. Safe to call twice. */
  done(error?: unknown): void;
}

/** It is over before it was answered. */
export interface LostLeg {
  readonly reason: EndReason;
}

/** How the destination of a warm transfer takes the call: by this key, by saying yes, or by answering. */
export type WarmAcceptance = 'key' | 'yes' | 'answer';

/** How far a warm transfer has come. */
export type HandoverPhase = 'ringing' | 'briefing' | 'bridged';

/**
 * A warm transfer, or two parties that a bot has bridged: what the next bot of the call needs to go on with it. Kept by the runner, and
 * given to the bot that takes over.
 */
export interface Handover {
  /** As it was dialled: E.164. */
  readonly to: string;
  /** The runner's identifier of the destination's call; empty as long as the bot does not know it. */
  readonly legId: string;
  readonly phase: HandoverPhase;
  /** Undefined where the bot has bridged the two by itself. */
  readonly warm?: WarmTerms | undefined;
}

/** What the destination of a warm transfer is told and asked. */
export interface WarmTerms {
  /** What it is told before it is asked, as it is spoken. */
  readonly brief: string;
  readonly accept: WarmAcceptance;
  /** The key, where that is how it accepts: one of `0-9 * #`. */
  readonly key?: string | undefined;
  /** What the caller hears meanwhile: `music`, `silence`, or a WAV file, by its path or a `file:` URL. Default `music`. */
  readonly hold?: string | undefined;
}
