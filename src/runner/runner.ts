import { EventEmitter } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { settlesWithin } from '../async/deadline.js';
import { deferred } from '../async/deferred.js';
import { DEMO_OPERATOR } from '../call/operator-number.js';
import type { LogFields } from '../logger.js';
import { findOptionalPackagesFrom } from '../optional-package.js';
import { probePublicUrl } from '../tunnel/reach.js';
import { ReachProbe } from '../tunnel/reach-probe.js';
import { BotPool } from './bots/bot-pool.js';
import { BotReloader } from './bots/bot-reloader.js';
import type { BotSource } from './bots/bot-source.js';
import { type BotUses, usesOf } from './bots/bot-uses.js';
import { GOODBYE_MS } from './bots/messages.js';
import { CallRegistry } from './calls/call-registry.js';
import { createCarrierAdapter } from './calls/carrier-adapter.js';
import type { ProviderAdapter, StartAdapter } from './calls/provider-adapter.js';
import { createRoomsAdapter } from './calls/rooms-adapter.js';
import type { RoomsBrowser } from './calls/rooms-driver.js';
import type { RoomTrial } from './calls/trial-room.js';
import { DialLimits } from './dialing/dial-limits.js';
import { loadNumberingPlans } from './dialing/dial-target.js';
import { DialledMinutes } from './dialing/dialled-minutes.js';
import type { StartedCall, StartRequest } from './dialing/start-request.js';
import { targetCheck } from './dialing/target-check.js';
import { RunnerAccess } from './http/access.js';
import { ConnectionGuard } from './http/connection-guard.js';
import { listen } from './http/listen.js';
import type { RunnerStatus } from './http/local-page.js';
import { Reach } from './http/reach.js';
import { answerReachUpgrades, reachRoute } from './http/reach-answers.js';
import { RefusalLog } from './http/refusal-log.js';
import { startRoute } from './http/start-route.js';
import { TrustedProxies } from './http/trusted-proxies.js';
import { WebhookAddresses } from './http/webhook-addresses.js';
import { createHttpRoutes } from './http-routes.js';
import type { RunnerEvents, RunnerOptions } from './runner-options.js';

/** A request's head must be there within 10 s and the whole of it within 15 s. Addresses carry up to 11 KiB of data. */
const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 32 * 1_024,
};
/** How long a request of our own may take through a tunnel, in milliseconds. */
const PROBE_LIMIT_MS = 2_500;
/** How long those who follow calls can still see how they ended, in milliseconds. */
const LAST_LOOK_MS = 500;
/** Of a bot that transfers callers, on a real account. */
export const NO_OPERATOR = {
  message: `the bot transfers callers to OPERATOR_NUMBER, which is not set to a real number: they reach ${DEMO_OPERATOR}, an unassigned number`,
  fix: 'Set OPERATOR_NUMBER in .env',
};

/** Serves the provider's webhooks and gives every call a bot. */
export class Runner extends EventEmitter<RunnerEvents> {
  /** Questions that are answered over the public address, to see whether it leads here. */
  readonly probe = new ReachProbe();
  /** Most calls whose media the tunnel carries at once; callers beyond hear that it is busy. Undefined: any number. */
  maxCalls: number | undefined;
  /** What the configuration lacks for this bot, for people. */
  readonly warnings: string[] = [];
  readonly #registry = new CallRegistry();
  readonly #browser: RoomsBrowser | undefined;
  readonly #pool: BotPool;
  readonly #bots: BotReloader;
  readonly #proxies: TrustedProxies;
  readonly #atOnce = new AbortController();
  readonly #turnedAway: RefusalLog;
  readonly #refusals: RefusalLog;
  #server: Server | undefined;
  #provider: ProviderAdapter | undefined;
  #addresses: WebhookAddresses | undefined;
  #reach: Reach | undefined;
  #uses: BotUses = { operator: false, providers: [] };
  #stopping: Promise<void> | undefined;
  #startedAt = 0;

