import { randomBytes } from 'node:crypto';

/** Path below which a runner answers its own test requests. */
export const PROBE_PATH = '/reach-probe/';

export interface ReachQuestion {
  /** What follows the origin. */
  readonly path: string;
  /** The answer, which only the runner that sends the request knows. */
  readonly answer: string;
  /** Stops answering this request. */
  close(): void;
}

/** The test requests that a runner sends to its public address, to check that the address leads to this runner and to no other. */
export class ReachProbe {
  readonly #open = new Map<string, string>();

  ask(): ReachQuestion {
    const path = PROBE_PATH + randomBytes(16).toString('base64url');
    const answer = randomBytes(16).toString('base64url');
    this.#open.set(path, answer);
    return { path, answer, close: () => void this.#open.delete(path) };
  }

  /** Undefined for the path of no open test request. */
  answerTo(path: string): string | undefined {
    return this.#open.get(path);
  }
}
