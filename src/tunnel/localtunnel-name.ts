import { cleanText } from '../clean-text.js';
import { httpGet, networkReason } from './http-get.js';
import { publicOrigin, tunnelFailure } from './tunnel-failure.js';

/** What a localtunnel server gives out. */
export interface LocaltunnelName {
  readonly id: string;
  readonly url: string;
  /** Where connections for this name are taken. */
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
}

/** Connections that the public servers allow; assumed for a server that does not say. */
const USUAL_CONNECTIONS = 10;
/** Most connections that are opened, however many a server offers. */
const MOST_CONNECTIONS = 100;
const MAX_REDIRECTS = 3;

/**
 * Asks a localtunnel server for a name, once.
 * @param server an origin
 * @param wanted the first label of a name that the server gave out before; the server may give another
 * @throws VoicebotError VB_TUNNEL_FAILED
 */
export async function askForName(
  server: string,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<LocaltunnelName> {
  let url = new URL(wanted ?? '?new', `${server}/`);
  for (let redirects = 0; ; redirects += 1) {
    const answer = await httpGet(url, {}, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw tunnelFailure('localtunnel', `its server ${server} cannot be reached: ${networkReason(error)}`);
    });
    const isRedirect = answer.status >= 300 && answer.status < 400 && answer.location !== undefined;
    if (!isRedirect || redirects >= MAX_REDIRECTS) return readName(answer.status, answer.body, url, server);
    const next = new URL(answer.location ?? '', url);
    if (!publicOrigin(next.href)) throw tunnelFailure('localtunnel', `its server ${server} leads to an unsafe address`);
    url = next;
  }
}

function readName(status: number, body: string, { hostname }: URL, server: string): LocaltunnelName {
  const fields = parseObject(body);
  if (status !== 200 || !fields) {
    const words = typeof fields?.message === 'string' ? `: ${cleanText(fields.message, 200)}` : '';
    throw tunnelFailure('localtunnel', `its server ${server} gave no name, but HTTP ${status}${words}`);
  }
  const { id, url, port, ip, max_conn_count: most } = fields;
  const origin = publicOrigin(url);
  if (!origin) throw tunnelFailure('localtunnel', `its server ${server} gave an address that is not https`);
  if (typeof id !== 'string' || !isPort(port)) {
    throw tunnelFailure('localtunnel', `its server ${server} gave an answer that makes no sense`);
  }
  const isCount = typeof most === 'number' && Number.isInteger(most) && most > 0;
  return {
    id,
    url: origin,
    host: typeof ip === 'string' && ip !== '' ? ip : hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    maxConnections: isCount ? Math.min(most, MOST_CONNECTIONS) : USUAL_CONNECTIONS,
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const isPort = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 65_535;
