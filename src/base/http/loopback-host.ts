/**
 * Whether a host's name (as in `URL.hostname`) means this machine by itself: `localhost`, and addresses of loopback. A name
 * below `localhost` is not one of them: a proxy on this machine may serve it to others.
 */
export const isLoopbackName = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** Whether `hostname` (as in `URL.hostname`, or a bare host) can only mean this machine. @see RFC 6761 section 6.3 */
export const isLoopbackHost = (hostname: string): boolean =>
  isLoopbackName(hostname) || hostname === '::1' || /^([\w-]+\.)+localhost$/.test(hostname);
