import { isLoopbackName } from '../../base/http/loopback-host.js';

/** Whether a room, or another address of its provider, is the sandbox's: those are on this machine, and a provider's never are. */
export function isOfSandbox(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'http:' && isLoopbackName(url.hostname);
}

/** The room's name: what its address ends in; empty where that is no name. */
export function roomNameOf(roomUrl: string): string {
  const { pathname } = new URL(roomUrl);
  return /\/([\w-]{1,128})\/?$/.exec(pathname)?.[1] ?? '';
}
