import { createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '../../../base/secret.js';
import type { CallId } from '../../../call/call-id.js';

/** Longest between a document that names the stream and the carrier's connection to it, in milliseconds. */
export const PASS_VALID_MS = 30_000;

/** How soon the loss of a bot is known after the carrier has seen the end of its stream, in milliseconds. */
const LOSS_KNOWN_MS = 500;

/** 132 bits: addresses are short. */
const SIGNATURE_LENGTH = 22;

/** Signs passes, so that each runner with the same keys knows them. */
export interface PassSigner {
  /** @returns letters, digits, `-`, `_` and `.` */
  sign(text: string): string;
  /** Compares in constant time. */
  verifies(text: string, signature: string): boolean;
}

/** Signs with a key that no other process has and that is gone with this one. */
export function ownSigner(): PassSigner {
  const key = randomBytes(32);
  const sign = (text: string) => createHmac('sha256', key).update(text).digest('base64url').slice(0, SIGNATURE_LENGTH);
  return { sign, verifies: (text, signature) => isSameSecret(signature, sign(text)) };
}

/**
 * Lets exactly one media stream in, for one call: `<until>.<signature>`, where `until` is in milliseconds since the Unix
 * epoch, to the base of 36. When the bot that had the stream is gone, the pass is good for one more: a carrier may connect
 * again at the same address (carrier reference 4.4).
 */
export class StreamPass {
  readonly token: string;
  #isUsed = false;
  /** A stream has used it and lost its bot: how fresh it is says nothing any more. */
  #isRenewed = false;
  readonly #waiting = new Set<() => void>();

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

  /** Whether a stream has ever been let in with it. */
  get wasUsed(): boolean {
    return this.#isUsed || this.#isRenewed;
  }

  /** Whether `token` is a pass of this stream, unused and fresh, whichever runner has made it. Compares in constant time. */
  admits(token: string): boolean {
    const until = this.#readUntil(token);
    return until !== undefined && !this.#isUsed && (this.#isRenewed || Date.now() < until);
  }

  /** Whether `token` is a pass of this stream and was used. Compares in constant time. */
  isSpent(token: string): boolean {
    return this.#readUntil(token) !== undefined && this.#isUsed;
  }

  use(): void {
    this.#isUsed = true;
  }

  /** No bot has the stream any more: another one may be connected. */
  renew(): void {
    this.#isRenewed ||= this.#isUsed;
    this.#isUsed = false;
    for (const wake of this.#waiting) wake();
  }

  /** Resolves when it is good again, or when the carrier can hardly know more than we do. */
  renewed(): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, LOSS_KNOWN_MS);
      this.#waiting.add(wake);
    });
  }

  /** @returns until when it is fresh, in milliseconds since the Unix epoch; undefined for what is no pass of this stream */
  #readUntil(token: string): number | undefined {
    const [, digits, signature] = /^([0-9a-z]{1,10})\.([\w.-]{1,128})$/.exec(token) ?? [];
    if (digits === undefined || signature === undefined) return undefined;
    const until = Number.parseInt(digits, 36);
    return this.signer.verifies(this.#text(until), signature) ? until : undefined;
  }

  #text(until: number): string {
    return `stream pass\n${this.callId}\n${this.streamNo}\n${until}`;
  }
}
