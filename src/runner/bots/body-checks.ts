import { type Deferred, deferred } from '../../base/async/deferred.js';
import type { MessageFromBot, MessageToBot } from './messages.js';

/** Longest wait for a bot's process to check custom data, in milliseconds. */
const LIMIT_MS = 5_000;

/** Has one bot process check the custom data of calls before they are dialled. */
export class BodyChecks {
  readonly #asked = new Map<number, Deferred<readonly string[]>>();
  #requests = 0;

  /** @param send to the process */
  constructor(private readonly send: (message: MessageToBot) => void) {}

  /**
   * @returns a sentence for each problem; none, too, when the process does not answer in time or has ended: the bot of the
   *   call checks the data again
   */
  async check(body: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    this.#requests += 1;
    const requestId = this.#requests;
    const answer = deferred<readonly string[]>();
    this.#asked.set(requestId, answer);
    const limit = setTimeout(() => answer.resolve([]), LIMIT_MS);
    this.send({ type: 'check_body', requestId, body });
    return answer.promise.finally(() => {
      clearTimeout(limit);
      this.#asked.delete(requestId);
    });
  }

  receive({ requestId, problems }: Extract<MessageFromBot, { type: 'body_checked' }>): void {
    this.#asked.get(requestId)?.resolve(problems);
  }

  /** The process is gone. */
  close(): void {
    for (const answer of this.#asked.values()) answer.resolve([]);
  }
}
