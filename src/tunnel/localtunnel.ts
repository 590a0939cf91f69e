import { setTimeout as delay } from 'node:timers/promises';
import { isLoopbackHost } from '../http/loopback-host.js';
import type { TunnelLink, TunnelProvider, TunnelTarget } from './contract.js';
import { LocaltunnelConnections } from './localtunnel-connections.js';
import { askForName } from './localtunnel-name.js';

const DEFAULT_SERVER = 'https://localtunnel.me';
/** The public server gives out names below another domain than its own. */
const PUBLIC_DOMAINS = ['localtunnel.me', 'loca.lt'];
/** A server reserves a name for a second after its last connection; the name is free again after this time, in milliseconds. */
const NAME_IS_FREE_AFTER_MS = 1_500;

export interface LocaltunnelOptions {
  /** Origin of the server that gives out names. Default `https://localtunnel.me`. */
  readonly server?: string | undefined;
}

export function localtunnelProvider({ server = DEFAULT_SERVER }: LocaltunnelOptions = {}): TunnelProvider {
  return {
    kind: 'localtunnel',
    note: 'good for trying things out: about 10 connections at once, and it drops now and then; not for real callers',
    open: (target, signal) => openLink(server, target, signal),
  };
}

async function openLink(server: string, { port, previousUrl }: TunnelTarget, signal: AbortSignal): Promise<TunnelLink> {
  const wanted = previousUrl === undefined ? undefined : labelUnder(server, previousUrl);
  let name = await askForName(server, wanted, signal);
  if (wanted !== undefined && name.id !== wanted) {
    await delay(NAME_IS_FREE_AFTER_MS, undefined, { signal });
    name = await askForName(server, wanted, signal);
  }
  signal.throwIfAborted();
  // Requests keep the Host header of their sender: with a local Host, a request of a stranger would count as local.
  const connections = new LocaltunnelConnections({
    host: isLoopbackHost(name.host) ? '127.0.0.1' : name.host,
    port: name.port,
    localPort: port,
    count: name.maxConnections,
  });
  return {
    url: name.url,
    maxConnections: name.maxConnections,
    lost: connections.lost,
    close: async () => connections.close(),
  };
}

/** The first label of a name that this server gave out; undefined for a name of another server. */
function labelUnder(server: string, previousUrl: string): string | undefined {
  const { host } = new URL(previousUrl);
  const [label = ''] = host.split('.', 1);
  const own = new URL(server).host;
  const domains = PUBLIC_DOMAINS.includes(own) ? PUBLIC_DOMAINS : [own];
  const isUnder = domains.some((domain) => host.endsWith(`.${domain}`));
  return isUnder && /^[a-z0-9-]{4,63}$/.test(label) ? label : undefined;
}
