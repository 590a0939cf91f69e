/** How a person in a call has asked not to be called again: in words, with a key, or so that the bot's code or model understood it. */
export const DO_NOT_CALL_WAYS = ['said', 'pressed', 'tool'] as const;
export type DoNotCallWay = (typeof DO_NOT_CALL_WAYS)[number];

/** How a number has come onto the do-not-call list: asked for in a call, put there by an operator, or imported. */
export type DoNotCallSource = DoNotCallWay | 'operator' | 'import';

/** A number that is not to be called: who, when, in which call, and never what was said. Plain JSON. */
export interface DoNotCallEntry {
  /** E.164. */
  readonly number: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly how: DoNotCallSource;
  /** The call in which it was asked for, where it was in one. */
  readonly callId?: string | undefined;
}

/** What a call's record has of it. Times are milliseconds since the Unix epoch. */
export interface AskedNotToBeCalled {
  readonly how: DoNotCallWay;
  /** When the number was on the list. */
  readonly at: number;
  /** When the other party had been told so to the end; absent before. */
  readonly toldAt?: number;
  /** Nothing more is said of it, though that has not happened: they were to hear nothing, or have spoken over it. Absent otherwise. */
  readonly isSettled?: true;
}

/** What a bot learns of earlier ones: what the record has of it, or that the number is being put on the list. */
export type EarlierDoNotCall = AskedNotToBeCalled | { readonly how: DoNotCallWay; readonly isPending: true };

/**
 * What became of a wish not to be called again: the number is on the list, on the disk and with every runner; or it is withheld or no telephone
 * number; or it could not be written down.
 */
export type DoNotCallOutcome = 'listed' | 'withheld' | 'failed';
