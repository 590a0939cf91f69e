/** In what a provider is not as the sandbox plays it. */
export interface Difference {
  readonly step: string;
  readonly kind: DifferenceKind;
  /** The message: `webhook /answer answer`, `stream start`. */
  readonly where: string;
  /** Path of the field in it. */
  readonly field?: string;
  readonly expected: string;
  readonly seen: string;
  /** Whether the code of voicebot reads what is different here. */
  readonly matters: boolean;
  /** Why it matters or not, in a sentence. */
  readonly why: string;
  /** Where the code reads it: `src/providers/plivo/webhooks.ts:41`. */
  readonly restsOn: readonly string[];
}

export type DifferenceKind =
  | 'field missing'
  | 'field new'
  | 'field renamed'
  | 'other form'
  | 'other word'
  | 'message missing'
  | 'message new'
  | 'message renamed'
  | 'other status'
  | 'other count'
  | 'other order'
  | 'late'
  | 'other pace';
