import { withDeadline } from '../../base/async/deadline.js';
import { machineTimeout } from '../../base/clock/process-clock.js';
import { errorText } from '../../base/error-text.js';
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

/** How long a caller may think about whether they have got what they wanted, in milliseconds. */
const LAST_WORD_MS = 60_000;

/** Asks a caller whose call is over whether they have got what they wanted. @returns why not; undefined when they have */
export async function whyUnsatisfied(player: CallerPlayer, moment: CallerMoment): Promise<string | undefined> {
  const asked = Promise.resolve().then(() => player.next(moment));
  const late = () => new Error(`the caller has not answered within ${LAST_WORD_MS / 1_000} s`);
  const {
    hangUp,
    succeeded,
    because = 'the caller wanted to go on',
  } = await withDeadline(asked, LAST_WORD_MS, late, machineTimeout).catch(
    (error: unknown): CallerTurn => ({ because: errorText(error) }),
  );
  return hangUp && succeeded !== false ? undefined : because;
}
