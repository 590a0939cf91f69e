/** Where a provider sends the calls to one number of an account. */
export interface NumberRoute {
  /** E.164. */
  readonly number: string;
  /** The address that is told of a call; undefined when there is none. */
  readonly webhookUrl: string | undefined;
  /** What holds this setting, for people: `application front-desk`, `dial-in settings`. Undefined when nothing does. */
  readonly heldBy: string | undefined;
  /** Whether voicebot made or changed it, as far as the provider's side shows. */
  readonly isOurs: boolean;
  /** False: the number takes messages only, and no call ever comes to it. Undefined where the provider does not say. */
  readonly takesCalls?: boolean | undefined;
  /** No server answers there: it is as the provider sets up a new number, or what holds it has no address. */
  readonly isUnanswered?: boolean | undefined;
  /** While a run has the number, the provider asks {@link webhookUrl} for a call that the run does not answer. */
  readonly isFallback?: boolean | undefined;
}

/** The addresses of one runner that a provider is given for a number. */
export interface RouteUrls {
  /** Told of a call: the carrier's answer URL, or the room provider's webhook. */
  readonly answerUrl: string;
  /** Told that a call is over; unused by the room provider. */
  readonly hangupUrl: string;
}

/** What is wanted for a number. */
export interface RouteTarget {
  /** E.164. */
  readonly number: string;
  readonly urls: RouteUrls;
  /** Unique for one lease, 8 to 32 of `[a-z0-9]`: what is created at the provider bears it, so that it is found after a crash. */
  readonly leaseId: string;
  /** Signs the room provider's webhooks, base64. Undefined: the secret there stays what it is. */
  readonly secret?: string | undefined;
  /** Whether an address is one that voicebot has used before on this machine: such a one is never what is put back. */
  readonly isOldAddress: (url: string) => boolean;
}

/**
 * A change of one number's setting, complete enough to be undone by another process: plain JSON, written to disk before
 * anything is changed. It holds secrets.
 */
export interface RouteChange {
  /** E.164. */
  readonly number: string;
  readonly leaseId: string;
  /**
   * Written by an older voicebot, which could change the addresses of the carrier's application that the number had. It can be
   * undone, and is not applied any more.
   */
  readonly isInPlace?: boolean | undefined;
  /** Every address this lease has given the provider, the current one last. */
  readonly urls: readonly [RouteUrls, ...RouteUrls[]];
  /** base64 */
  readonly secret?: string | undefined;
  /** How it was; only the provider's dialect that made it reads it. */
  readonly before: unknown;
}

/**
 * What came of undoing a change: `restored` now, `unchanged` when it was as before already, `foreign` when another person
 * or program has changed the number meanwhile, whose setting stays, `nothing_to_restore` when what was there before was an address
 * of ours that no runner answers any more, or is gone.
 */
export type UndoOutcome = 'restored' | 'unchanged' | 'foreign' | 'nothing_to_restore';

/**
 * The numbers of one account and where their calls go. Every method throws VB_CREDENTIALS_REFUSED and the provider's
 * codes for a request that failed or did not arrive.
 */
export interface NumberRouting {
  /**
   * Numbers of the account have a setting in common, which is read and written as a whole: two changes at the same moment
   * would undo each other. Default false.
   */
  readonly changesOneAtATime?: boolean;
  /** Every number of the account, in the order of their digits. */
  list(signal?: AbortSignal): Promise<readonly NumberRoute[]>;
  /**
   * Reads how a number is set and what a change would have to put back. Changes nothing.
   * @throws VoicebotError VB_NUMBER_UNKNOWN naming the account's numbers, VB_REGISTRATION_FAILED when the setting cannot
   *   be put back afterwards, such as a secret that the provider does not show
   */
  plan(
    target: RouteTarget,
    signal?: AbortSignal,
  ): Promise<{ readonly change: RouteChange; readonly route: NumberRoute }>;
  /** Points the number at the last of `change.urls`. Twice does no harm, also after it broke off anywhere. */
  apply(change: RouteChange, signal?: AbortSignal): Promise<void>;
  /** Reads back. @returns what is not as it should be, for people; undefined when all is */
  verify(change: RouteChange, signal?: AbortSignal): Promise<string | undefined>;
  /** Puts back what `plan` has read, wherever {@link apply} or an earlier undo broke off. Reads back what it did. */
  undo(change: RouteChange, signal?: AbortSignal): Promise<UndoOutcome>;
  /** Closes its connections. */
  close(): Promise<void>;
}
