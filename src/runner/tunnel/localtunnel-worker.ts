/** The package `localtunnel`, in a thread for one name: see `localtunnel.ts`. */
import { subscribe } from 'node:diagnostics_channel';
import { setDefaultResultOrder } from 'node:dns';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { networkReason } from './http-get.js';
import { publicOrigin } from './tunnel-failure.js';

export interface LocaltunnelOrder {
  /** Origin of the server that gives out names. */
  readonly server: string;
  /** The first label of the name that is wished for. */
  readonly subdomain: string | undefined;
  /** TCP port on this machine that requests go to. */
  readonly port: number;
}

export interface LocaltunnelName {
  /** An origin. */
  readonly url: string;
  readonly maxConnections: number;
}

/** The name that was given, or why, for people, there is none or none any more. */
export type LocaltunnelNews = LocaltunnelName | { readonly reason: string };

/** The part of the package that we use. */
type Localtunnel = (options: { host: string; subdomain: string | undefined; port: number }) => Promise<{
  readonly url: string;
  on(event: 'error', listener: (error: Error) => void): void;
}>;

/** The part of `axios` that we use; the package asks with it. */
interface HttpClient {
  readonly defaults: object;
  readonly interceptors: {
    readonly response: {
      use(answered: (response: { status: number; data: unknown }) => object, failed: (error: unknown) => never): void;
    };
  };
}

/** Connections that the public servers allow; assumed for a server that does not say. */
const USUAL_CONNECTIONS = 10;
/** Most connections that are opened, however many a server offers. */
const MOST_CONNECTIONS = 100;
/** So many times all connections may end one after the other without a request until the name counts as lost. */
const SILENT_ROUNDS = 3;

const { server, subdomain, port } = workerData as LocaltunnelOrder;
const tell = (news: LocaltunnelNews) => parentPort?.postMessage(news);

// The package has no options for these: a media message is far smaller than a packet, and only 127.0.0.1 is meant by its `localhost`.
subscribe('net.client.socket', (message) => (message as { socket: Socket }).socket.setNoDelay(true));
setDefaultResultOrder('ipv4first');

const require = createRequire(import.meta.url);
const localtunnel: Localtunnel = require('localtunnel');
const http: HttpClient = createRequire(require.resolve('localtunnel'))('axios');
let maxConnections = USUAL_CONNECTIONS;
let silentInARow = 0;

// The package asks again every second, for ever and in silence, when an answer is no name. So each is read before the package sees it.
Object.assign(http.defaults, {
  maxContentLength: 16_384,
  maxRedirects: 3,
  beforeRedirect: ({ href }: { href: string }) => {
    if (!publicOrigin(href)) throw new Error('it leads to an unsafe address');
  },
  validateStatus: () => true,
});
http.interceptors.response.use(
  ({ status, data }) => {
    const name = readName(status, typeof data === 'object' ? (data as Record<string, unknown> | null) : null);
    maxConnections = name.max_conn_count;
    return { status, data: name };
  },
  (error) => fail(`cannot be reached: ${networkReason(error)}`),
);

const relay = patientRelay(port).listen(0, '127.0.0.1');
relay.on('connection', (waiting) => waiting.once('close', () => countSilent(waiting.bytesRead)));
await once(relay, 'listening');
const { port: relayPort } = relay.address() as AddressInfo;
// Without `local_host`, with which the package would write over the Host header: a stranger's request would count as local.
const client = await localtunnel({ host: server, subdomain, port: relayPort });
client.on('error', ({ message }) => tell({ reason: `the connection to its server failed: ${message}` }));
tell({ url: new URL(client.url).origin, maxConnections });

/**
 * Takes the connections of a tunnel for the server on this machine, and connects each with it when the first byte of a request
 * comes. A server that is connected earlier answers the silence with `408 Request Timeout` after some seconds, which the next
 * request would get as its answer.
 * @param port where the server listens on this machine
 * @returns not yet listening
 * @see https://github.com/localtunnel/server/issues/203
 */
function patientRelay(port: number): Server {
  // A media message is far smaller than a packet.
  return createServer({ noDelay: true }, (waiting) => relayFromFirstByte(waiting, port));
}

/** When the bot's side breaks off, the tunnel's connection is closed gracefully, so that the bot's last audio still arrives. */
function relayFromFirstByte(waiting: Socket, port: number): void {
  waiting.on('error', () => {}); // it is closed then
  waiting.once('data', (first) => {
    waiting.pause();
    const local = connect({ host: '127.0.0.1', port, noDelay: true });
    local.write(first);
    local.on('error', () => waiting.end());
    waiting.once('close', () => {
      if (!waiting.readableEnded) local.destroy(); // otherwise its last bytes are still on their way
    });
    waiting.pipe(local).pipe(waiting);
  });
}

/** A connection that the server ends is replaced at once, for ever. The checks of the public address are requests too. */
function countSilent(bytesRead: number): void {
  silentInARow = bytesRead > 0 ? 0 : silentInARow + 1;
  if (silentInARow === SILENT_ROUNDS * maxConnections) tell({ reason: 'its server ends every connection' });
}

/** Ends the attempt: this thread is ended when it has told. */
function fail(words: string): never {
  const reason = `its server ${server} ${words}`;
  tell({ reason });
  throw new Error(reason);
}

/** The server's answer, with a number of connections that is sound. */
function readName(status: number, answer: Record<string, unknown> | null) {
  if (status !== 200 || !answer) {
    const words = typeof answer?.message === 'string' ? `: ${answer.message}` : '';
    return fail(`gave no name, but HTTP ${status}${words}`);
  }
  const { url, port: remotePort, ip, max_conn_count: count } = answer;
  if (!publicOrigin(url)) return fail('gave an address that is not https');
  const isSound = isWithin(65_535, remotePort) && (!ip || typeof ip === 'string');
  if (!isSound) return fail('gave an answer that makes no sense');
  const isCount = isWithin(Number.MAX_SAFE_INTEGER, count);
  return { ...answer, max_conn_count: isCount ? Math.min(count, MOST_CONNECTIONS) : USUAL_CONNECTIONS };
}

function isWithin(most: number, value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
}
