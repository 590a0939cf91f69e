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

  /** @param signer of the runners behind one address, each of which answers the requests of all. Default: this runner is alone */
  constructor(private readonly signer?: ProbeSigner | undefined) {}

  ask(): ReachQuestion {
    const id = randomBytes(16).toString('base64url');
    const { signer } = this;
    const path = PROBE_PATH + (signer ? `${id}.${signer.sign(`reach question\n${id}`)}` : id);
    const answer = signer?.sign(`reach answer\n${id}`) ?? randomBytes(16).toString('base64url');
    this.#open.set(path, answer);
    return { path, answer, close: () => void this.#open.delete(path) };
  }

  /** Undefined for the path of no open test request, of this runner or of those beside it. */
  answerTo(path: string): string | undefined {
    return this.#open.get(path) ?? this.#answerToOther(path);
  }

  #answerToOther(path: string): string | undefined {
    const [, id, signature] = /^([\w-]{22})\.([\w.-]{1,128})$/.exec(path.slice(PROBE_PATH.length)) ?? [];
    if (id === undefined || signature === undefined) return undefined;
    return this.signer?.verifies(`reach question\n${id}`, signature)
      ? this.signer.sign(`reach answer\n${id}`)
      : undefined;
  }
}

/** Signs with a key that the runners behind one address share. */
interface ProbeSigner {
  sign(text: string): string;
  verifies(text: string, signature: string): boolean;
}
