import { createHmac, randomBytes } from 'node:crypto';
import type { CallId } from '../../call/call-id.js';
import { isSameSecret } from '../../secret.js';

/** Longest between a document that names the stream and the carrier's connection to it, in milliseconds. */
export const PASS_VALID_MS = 30_000;

/** 132 bits: addresses are short. */
const SIGNATURE_LENGTH = 22;

/** Signs passes, so that whoever has the same keys knows them. */
export interface PassSigner {
  /** @returns letters, digits, `-`, `_` and `.` */
  sign(text: string): string;
  /** Compares in constant time. */
  verifies(text: string, signature: string): boolean;
}

/** Signs with a key that nobody else has and that is gone with the process. */
export function ownSigner(): PassSigner {
  const key = randomBytes(32);
  const sign = (text: string) => createHmac('sha256', key).update(text).digest('base64url').slice(0, SIGNATURE_LENGTH);
  return { sign, verifies: (text, signature) => isSameSecret(signature, sign(text)) };
}

/**
 * Lets exactly one media stream in, for one call: `<until>.<signature>`, where `until` is in milliseconds since the Unix
 * epoch, to the base of 36.
 */
export class StreamPass {
  readonly token: string;
  #isUsed = false;

  /**
   * @param callId ours
   * @param streamNo which of the call's streams
   */
  constructor(
    private readonly signer: PassSigner,
    private readonly callId: CallId,
    readonly streamNo: number,
  ) {
    const until = Date.now() + PASS_VALID_MS;
    this.token = `${until.toString(36)}.${signer.sign(this.#text(until))}`;
  }

  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Whether `token` is a pass of this stream, unused and fresh, whichever runner has made it. Compares in constant time. */
  admits(token: string): boolean {
    const [, digits, signature] = /^([0-9a-z]{1,10})\.([\w.-]{1,128})$/.exec(token) ?? [];
    if (digits === undefined || signature === undefined) return false;
    const until = Number.parseInt(digits, 36);
    return this.signer.verifies(this.#text(until), signature) && !this.#isUsed && Date.now() < until;
  }

  use(): void {
    this.#isUsed = true;
  }

  #text(until: number): string {
    return `stream pass\n${this.callId}\n${this.streamNo}\n${until}`;
  }
}
