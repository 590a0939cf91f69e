import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { deferred } from '../../base/async/deferred.js';
import { cleanText } from '../../base/clean-text.js';
import type { TunnelLink, TunnelProvider, TunnelTarget } from './contract.js';
import type { LocaltunnelName, LocaltunnelNews, LocaltunnelOrder } from './localtunnel-worker.js';
import { tunnelFailure } from './tunnel-failure.js';

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
  const subdomain = previousUrl === undefined ? undefined : labelUnder(server, previousUrl);
  const link = await openInThread({ server, subdomain, port }, signal);
  if (subdomain === undefined || new URL(link.url).host.startsWith(`${subdomain}.`)) return link;
  await link.close();
  await delay(NAME_IS_FREE_AFTER_MS, undefined, { signal });
  return openInThread({ server, subdomain, port }, signal);
}

/**
 * Has the package in a thread of its own: it cannot be cancelled and goes on after its `close`, and nothing that it throws there
 * ends the runner. The end of the thread ends all that it has open.
 */
async function openInThread(order: LocaltunnelOrder, signal: AbortSignal): Promise<TunnelLink> {
  signal.throwIfAborted();
  const opened = deferred<LocaltunnelName>();
  const lost = deferred<string>();
  const end = (words: string) => {
    const reason = cleanText(words, 300);
    opened.reject(tunnelFailure('localtunnel', reason));
    lost.resolve(reason);
  };
  // What this process was started with, and its keys, are not for the thread.
  const options = { workerData: order, execArgv: [], env: {} };
  const worker = new Worker(new URL('./localtunnel-worker.js', import.meta.url), options);
  worker.on('message', (news: LocaltunnelNews) => ('reason' in news ? end(news.reason) : opened.resolve(news)));
  worker.on('error', ({ message }) => end(`its package failed: ${message}`));
  const close = async () => void (await worker.terminate());
  const giveUp = () => opened.reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return { ...(await opened.promise), lost: lost.promise, close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
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
