import type { ProviderError } from '../../../base/provider-error.js';
import type { LiveAnswer, LiveAnswerEnd } from './live-answer.js';

export interface LiveAnswersActions {
  /** Nothing has come of an answer for too long. @param hasBegun it broke off */
  isLate(answer: LiveAnswer, hasBegun: boolean): void;
}

/** The answers that a session was asked for and that are not over, in order, and how long each may take. */
export class LiveAnswers {
  #asked: LiveAnswer[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param limitMs until an answer begins; half as long in its middle */
  constructor(
    private readonly limitMs: number,
    private readonly actions: LiveAnswersActions,
  ) {}

  /** Whether the session is, or may be, saying something. */
  get areOpen(): boolean {
    return this.#asked.length > 0;
  }

  add(answer: LiveAnswer): void {
    this.#asked.push(answer);
  }

  /** It was asked for now, or more of it has come. */
  watch(answer: LiveAnswer): void {
    clearTimeout(this.#timer);
    if (answer.isDropped || answer.isOver) return;
    const { hasBegun } = answer;
    this.#timer = setTimeout(() => this.actions.isLate(answer, hasBegun), hasBegun ? this.limitMs / 2 : this.limitMs);
  }

  /** The answer of that name; one that is not known is the first that has no name yet. */
  of(responseId: string): LiveAnswer | undefined {
    const known = this.#asked.find((answer) => answer.responseId === responseId);
    const answer = known ?? this.waiting;
    if (answer) answer.responseId = responseId;
    return answer;
  }

  /** Those that no session has been asked for. */
  get unasked(): readonly LiveAnswer[] {
    return this.#asked.filter(({ isAsked }) => !isAsked);
  }

  /** The first of which nothing has come, for what the session says of none. */
  get waiting(): LiveAnswer | undefined {
    return this.#asked.find(({ responseId, isAsked }) => isAsked && responseId === undefined);
  }

  /** The first that nobody wants any more. */
  get dropped(): LiveAnswer | undefined {
    return this.#asked.find(({ isDropped }) => isDropped);
  }

  finish(answer: LiveAnswer, end: Omit<LiveAnswerEnd, 'calls'>): void {
    this.#asked = this.#asked.filter((one) => one !== answer);
    clearTimeout(this.#timer);
    answer.finish(end);
    const [next] = this.#asked;
    if (next?.isAsked) this.watch(next);
  }

  /** There is another session: what nobody wants, and what broke off, is over. @returns what is to be asked again */
  again(failure: ProviderError): readonly LiveAnswer[] {
    for (const answer of this.#asked) {
      if (answer.isDropped) this.finish(answer, { status: 'dropped' });
      else if (answer.hasBegun) this.finish(answer, { status: 'failed', failure });
      else answer.responseId = undefined;
    }
    return this.#asked;
  }

  /** There will be no more session. */
  fail(failure: ProviderError): void {
    for (const answer of this.#asked) this.finish(answer, { status: 'failed', failure });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
