import { type Deferred, deferred } from '../../base/async/deferred.js';
import { VoicebotError } from '../../base/errors.js';
import type { DoNotCallOutcome, DoNotCallWay } from '../../call/do-not-call.js';
import type { FromBot, ToBot } from './messages.js';

interface DoNotCallAnswer {
  readonly outcome: DoNotCallOutcome;
  readonly problem?: VoicebotError;
}

/** Longest the runner may take to write a number down and to tell the other runners, in milliseconds. */
const ANSWER_LIMIT_MS = 15_000;

/** The bot's wishes to have the other party of its call put on the do-not-call list, until the runner has answered. Lives in the bot's process. */
export class AskedDoNotCall {
  readonly #asked = new Map<number, Deferred<DoNotCallAnswer>>();
  #requests = 0;

  constructor(
    private readonly tell: (message: Extract<FromBot, { type: 'do_not_call' }>) => void,
    private readonly isOrphan: () => boolean,
  ) {}

  /** Never rejects. */
  async ask(how: DoNotCallWay): Promise<DoNotCallAnswer> {
    if (this.isOrphan()) return failed('the runner that keeps the list is gone');
    this.#requests += 1;
    const requestId = this.#requests;
    const answer = deferred<DoNotCallAnswer>();
    this.#asked.set(requestId, answer);
    const late = setTimeout(() => answer.resolve(failed('the runner has not answered')), ANSWER_LIMIT_MS);
    this.tell({ type: 'do_not_call', requestId, how });
    try {
      return await answer.promise;
    } finally {
      clearTimeout(late);
      this.#asked.delete(requestId);
    }
  }

  answered({ requestId, outcome, problem }: Extract<ToBot, { type: 'do_not_call_answer' }>): void {
    this.#asked.get(requestId)?.resolve({ outcome, ...(problem && { problem: VoicebotError.revive(problem) }) });
  }
}

const failed = (why: string): DoNotCallAnswer => ({
  outcome: 'failed',
  problem: new VoicebotError('VB_INTERNAL', why),
});