  constructor(private readonly options: RunnerOptions) {
    super();
    this.#proxies = new TrustedProxies(options.trustedProxies);
    this.#browser = options.provider.kind === 'rooms' ? options.provider.browser : undefined;
    this.#turnedAway = new RefusalLog({ ...options.logger, warn: (message, fields) => this.#warn(message, fields) });
    this.#refusals = new RefusalLog(options.logger, this.#proxies);
    this.#pool = new BotPool({
      environment: options.processEnvironment,
      botEnvironment: options.botEnvironment,
      callsPerProcess: options.callsPerProcess,
      warm: options.warm,
      memoryBytes: options.botMemoryBytes,
      ...(options.provider.kind === 'rooms' && { roomsClient: this.#browser ? 'browser' : 'built-in' }),
      pages: this.#browser,
      createProcess: options.createBotProcess,
    });
    this.#pool.on('output', (line, callId) => this.emit('bot_output', line, callId));
    this.#pool.on('died', (callIds, death) => {
      for (const callId of callIds) options.logger.warn('the bot process of a call has died', { callId, ...death });
    });
    this.#pool.on('problem', (error) => this.emit('problem', error instanceof Error ? error.message : String(error)));
    this.#registry.on('change', (record) => this.emit('call', record));
    const { botFile: file, watch = false } = options;
    this.#bots = new BotReloader({ file, pool: this.#pool, watches: watch });
    this.#bots.on('loaded', (source) => this.#look(source));
    this.#bots.on('reloaded', (saved, ms) => this.emit('reloaded', saved, ms));
    this.#bots.on('reload_failed', (error) => this.emit('reload_failed', error));
  }

  /** What the code of its bot needs. */
  get uses(): BotUses {
    return this.#uses;
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

  /** The addresses that the provider is given. */
  get addresses(): WebhookAddresses {
    if (!this.#addresses) throw new Error('the runner is not started');
    return this.#addresses;
  }

  /** Whether the provider reaches them: to be told by whoever looks after the tunnel. */
  get reach(): Reach {
    if (!this.#reach) throw new Error('the runner is not started');
    return this.#reach;
  }

  /** From now on the provider reaches this runner here: documents, dialled calls and signatures go by it. */
  moveTo(publicUrl: string): void {
    this.reach.back(publicUrl);
  }

  get liveCalls(): number {
    return this.#registry.liveCount;
  }

  /**
   * Calls a number, or has the bot in a room call it, as `POST /start` does.
   * @throws VoicebotError with what `POST /start` would answer
   */
  async dial(request: StartRequest): Promise<StartedCall> {
    this.#listening();
    return await this.#dial(this.#provider as ProviderAdapter, request);
  }

  /**
   * Creates a room of the account, joins it as two participants that hear each other, and deletes it.
   * @returns undefined when calls do not go through rooms
   * @throws VoicebotError VB_ROOM_JOIN_FAILED, VB_BROWSER_FAILED, VB_CREDENTIALS_REFUSED, VB_ROOMS_REQUEST_FAILED,
   *   VB_ROOMS_UNREACHABLE
   * @throws the signal's reason when that is aborted
   */
  async tryRoom(signal?: AbortSignal): Promise<RoomTrial | undefined> {
    this.#listening();
    return await this.#provider?.tryRoom?.(signal);
  }

  /**
   * Replaces the bot processes that wait for calls by fresh ones with the code as it is now, even when it is the same.
   * Calls that go on keep their bots. What comes of it is told as `reloaded` or `reload_failed`; it never rejects for that.
   */
  async reload(): Promise<void> {
    this.#listening();
    await this.#bots.reload();
  }

  /**
   * Loads the bot, then listens; nothing is served before.
   * @throws VoicebotError VB_BOT_LOAD_FAILED, VB_BROWSER_FAILED, VB_PORT_IN_USE
   */
  async start(): Promise<void> {
    const { host, port, provider } = this.options;
    const server = createServer(SERVER_LIMITS);
    const guard = new ConnectionGuard({ isProxy: (address) => this.#proxies.includes(address) });
    guard.attach(server);
    let open: StartAdapter;
    findOptionalPackagesFrom(this.options.botFile); // those that this process needs to try a room
    try {
      await Promise.all([this.#bots.start(), this.#browser?.start()]);
      open = await (provider.kind === 'carrier' ? createCarrierAdapter(provider) : createRoomsAdapter(provider));
      await listen(server, port, host);
    } catch (error) {
      this.#bots.close();
      this.#pool.close();
      await this.#browser?.close();
      throw error;
    }
    this.#server = server;
    this.#startedAt = Date.now();
    void loadNumberingPlans();
    const { publicUrl, isTunnelled } = this.options;
    this.#addresses = new WebhookAddresses(publicUrl ?? this.url);
    this.#reach = new Reach(this.#addresses, {
      isUp: !isTunnelled || publicUrl !== undefined,
      ...(isTunnelled && { probe: (url) => this.#probe(url) }),
    });
    this.#provider = this.#serve(server, guard, open);
    this.#provider.recover();
  }

  #serve(server: Server, guard: ConnectionGuard, open: StartAdapter): ProviderAdapter {
    const { insecureWebhooks, logger } = this.options;
    const adapter = open({
      ...this.options,
      server,
      guard,
      registry: this.#registry,
      pool: this.#pool,
      addresses: this.addresses,
      reach: this.reach,
      maxCalls: () => this.maxCalls,
      turnedAway: this.#turnedAway,
      refusals: this.#refusals,
      limits: new DialLimits({ ...this.options.dialLimits, minutes: this.#dialledMinutes() }),
      checkTarget: targetCheck(this.options),
      phoneNumber: this.options.phoneNumber,
      insecure: insecureWebhooks,
    });
    const access = new RunnerAccess(this.options.token, this.#proxies, this.options.isOpenLocally);
    const start = startRoute({
      access,
      dial: (request) => this.#dial(adapter, request),
      warnings: this.warnings,
      logger,
    });
    const readyBots = () => (this.#stopping ? 0 : this.#pool.readyCount);
    const status = () => this.#status(readyBots());
    const routes = { provider: adapter.routes, reach: reachRoute(this.probe), start };
    server.on('request', createHttpRoutes({ ...routes, registry: this.#registry, access, readyBots, status, logger }));
    answerReachUpgrades(server, this.probe, this.options.provider.kind === 'rooms');
    return adapter;
  }

  /** Nobody is called whose bot would not know what for. */
  async #dial(adapter: ProviderAdapter, request: StartRequest): Promise<StartedCall> {
    await this.#pool.checkBody(request.body);
    return adapter.dial(request);
  }

  #dialledMinutes(): DialledMinutes | undefined {
    const { stateDirectory, dialLimits, dialMaxSeconds } = this.options;
    const { minutesPerDay: perDay } = dialLimits;
    if (perDay === undefined) return undefined;
    const perCall = Math.ceil(dialMaxSeconds / 60);
    return new DialledMinutes({ directory: join(stateDirectory, 'dialled'), perDay, perCall });
  }

  /** Whether a request comes through the tunnel. */
  #probe(publicUrl: string): Promise<unknown> {
    const options = { timeoutMs: PROBE_LIMIT_MS, overWebSocket: false };
    return probePublicUrl(publicUrl, this.probe, options, this.#atOnce.signal);
  }

  /** What whoever looks after the runner should know at once. */
  #warn(message: string, fields: LogFields = {}): void {
    this.options.logger.warn(message, fields);
    const { count, seconds } = fields;
    this.emit('problem', count === undefined ? message : `${message}: ${count} in ${seconds} s`);
  }

  /** Tells once what the code of the bot needs and the configuration lacks, as long as it is the same. */
  #look(source: BotSource): void {
    const { operatorNumber, logger } = this.options;
    this.#uses = usesOf(source);
    const isLacking = !operatorNumber && this.#uses.operator;
    if (!isLacking) this.warnings.length = 0;
    if (!isLacking || this.warnings.length > 0) return;
    const warning = `${NO_OPERATOR.message}. ${NO_OPERATOR.fix}`;
    this.warnings.push(warning);
    logger.warn(warning);
  }

  #status(readyBots: number): RunnerStatus {
    const { botFile, provider, phoneNumber } = this.options;
    const isWorking = readyBots > 0 ? ('ready' as const) : ('no_bot' as const);
    return {
      version: 1,
      state: this.#stopping ? 'stopping' : this.reach.isUp ? isWorking : 'unreachable',
      botFile: basename(botFile),
      transport: provider.kind,
      number: phoneNumber ?? null,
      publicUrl: this.addresses.publicUrl,
      readyBots,
      liveCalls: this.liveCalls,
      startedAt: this.#startedAt,
    };
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
    this.#bots.close();
    this.#provider?.supervisor.drain();
    await this.#idleWithin(drainMs);
    this.#provider?.supervisor.stopCalls();
    await this.#idleWithin(GOODBYE_MS);
    this.#pool.close();
    const live = this.#registry.liveCount;
    this.#provider?.supervisor.endAll('runner_stopped');
    await Promise.all([this.#provider?.close(this.#atOnce.signal), this.#browser?.close()]);
    if (live > 0 && !this.#atOnce.signal.aborted) await delay(LAST_LOOK_MS);
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#turnedAway.close();
    this.#refusals.close();
  }

  /** Waits until no call is live and every bot function has settled, at most `limitMs`. */
  async #idleWithin(limitMs: number): Promise<void> {
    const idle = deferred();
    const check = () => {
      if ((this.#provider?.supervisor.busyCount ?? 0) === 0 && this.#pool.callCount === 0) idle.resolve();
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
}
