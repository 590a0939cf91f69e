import type { IncomingMessage } from 'node:http';
import { isSameSecret } from '../../secret.js';
import { isLocalRequest } from './local-request.js';
import { TrustedProxies } from './trusted-proxies.js';

/** Who may make this runner place calls and look at them: whoever has its token, and programs on this machine. */
export class RunnerAccess {
  /**
   * @param token what `Authorization: Bearer` must carry
   * @param isOpenLocally whether programs on this machine need no token
   * @param proxies what they send is never taken for local: one that names us `127.0.0.1` and adds no header looks like it
   */
  constructor(
    private readonly token: string,
    private readonly proxies = new TrustedProxies(),
    private readonly isOpenLocally = true,
  ) {}

  allows(request: IncomingMessage): boolean {
    return (this.isOpenLocally && this.isLocal(request)) || this.#bringsToken(request);
  }

  /** For what tells nothing but whether the runner is up: a health check of this machine has no token. */
  allowsProbe(request: IncomingMessage): boolean {
    return this.isLocal(request) || this.#bringsToken(request);
  }

  /** Whether a program on this machine asks. */
  isLocal(request: IncomingMessage): boolean {
    return isLocalRequest(request) && !this.proxies.includes(request.socket.remoteAddress ?? '');
  }

  /** Compares in constant time, whatever the length of what was sent. */
  #bringsToken(request: IncomingMessage): boolean {
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    return sent !== undefined && isSameSecret(sent, this.token);
  }
}
