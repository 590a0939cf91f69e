import type { IncomingMessage } from 'node:http';
import { isSameSecret } from '../../base/secret.js';
import type { AskedElsewhere } from './elsewhere.js';
import { isLocalRequest } from './local-request.js';
import { TrustedProxies } from './trusted-proxies.js';

/** Before the token among the protocols that a page offers for its WebSocket. */
const TOKEN_PROTOCOL = 'voicebot.token.';

/** Who may make this runner place calls and look at them: all who have its token, and programs on this machine. */
export class RunnerAccess {
  /**
   * @param token what `Authorization: Bearer` must carry
   * @param isOpenLocally whether programs on this machine need no token
   * @param proxies what they send is never taken for local: one that names us `127.0.0.1` and adds no header looks like it
   * @param others tell whether one of them asks, for a person or program that it has let in
   */
  constructor(
    private readonly token: string,
    private readonly proxies = new TrustedProxies(),
    private readonly isOpenLocally = true,
    private readonly others?: Pick<AskedElsewhere, 'isFromPeer'> | undefined,
  ) {}

  allows(request: IncomingMessage): boolean {
    return (
      (this.isOpenLocally && this.isLocal(request)) ||
      this.#bringsToken(request) ||
      this.others?.isFromPeer(request) === true
    );
  }

  /**
   * The same for a WebSocket: pages can give it no header, so they offer the token among its protocols, as
   * `voicebot.token.<token>` with percent signs before what is not a letter, a digit, `-`, `.` or `_`.
   */
  allowsSocket(request: IncomingMessage): boolean {
    return this.allows(request) || this.#isToken(protocolToken(request));
  }

  /** For what tells nothing but whether the runner is up: a health check of this machine has no token. */
  allowsProbe(request: IncomingMessage): boolean {
    return this.isLocal(request) || this.#bringsToken(request);
  }

  /** Whether a program on this machine asks. */
  isLocal(request: IncomingMessage): boolean {
    return isLocalRequest(request) && !this.proxies.includes(request.socket.remoteAddress ?? '');
  }

  #bringsToken(request: IncomingMessage): boolean {
    return this.#isToken(/^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]);
  }

  /** Compares in constant time, whatever the length of what was sent. */
  #isToken(sent: string | undefined): boolean {
    return sent !== undefined && isSameSecret(sent, this.token);
  }
}

function protocolToken({ headers }: IncomingMessage): string | undefined {
  const offered = headers['sec-websocket-protocol']?.split(/ *, */) ?? [];
  const token = offered.find((protocol) => protocol.startsWith(TOKEN_PROTOCOL))?.slice(TOKEN_PROTOCOL.length);
  try {
    return token && decodeURIComponent(token);
  } catch {
    return undefined;
  }
}
