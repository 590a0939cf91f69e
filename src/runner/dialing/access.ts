import type { IncomingMessage } from 'node:http';
import { isSameSecret } from '../../secret.js';
import { isLocalRequest } from '../local-request.js';

/** Who may make this runner place calls: programs on this machine, and whoever has its token. */
export class RunnerAccess {
  /** @param token what `Authorization: Bearer` must carry */
  constructor(private readonly token: string) {}

  /** Compares in constant time, whatever the length of what was sent. */
  allows(request: IncomingMessage): boolean {
    if (isLocalRequest(request)) return true;
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    return sent !== undefined && isSameSecret(sent, this.token);
  }
}
