/**
 * Whether a host's name (as in `URL.hostname`) means this machine by itself: `localhost`, and addresses of loopback. A name
 * below `localhost` is not one of them: a proxy on this machine may serve it to others.
 */
export const isLoopbackName = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** Whether `hostname` (as in `URL.hostname`, or a bare host) can only mean this machine. @see RFC 6761 section 6.3 */
export const isLoopbackHost = (hostname: string): boolean =>
  isLoopbackName(hostname) || hostname === '::1' || /^([\w-]+\.)+localhost$/.test(hostname);

/** Reads an address that is typed: one of a server on this machine. @throws Error with what it must be */
export function parseLoopbackUrl(raw: string): string {
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  if (url && /^https?:$/.test(url.protocol) && isLoopbackHost(url.hostname)) return url.href;
  throw new Error('must be an http address on this machine, such as http://127.0.0.1:7860/answer');
}
