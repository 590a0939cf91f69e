import type { IncomingMessage } from 'node:http';
import { isSameSecret } from '../../secret.js';
import { isLocalRequest } from '../local-request.js';
import { TrustedProxies } from '../trusted-proxies.js';

/** Who may make this runner place calls: programs on this machine, and whoever has its token. */
export class RunnerAccess {
  /**
   * @param token what `Authorization: Bearer` must carry
   * @param proxies what they send is never taken for local: one that names us `127.0.0.1` and adds no header looks like it
   */
  constructor(
    private readonly token: string,
    private readonly proxies = new TrustedProxies(),
  ) {}

  /** Compares in constant time, whatever the length of what was sent. */
  allows(request: IncomingMessage): boolean {
    if (isLocalRequest(request) && !this.proxies.includes(request.socket.remoteAddress ?? '')) return true;
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    return sent !== undefined && isSameSecret(sent, this.token);
  }
}
