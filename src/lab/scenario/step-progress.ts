import type { BotTalk } from './bot-talk.js';
import type { Failure } from './call-story.js';
import { type CallerStep, doneByItself, fieldOf, wordsOfStep } from './caller-steps.js';

/** Steps that are being done. */
export interface StepFrame {
  readonly steps: readonly CallerStep[];
  /** Their field: `caller`, `caller[1].repeat`. */
  readonly place: string;
  /** The one at which the caller stands; behind the last one, their number. */
  at: number;
  /** How often all of them are still to be done again. */
  roundsLeft: number;
  /** They are done to the end of the call; `hasRound`: and have all been done once. */
  readonly isEndless: boolean;
  readonly hasRound: boolean;
}

/** Of steps that are done once. */
export const ONE_ROUND = { roundsLeft: 0, isEndless: false, hasRound: false } as const;

/** How far a caller has come with their steps. */
export class StepProgress {
  /** Those within others last. */
  readonly #frames: StepFrame[];
  /** All steps of the caller. */
  readonly whole: StepFrame;

  constructor(
    steps: readonly CallerStep[],
    private readonly talk: BotTalk,
  ) {
    this.whole = { ...ONE_ROUND, steps, place: 'caller', at: 0 };
    this.#frames = [this.whole];
  }

  /** Steps within the one at which the caller stands are begun. */
  enter(frame: StepFrame): void {
    this.#frames.push(frame);
  }

  /** They are done. */
  leave(): void {
    this.#frames.pop();
  }

  get place(): string | undefined {
    const { step, field } = this.#place ?? {};
    return step && `${wordsOfStep(step)} (${field})`;
  }

  /**
   * What of the steps was not done in a call that is over; undefined where they were, where only waiting and hanging up were left, and
   * where a failure has told it already. Words of the bot that became known at the end count for the step that waited for them. Steps that
   * go on to the end of the call must have been done once.
   * @param end how the call ended, such as `the call had ended (bot_ended)` @param atMs when, since the answer
   */
  unfinished(end: string, atMs: number): Failure | undefined {
    while (this.#heardAtTheEnd());
    const place = this.#place;
    const left = this.#frames.flatMap(({ steps, at, roundsLeft }, depth) => [
      ...steps.slice(depth === this.#frames.length - 1 ? at : at + 1),
      ...(roundsLeft > 0 ? steps : []),
    ]);
    if (!place || this.#frames.some(({ isEndless, hasRound }) => isEndless && hasRound) || left.every(doneByItself))
      return undefined;
    const more = left.length - 1;
    const rest = more === 0 ? '' : `, and ${more === 1 ? 'one more step was' : `${more} more steps were`} not done`;
    const { step, field } = place;
    return { field: fieldOf(step, field), expected: wordsOfStep(step), happened: `${end}${rest}`, atMs };
  }

  /** Goes on to the next step where the words have come that the caller waits for. @returns whether they have */
  #heardAtTheEnd(): boolean {
    const frame = this.#frames.at(-1);
    const step = frame?.steps[frame.at];
    if (!frame) return false;
    if (!step) {
      if (frame.roundsLeft > 0) Object.assign(frame, { at: 0, roundsLeft: frame.roundsLeft - 1 });
      else if (this.#frames.length === 1) return false;
      else {
        this.#frames.pop();
        const outer = this.#frames.at(-1);
        if (outer) outer.at += 1;
      }
      return true;
    }
    if (step.kind === 'hear' && this.talk.hasSaid(step.words)) {
      frame.at += 1;
      return true;
    }
    if (step.kind !== 'either') return false;
    const index = this.talk.firstSaid(step.branches.map(({ words }) => words));
    if (index === undefined) return false;
    const place = `${frame.place}[${frame.at}].either[${index}].then`;
    this.#frames.push({ ...ONE_ROUND, steps: step.branches[index]?.steps ?? [], place, at: 0 });
    return true;
  }

  get #place(): { readonly step: CallerStep; readonly field: string } | undefined {
    const frame = this.#frames.at(-1);
    const step = frame?.steps[frame.at];
    return frame && step && { step, field: `${frame.place}[${frame.at}]` };
  }
}
