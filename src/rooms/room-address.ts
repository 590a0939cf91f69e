import { isLoopbackName } from '../http/loopback-host.js';

/** Whether a room, or another address of its provider, is the sandbox's: those are on this machine, and a provider's never are. */
export function isOfSandbox(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'http:' && isLoopbackName(url.hostname);
}
