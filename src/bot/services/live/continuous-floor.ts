import { setImmediate } from 'node:timers/promises';
import { settlesWithin } from '../../../base/async/deadline.js';
import { type Deferred, deferred } from '../../../base/async/deferred.js';
import type { Turn } from '../../pipeline/frames/index.js';
import { ContinuousTurn } from './continuous-turn.js';

/** What the caller has said while work was under way stands in the context before more work is begun: longer is not waited for it, in milliseconds. */
const NEXT_TURN_MS = 1_500;

export interface FloorListener {
  /** The model has begun to speak, or to work: it is its turn. */
  taken(): void;
}

/** Whose turn it is with a model that takes its turns itself: the turn of the conversation that is open, and the work under way. */
export class ContinuousFloor {
  /** The conversation is held, or has stopped: the model says nothing but what the bot wants said, and does nothing. */
  isHeld = false;
  #turn: ContinuousTurn | undefined;
  #works = 0;
  #next: Deferred<void> | undefined;
  #isChanging = false;

  /** @param limitMs so long the model may say nothing */
  constructor(
    private readonly listener: FloorListener,
    private readonly functionsUnderWay: () => Promise<void> | undefined,
    private readonly limitMs: number,
  ) {}

  /** The turn that is open. */
  get turn(): ContinuousTurn | undefined {
    return this.#turn?.isOver ? undefined : this.#turn;
  }

  /** Whether a turn gives way to the next. */
  get isChanging(): boolean {
    return this.#isChanging;
  }

  /** A turn of the conversation begins. */
  begin(turn: Turn): ContinuousTurn {
    this.#turn = new ContinuousTurn(turn, this.limitMs, this.#works);
    this.#next?.resolve();
    return this.#turn;
  }

  /** It has ended. */
  end(turn: ContinuousTurn): void {
    turn.end();
    if (this.#turn === turn) this.#turn = undefined;
  }

  /**
   * The model speaks: a turn that the caller has overtaken gives way, unless a function runs, which the conversation waits for.
   * @returns false: it is not to
   */
  take(): boolean {
    if (this.isHeld) return false;
    if (!this.#turn) this.listener.taken();
    else if (this.#turn.isOvertaken && !this.functionsUnderWay()) void this.#change(this.#turn);
    return true;
  }

  /** The model hands work over: resolves when the words that it belongs to stand in the context, as far as they are known. */
  async takeForWork(): Promise<void> {
    if (!this.#turn) this.listener.taken();
    else if (this.#turn.isOvertaken) {
      this.#next = deferred();
      const { promise } = this.#next;
      await this.#change(this.#turn);
      if (!this.turn) await settlesWithin(promise, NEXT_TURN_MS);
    }
    await Promise.resolve();
  }

  /** Work begins. @returns the turn that it belongs to */
  works(): ContinuousTurn | undefined {
    this.#works += 1;
    this.turn?.works();
    return this.turn;
  }

  /** @param isToBeSaid what has come of the work is said next @param isSpeaking the model is saying something else */
  worked(isToBeSaid: boolean, isSpeaking: boolean): void {
    this.#works -= 1;
    this.turn?.worked(isToBeSaid, isSpeaking);
  }

  /** The work under way does not count any more. */
  drop(): void {
    this.#works = 0;
  }

  async #change(before: ContinuousTurn): Promise<void> {
    this.#isChanging = true;
    before.end();
    await this.functionsUnderWay();
    await setImmediate(); // the conversation learns that it is over
    this.#isChanging = false;
    if (!this.turn) this.listener.taken();
    await Promise.resolve();
  }
}
