/** What a caller that plays itself knows when it is to say something. */
export interface CallerMoment {
  /** What both have said so far, oldest first; of the bot what the caller has heard. */
  readonly talk: ReadonlyArray<{ readonly speaker: 'caller' | 'bot'; readonly text: string }>;
  /** What this caller has done so far in this call, oldest first. */
  readonly done: readonly CallerTurn[];
  readonly signal: AbortSignal;
}

/** What the caller does next. */
export interface CallerTurn {
  readonly say?: string;
  readonly press?: string;
  readonly hangUp?: boolean;
  /** Only with `hangUp`: whether the caller has got what they wanted. Default: not known. */
  readonly succeeded?: boolean;
  /** Why, in a sentence. */
  readonly because?: string;
}

/** A caller in place of steps: asked each time when the bot has finished. */
export interface CallerPlayer {
  /** Where this rejects, the caller hangs up and the scenario fails. */
  next(moment: CallerMoment): Promise<CallerTurn>;
}
