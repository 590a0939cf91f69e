import { randomBytes } from 'node:crypto';
import { isSameSecret } from '../../secret.js';

/** Longest between a document that names the stream and the carrier's connection to it, in milliseconds. */
export const PASS_VALID_MS = 30_000;

/** Lets exactly one media stream in, for one call. */
export class StreamPass {
  readonly token = randomBytes(24).toString('base64url');
  readonly #expiresAt = performance.now() + PASS_VALID_MS;
  #isUsed = false;

  /** Whether `token` is this pass, unused and fresh. Compares in constant time. */
  admits(token: string): boolean {
    return isSameSecret(token, this.token) && !this.#isUsed && performance.now() < this.#expiresAt;
  }

  use(): void {
    this.#isUsed = true;
  }
}
