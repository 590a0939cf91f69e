import { type Frame, type StartFrame, Turn } from '../pipeline/frames/index.js';
import { TurnEndFrame } from './conversation-frames.js';
import { EarlyQuestion, type EarlyQuestions } from './early-question.js';
import type { LLMContext } from './llm-context.js';
import { LLMContextFrame } from './llm-context-frame.js';
import type { ModelHearing } from './turn-options.js';
import type { CallerTimes } from './turn-taking-listener.js';

export interface BotTurnsActions {
  push(frame: Frame): void;
  /** A turn has been said, or was interrupted. */
  over(turn: Turn, wasInterrupted: boolean, early: EarlyQuestions | undefined): void;
  /** One that was open is not any more. */
  changed(): void;
}

/** The turns of the bot: those that are being answered or said, and the one that is asked before the caller has finished. */
export class BotTurns {
  readonly #early: EarlyQuestion;
  readonly #open = new Set<Turn>();
  #count = 0;
  /** How the pipeline has started. */
  pipeline: StartFrame | undefined;

  constructor(
    private readonly context: LLMContext,
    private readonly actions: BotTurnsActions,
  ) {
    this.#early = new EarlyQuestion(context, (turn) => this.#ask(turn));
  }

  /** How many have begun. */
  get count(): number {
    return this.#count;
  }

  /** Whether any is being answered or said. */
  get areOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Whether the model hears the caller itself. */
  get modelHears(): boolean {
    return this.pipeline?.modelHears ?? false;
  }

  get model(): ModelHearing {
    if (this.pipeline?.modelTakesTurns) return 'takes_turns';
    return this.modelHears ? 'hears' : 'reads';
  }

  /** Asks for an answer that waits until the caller has finished, where the model's service can hold one. */
  askEarly(text: string, times: CallerTimes): void {
    if (this.pipeline?.answersEarly && this.pipeline.holdsEarlyAnswers) this.#early.begin(this.#count + 1, text, times);
  }

  /** The answer that was asked for early is not wanted. */
  dropEarly(): void {
    this.#early.drop();
  }

  /** The caller has finished: what they have said stands in the context. @returns begins the turn that answers it */
  take(text: string, times: CallerTimes): () => void {
    const { turn, isAsked } = this.#early.take(this.#count + 1, text, times, this.modelHears);
    return () => this.#begin(turn, isAsked);
  }

  /** Begins a turn that answers the context as it is. */
  begin(): void {
    this.#begin(new Turn(this.#count + 1), false);
  }

  /** A turn has been played. */
  played(turn: Turn): void {
    this.#early.gaveNothing(turn);
    if (!this.#open.delete(turn)) return;
    this.actions.over(turn, false, this.#early.askedFor(turn));
    this.actions.changed();
  }

  /** All are over. @returns those that were open */
  interrupt(): readonly Turn[] {
    this.#early.drop();
    const turns = [...this.#open];
    for (const turn of turns) this.actions.over(turn, true, this.#early.askedFor(turn));
    this.#open.clear();
    return turns;
  }

  #begin(turn: Turn, isAsked: boolean): void {
    this.#count = turn.id;
    this.#open.add(turn);
    if (!isAsked) this.#ask(turn);
  }

  #ask(turn: Turn): void {
    this.actions.push(new LLMContextFrame(this.context, turn));
    this.actions.push(new TurnEndFrame(turn));
  }
}
