/** What a judge is shown. */
export interface JudgedCall {
  readonly talk: ReadonlyArray<{ readonly speaker: 'caller' | 'bot'; readonly text: string }>;
  readonly tools: ReadonlyArray<{ readonly name: string; readonly input: unknown }>;
  readonly endReason: string;
}

/** What it says. */
export interface Verdict {
  readonly passed: boolean;
  /** Why, in a sentence. */
  readonly because: string;
}

/** Judges a call by a rubric. */
export type Judge = (call: JudgedCall, signal: AbortSignal) => Promise<Verdict>;
