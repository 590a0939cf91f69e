import { LLMContextFrame } from '../../conversation/llm-context-frame.js';
import type { Turn } from '../../pipeline/frames/index.js';
import type { SlowAnswer } from './slow-answer.js';

/** A session that the cascade was quicker than so often, one time after the other, does not work. */
const MOST_LATE = 2;

export interface JoiningDeps {
  /** What the session was asked last, and is answering; undefined while the caller goes on. */
  asked(): LLMContextFrame | undefined;
  /** Resolves when the caller's words are known; undefined where they are. */
  words(asked: LLMContextFrame): Promise<void> | undefined;
  /** Asks the language model of the cascade. */
  ask(frame: LLMContextFrame): void;
  /** The cascade answers in place of the session. @param isForGood from now on */
  takeOver(slow: SlowAnswer, isForGood: boolean): void;
}

/** A turn that a session is slow to answer. `asked`: so is the language model; `won`: that answers; `lost`: the session does. */
interface JoinedTurn {
  readonly turn: Turn;
  readonly lost: AbortController;
  stage: 'waiting' | 'asked' | 'won' | 'lost';
}

/** Where a session has not begun to answer in its time, the cascade joins it: who begins first is kept. */
export class LiveJoining {
  #joined: JoinedTurn | undefined;
  #late = 0;

  constructor(private readonly deps: JoiningDeps) {}

  /** What is to be said word for word is said by the voice at once: that is quick. */
  join(slow: SlowAnswer): void {
    const { text, turn } = slow.question;
    const asked = this.deps.asked();
    if (text !== undefined) this.#takeOver(slow);
    if (text !== undefined || !turn || asked?.turn !== turn || this.#joined?.turn === turn) return;
    const joined: JoinedTurn = { turn, lost: new AbortController(), stage: 'waiting' };
    this.#joined = joined;
    slow.begun.addEventListener('abort', () => this.#lose(joined), { once: true });
    const ask = () => {
      if (this.#joined !== joined || joined.stage !== 'waiting') return;
      joined.stage = 'asked';
      const frame = new LLMContextFrame(asked.context, turn);
      frame.contest = { lost: joined.lost.signal, wins: () => this.#wins(joined, slow) };
      this.deps.ask(frame);
    };
    const words = this.deps.words(asked);
    if (words) void words.then(ask);
    else ask();
  }

  /** The session has begun to speak. @param turn which it answers */
  begins(turn: Turn | undefined): void {
    this.#late = 0;
    if (this.#joined && this.#joined.turn === turn) this.#lose(this.#joined);
  }

  /** The language model has failed. */
  fails(): void {
    if (this.#joined) this.#lose(this.#joined);
  }

  /** The caller has interrupted; or the session is given up, and a model that was asked answers in any case. */
  forget(isGivenUp = false): void {
    if (!isGivenUp || this.#joined?.stage === 'waiting') this.#joined = undefined;
  }

  /** A turn is over for the session. @returns whether the language model answers it */
  end(turn: Turn): boolean {
    const { stage, turn: of } = this.#joined ?? {};
    return of === turn && (stage === 'asked' || stage === 'won');
  }

  #lose(joined: JoinedTurn): void {
    if (joined.stage === 'won') return;
    joined.stage = 'lost';
    joined.lost.abort();
  }

  #wins(joined: JoinedTurn, slow: SlowAnswer): void {
    if (joined.stage !== 'asked') return;
    joined.stage = 'won';
    this.#takeOver(slow);
  }

  #takeOver(slow: SlowAnswer): void {
    this.#late += 1;
    this.deps.takeOver(slow, this.#late >= MOST_LATE || slow.isOver);
  }
}
