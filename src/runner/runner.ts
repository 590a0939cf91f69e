import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { settlesWithin } from '../async/deadline.js';
import { deferred } from '../async/deferred.js';
import type { Carrier, CarrierCredentials } from '../carriers/contract.js';
import { VoicebotError } from '../errors.js';
import type { Logger } from '../logger.js';
import { BotPool } from './bot-pool.js';
import { prepareBot } from './bot-source.js';
import { CallControl } from './call-control.js';
import { type CallRecord, CallRegistry } from './call-registry.js';
import { createHttpRoutes } from './http-routes.js';
import { acceptMediaStreams } from './media-upgrade.js';
import { WebhookAddresses } from './webhook-addresses.js';

export interface RunnerOptions {
  /** Absolute path of the bot file. */
  botFile: string;
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** Where the carrier reaches this runner, without a trailing slash. Default: the local address. */
  publicUrl?: string | undefined;
  carrier: Carrier;
  credentials: CarrierCredentials;
  /** Accept unsigned webhooks and streams, for experiments on one machine. */
  insecureWebhooks: boolean;
  callsPerProcess: number;
  /** Bot processes kept ready. */
  warm: number;
  /** How long live calls may go on when the runner stops, in milliseconds. */
  drainMs: number;
  /** Environment of the bot processes: only what any program needs. */
  processEnvironment: Record<string, string>;
  /** Values bots find in `process.env`; they travel over a private channel. */
  botEnvironment: Record<string, string>;
  logger: Logger;
}

export interface RunnerEvents {
  call: [record: CallRecord];
  bot_output: [line: string];
  problem: [message: string];
}

/** How long bots get to say goodbye once calls are being ended, in milliseconds. */
const GOODBYE_MS = 4_000;

/** Serves the carrier's webhooks and media streams and gives every call a bot. */
export class Runner extends EventEmitter<RunnerEvents> {
  readonly #registry = new CallRegistry();
  readonly #pool: BotPool;
  readonly #atOnce = new AbortController();
  #server: Server | undefined;
  #calls: CallControl | undefined;
  #addresses: WebhookAddresses | undefined;
  #stopping: Promise<void> | undefined;

  constructor(private readonly options: RunnerOptions) {
    super();
    this.#pool = new BotPool({
      environment: options.processEnvironment,
      botEnvironment: options.botEnvironment,
      callsPerProcess: options.callsPerProcess,
      warm: options.warm,
    });
    this.#pool.on('output', (line) => this.emit('bot_output', line));
    this.#pool.on('problem', (error) => this.emit('problem', error instanceof Error ? error.message : String(error)));
    this.#registry.on('change', (record) => this.emit('call', record));
  }

  /** Where this machine reaches the runner. */
  get url(): string {
    const { address, family, port } = this.#listening().address() as AddressInfo;
    const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address;
    return `http://${family === 'IPv6' && host === address ? `[${host}]` : host}:${port}`;
  }

  get port(): number {
    return (this.#listening().address() as AddressInfo).port;
  }

  /** Where the carrier reaches the runner. */
  get publicUrl(): string {
    return this.#started().publicUrl;
  }

  /** What to set at the carrier as the number's answer address. */
  get answerUrl(): string {
    return this.#started().answerUrl;
  }

  /** What to set at the carrier as the number's hang-up address. */
  get hangupUrl(): string {
    return this.#started().hangupUrl;
  }

  get liveCalls(): number {
    return this.#registry.liveCount;
  }

  /**
   * Loads the bot, then listens; nothing is served before.
   * @throws VoicebotError VB_BOT_LOAD_FAILED, VB_PORT_IN_USE
   */
  async start(): Promise<void> {
    const { botFile, host, port, carrier, credentials, insecureWebhooks: insecure, logger } = this.options;
    const server = createServer({ headersTimeout: 10_000, requestTimeout: 15_000 });
    try {
      await this.#pool.start(await prepareBot(botFile));
      await listen(server, port, host);
    } catch (error) {
      this.#pool.close();
      throw error;
    }
    this.#server = server;
    carrier.answerDocument([]); // loads the XML writer now and not while the first caller waits
    const addresses = new WebhookAddresses(this.options.publicUrl ?? this.url);
    const calls = new CallControl(this.#registry, this.#pool, addresses, logger);
    const shared = { carrier, authToken: credentials.authToken, addresses, calls, insecure, logger };
    const readyBots = () => (this.#stopping ? 0 : this.#pool.readyCount);
    acceptMediaStreams(server, shared);
    server.on('request', createHttpRoutes({ ...shared, registry: this.#registry, readyBots }));
    this.#addresses = addresses;
    this.#calls = calls;
  }

  /**
   * Turns new calls away, lets live ones go on for `drainMs`, then asks their bots to end them, then ends everything.
   * Called again while stopping, it skips the waiting.
   */
  stop({ drainMs = this.options.drainMs }: { drainMs?: number } = {}): Promise<void> {
    if (this.#stopping) this.#atOnce.abort();
    this.#stopping ??= this.#stop(drainMs);
    return this.#stopping;
  }

  async #stop(drainMs: number): Promise<void> {
    this.#calls?.drain();
    await this.#idleWithin(drainMs);
    this.#calls?.stopCalls();
    await this.#idleWithin(GOODBYE_MS);
    this.#pool.close();
    this.#calls?.endAll('runner_stopped');
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  /** Waits until no call is live and every bot function has settled, at most `limitMs`. */
  async #idleWithin(limitMs: number): Promise<void> {
    const idle = deferred();
    const check = () => {
      if (this.#registry.liveCount === 0 && this.#pool.callCount === 0) idle.resolve();
    };
    this.#registry.on('change', check);
    this.#pool.on('call_done', check);
    this.#atOnce.signal.addEventListener('abort', () => idle.resolve(), { once: true });
    if (this.#atOnce.signal.aborted) idle.resolve();
    check();
    await settlesWithin(idle.promise, limitMs);
    this.#registry.off('change', check);
    this.#pool.off('call_done', check);
  }

  #listening(): Server {
    if (!this.#server) throw new Error('the runner is not started');
    return this.#server;
  }

  #started(): WebhookAddresses {
    if (!this.#addresses) throw new Error('the runner is not started');
    return this.#addresses;
  }
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw error;
    throw new VoicebotError('VB_PORT_IN_USE', `${host}:${port}`, {
      hint: 'stop the other program or choose another port with --port',
      cause: error,
    });
  }
}
