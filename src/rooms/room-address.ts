/** Whether a host's name can only be this machine. */
export const isThisMachine = (hostname: string): boolean => /^(localhost|\[::1\]|127(\.\d+){3})$/.test(hostname);

/** Whether a room, or another address of its provider, is the sandbox's: those are on this machine, and a provider's never are. */
export function isOfSandbox(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'http:' && isThisMachine(url.hostname);
}
