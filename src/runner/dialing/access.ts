import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLocalRequest } from '../local-request.js';

/** Who may make this runner place calls: programs on this machine, and whoever has its token. */
export class RunnerAccess {
  readonly #token: Buffer;

  /** @param token what `Authorization: Bearer` must carry */
  constructor(token: string) {
    this.#token = digest(token);
  }

  /** Compares in constant time, whatever the length of what was sent. */
  allows(request: IncomingMessage): boolean {
    if (isLocalRequest(request)) return true;
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    return sent !== undefined && timingSafeEqual(digest(sent), this.#token);
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
