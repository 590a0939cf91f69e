import { Turn } from '../pipeline/frames/index.js';
import type { LLMContext } from './llm-context.js';
import { plainWords } from './plain-words.js';
import type { CallerTimes } from './turn-taking-listener.js';

/** What became of the questions that were asked before it was known that the caller had finished. */
export interface EarlyQuestions {
  /** How many were asked. */
  readonly asked: number;
  /** Whether the answer to the last of them is the one that is heard. */
  readonly isKept: boolean;
  /** What the model wrote for those that were overtaken, in tokens. */
  readonly droppedTokens: number;
}

interface Asked {
  readonly turn: Turn;
  readonly words: string;
}

/**
 * Asks the model when the caller falls silent, on the words there are: the answer waits until the caller has finished, and is thrown
 * away when they go on.
 */
export class EarlyQuestion {
  #asked: Asked | undefined;
  #count = 0;
  #droppedTokens = 0;
  readonly #overtaken = new Set<Turn>();
  readonly #ofTurns = new WeakMap<Turn, EarlyQuestions>();

  /** @param ask asks the model for an answer to the turn */
  constructor(
    private readonly context: LLMContext,
    private readonly ask: (turn: Turn) => void,
  ) {}

  /** @param id of the turn that it may become */
  begin(id: number, text: string, times: CallerTimes): void {
    this.drop();
    const turn = new Turn(id, true);
    noteTimes(turn, times);
    this.#asked = { turn, words: plainWords(text) };
    this.#count += 1;
    this.context.addEarlyWords(turn, text);
    this.ask(turn);
  }

  /** The answer is not wanted. */
  drop(): void {
    const asked = this.#asked;
    if (!asked) return;
    this.#asked = undefined;
    asked.turn.drop();
    this.#overtaken.add(asked.turn);
    this.context.forgetTurn(asked.turn);
  }

  /** Everything of the answer has passed the pipeline, and nothing of it waits: the model had nothing to say. */
  gaveNothing(turn: Turn): void {
    if (this.#asked?.turn === turn) this.drop();
  }

  /**
   * The caller has finished. Their words stand in the context from here on.
   * @param isHeard the model has heard them itself
   * @returns the turn that answers them: one whose answer may be heard now, or one that the model is to be asked for
   */
  take(
    id: number,
    text: string,
    times: CallerTimes,
    isHeard = false,
  ): { readonly turn: Turn; readonly isAsked: boolean } {
    const answered = this.#release(text);
    const turn = answered ?? new Turn(id);
    if (!answered) this.context.addCallerWords(text, isHeard ? turn : undefined);
    const isAsked = answered !== undefined;
    noteTimes(turn, times);
    for (const overtaken of this.#overtaken) this.#droppedTokens += overtaken.tokens;
    this.#overtaken.clear();
    if (this.#count > 0)
      this.#ofTurns.set(turn, { asked: this.#count, isKept: isAsked, droppedTokens: this.#droppedTokens });
    this.#count = 0;
    this.#droppedTokens = 0;
    return { turn, isAsked };
  }

  /** What was asked early for a turn; undefined when nothing was. */
  askedFor(turn: Turn): EarlyQuestions | undefined {
    return this.#ofTurns.get(turn);
  }

  #release(text: string): Turn | undefined {
    const asked = this.#asked;
    if (asked?.words !== plainWords(text) || asked.turn.dropped.aborted) {
      this.drop();
      return undefined;
    }
    this.#asked = undefined;
    this.context.adopt(asked.turn, text);
    asked.turn.release();
    return asked.turn;
  }
}

/** When the caller's last sound was, and when their last words came. */
function noteTimes(turn: Turn, { stoppedAt, finalAt }: CallerTimes): void {
  if (stoppedAt !== undefined) turn.mark('callerStopped', stoppedAt);
  if (finalAt !== undefined) turn.mark('finalTranscript', finalAt);
}
