import type { TunnelProvider } from './contract.js';

/**
 * A public address that the user keeps pointed at this runner, such as that of a reverse proxy. Opens nothing.
 * @param url an origin
 */
export function publicUrlProvider(url: string): TunnelProvider {
  return {
    kind: 'public-url',
    note: 'an address of your own, which you keep pointed at this runner',
    open: async () => ({ url, maxConnections: undefined, lost: new Promise(() => {}), close: async () => {} }),
  };
}
