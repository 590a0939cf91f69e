import { randomBytes } from 'node:crypto';

/** Where a runner answers its own questions. */
export const PROBE_PATH = '/reach-probe/';

export interface ReachQuestion {
  /** What follows the origin. */
  readonly path: string;
  /** What only the runner that asks can answer. */
  readonly answer: string;
  /** From now on it is not answered any more. */
  close(): void;
}

/** Questions that a runner sends to its public address, to see whether that leads back to itself and to nobody else. */
export class ReachProbe {
  readonly #open = new Map<string, string>();

  ask(): ReachQuestion {
    const path = PROBE_PATH + randomBytes(16).toString('base64url');
    const answer = randomBytes(16).toString('base64url');
    this.#open.set(path, answer);
    return { path, answer, close: () => void this.#open.delete(path) };
  }

  /** Undefined for what was not asked. */
  answerTo(path: string): string | undefined {
    return this.#open.get(path);
  }
}
