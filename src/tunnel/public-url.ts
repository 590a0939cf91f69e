import type { TunnelProvider } from './contract.js';

/**
 * An address that somebody else keeps pointed at this runner, such as a reverse proxy's. Nothing is opened.
 * @param url an origin
 */
export function publicUrlProvider(url: string): TunnelProvider {
  return {
    kind: 'public-url',
    note: 'an address of your own: whoever keeps it leads it to this runner',
    open: async () => ({ url, maxConnections: undefined, lost: new Promise(() => {}), close: async () => {} }),
  };
}
