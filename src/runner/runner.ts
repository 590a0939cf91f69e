import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '../base/error-text.js';
import type { LogFields, Logger } from '../base/logger.js';
import { findOptionalPackagesFrom } from '../base/optional-package.js';
import type { CallId } from '../call/call-id.js';
import type { RunnerStatus } from '../call/runner-status.js';
import { alone } from './alone.js';
import { BotPool } from './bots/bot-pool.js';
import { BotReloader } from './bots/bot-reloader.js';
import type { BotUses } from './bots/bot-uses.js';
import { GOODBYE_MS } from './bots/messages.js';
import { NeedsCheck } from './bots/needs-check.js';
import { ServiceWatch } from './bots/service-watch.js';
import { createAdapter } from './calls/create-adapter.js';
import type { CallFolders } from './calls/life/call-folders.js';
import { notedLogger } from './calls/life/noted-logger.js';
import { Supervisors } from './calls/life/supervisors.js';
import { LocalCalls } from './calls/local-calls.js';
import type { ProviderAdapter, StartAdapter } from './calls/provider-adapter.js';
import type { RoomsBrowser } from './calls/rooms/rooms-driver.js';
import type { RoomTrial } from './calls/rooms/trial-room.js';
import type { Coordination, OtherRunners } from './coordination.js';
import { dialRules } from './dial-rules.js';
import { DialChecks } from './dialing/dial-checks.js';
import { dialsLater } from './dialing/dials-later.js';
import type { StartedCall, StartRequest } from './dialing/start-request.js';
import { ApplicationEvents } from './events/application-events.js';
import { RunnerAccess } from './http/access.js';
import { ConnectionGuard } from './http/connection-guard.js';
import { ownServer, type RunnerServer } from './http/listen.js';
import { Reach } from './http/reach.js';
import { RefusalLog } from './http/refusal-log.js';
import { TrustedProxies } from './http/trusted-proxies.js';
import { WebhookAddresses } from './http/webhook-addresses.js';
import type { MetricSet } from './metrics/metric-set.js';
import { RunnerMetrics } from './metrics/runner-metrics.js';
import { statusOf } from './operator/status-of.js';
import { botPoolOptionsOf, type RunnerEvents, type RunnerOptions } from './runner-options.js';
import { openFolders, openRegistry, priceCalls } from './runner-registry.js';
import { type ServedHttp, serveHttp } from './serve-http.js';
import { comesHere } from './tunnel/reach.js';
import { ReachProbe } from './tunnel/reach-probe.js';

/** How long those who follow calls can still see how they ended, in milliseconds. */
const LAST_LOOK_MS = 500;

/** Serves the provider's webhooks and gives every call a bot. */
export class Runner extends EventEmitter<RunnerEvents> {
  /** Questions that are answered over the public address, to see whether it leads here. */
  readonly probe: ReachProbe;
  /** Most calls whose media the tunnel carries at once; callers beyond hear that it is busy. Undefined: any number. */
  maxCalls: number | undefined;
  /** Of its calls. */
  readonly folders: CallFolders;
  readonly #registry;
  readonly #events: ApplicationEvents | undefined;
  readonly #logger: Logger;
  readonly #coordination: Coordination;
  readonly #needs: NeedsCheck;
  readonly #browser: RoomsBrowser | undefined;
  readonly #pool: BotPool;
  readonly #bots: BotReloader;
  readonly #services: ServiceWatch;
  readonly #proxies: TrustedProxies;
  readonly #atOnce = new AbortController();
  readonly #turnedAway: RefusalLog;
  readonly #refusals: RefusalLog;
  readonly #metrics: RunnerMetrics;
  readonly #supervisors = new Supervisors();
  /** What it may share with other runners. */
  readonly #shared: Array<{ close(): Promise<void> }> = [];
  #server: RunnerServer | undefined;
  #provider: ProviderAdapter | undefined;
  #local: LocalCalls | undefined;
  #addresses: WebhookAddresses | undefined;
  #http: ServedHttp | undefined;
  #reach: Reach | undefined;
  #checks: DialChecks | undefined;
  #stopping: Promise<void> | undefined;
  #others: OtherRunners | undefined;
  #startedAt = 0;
  #dials = true;

  constructor(private readonly options: RunnerOptions) {
    super();
    this.#coordination = options.coordination ?? alone;
    this.probe = new ReachProbe(this.#coordination.signer);
    this.#registry = openRegistry(options);
    this.#logger = notedLogger(options.logger, this.#registry.timelines);
    this.#needs = new NeedsCheck(options, (warning) => this.#logger.warn(warning));
    this.#proxies = new TrustedProxies(options.trustedProxies);
    this.#browser = options.provider.kind === 'rooms' ? options.provider.browser : undefined;
    this.#turnedAway = new RefusalLog({ ...this.#logger, warn: (message, fields) => this.#warn(message, fields) });
    this.#refusals = new RefusalLog(this.#logger, this.#proxies, (refusal) => this.#metrics.refused(refusal));
    this.#pool = new BotPool(botPoolOptionsOf(options, this.#browser));
    this.#services = new ServiceWatch(this.#pool, this.#registry.timelines, (service) => this.emit('service', service));
    const isReachable = () => this.#reach?.isUp ?? false;
    const counted = { registry: this.#registry, pool: this.#pool, eventsWaiting: () => this.#events?.waiting ?? 0 };
    const countOthers = (set: MetricSet) => this.#coordination.count?.(set);
    this.#metrics = new RunnerMetrics({ ...options, ...counted, isReachable, countOthers, services: this.#services });
    this.#pool.on('output', (line, callId, exception) => {
      if (callId) this.#registry.timelines.note(callId, { type: 'output', line, ...(exception && { exception }) });
      this.emit('bot_output', line, callId, exception);
    });
    this.#pool.on('died', (callIds, death) => {
      for (const callId of callIds) this.#logger.warn('the bot process of a call has died', { callId, ...death });
    });
    this.#pool.on('problem', (error) => this.emit('problem', errorText(error), error));
    const goesOnElsewhere = async (id: CallId) => (await this.#others?.goOnWith(id)) === true;
    this.#events = ApplicationEvents.following(this.#registry, { ...options, goesOnElsewhere });
    this.#registry.on('change', (record) => this.emit('call', record));
    this.#registry.timelines.on('event', (callId, event) => this.emit('noted', callId, event));
    const coordinated = { ...options, logger: this.#logger, coordination: this.#coordination };
    this.folders = openFolders(coordinated, this.#registry, this.#pool);
    this.#bots = new BotReloader({ file: options.botFile, pool: this.#pool, watches: options.watch ?? false });
    this.#bots.on('loaded', (source) => this.#needs.look(source));
    this.#bots.on('reloaded', (saved, ms) => this.emit('reloaded', saved, ms));
    this.#bots.on('reload_failed', (error) => this.emit('reload_failed', error));
  }

  /** What the code of its bot needs. */
  get uses(): BotUses {
    return this.#needs.uses;
  }

  /** What the configuration lacks for this bot, for people. */
  get warnings(): readonly string[] {
    return this.#needs.warnings;
  }

  /** Where this machine reaches the runner. */
  get url(): string {
    return this.#listening().url;
  }

  get port(): number {
    return this.#listening().port;
  }

  /** The addresses that the provider is given. */
  get addresses(): WebhookAddresses {
    if (!this.#addresses) throw new Error('the runner is not started');
    return this.#addresses;
  }

  /** Whether the provider reaches them: to be told by the code that looks after the tunnel. */
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

  /** Bot processes that could take a call now; none once it stops. */
  get readyBots(): number {
    return this.#stopping || this.#others?.isJoined === false ? 0 : this.#pool.readyCount;
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
   * Creates a room of the account, joins it as two participants that hear each other, has it transcribe where the bot does, and deletes it.
   * @returns undefined when calls do not go through rooms
   * @throws VoicebotError VB_ROOM_JOIN_FAILED, VB_BROWSER_FAILED, VB_CREDENTIALS_REFUSED, VB_ROOMS_REQUEST_FAILED,
   *   VB_ROOMS_UNREACHABLE
   * @throws the signal's reason when that is aborted
   */
  async tryRoom(signal?: AbortSignal): Promise<RoomTrial | undefined> {
    this.#listening();
    return await this.#provider?.tryRoom?.({ transcribes: this.uses.transcription !== undefined, signal });
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
   * @param dials false: it places no calls until {@link startDialling}
   * @throws VoicebotError VB_BOT_LOAD_FAILED, VB_BROWSER_FAILED, VB_PORT_IN_USE
   */
  async start({ dials = true } = {}): Promise<void> {
    this.#dials = dials;
    const { host, port, otherPorts, provider } = this.options;
    const served = this.options.server ?? ownServer(host, port, otherPorts);
    const guard = new ConnectionGuard({ isProxy: (address) => this.#proxies.includes(address) });
    guard.attach(served.server);
    let open: StartAdapter;
    findOptionalPackagesFrom(this.options.botFile); // those that this process needs to try a room
    try {
      await Promise.all([this.#metrics.open(), this.#bots.start(), this.#browser?.start()]);
      const { requested } = this.#metrics;
      open = await createAdapter(provider, requested);
      await served.open();
    } catch (error) {
      this.#bots.close();
      this.#metrics.close();
      this.#pool.close();
      await this.#browser?.close();
      throw error;
    }
    this.#server = served;
    this.#startedAt = Date.now();
    const { publicUrl, isTunnelled } = this.options;
    this.#addresses = new WebhookAddresses(publicUrl ?? this.url, this.#coordination.advertise);
    this.#reach = new Reach(this.#addresses, {
      isUp: !isTunnelled || publicUrl !== undefined,
      ...(isTunnelled && { probe: (url) => comesHere(url, this.probe, this.#atOnce.signal) }),
    });
    this.#provider = this.#serve(served, guard, open);
    await this.folders.start(); // before the words of earlier calls are told
    this.#events?.recover();
    this.#provider.recover();
    await this.#others?.join(host, this.port);
    if (dials) await this.startDialling();
  }

  /** Places calls from now on, those of campaigns that earlier runs have left among them. */
  async startDialling(): Promise<void> {
    this.#dials = true;
    await this.#http?.campaigns.campaigns.start();
  }

  #serve({ server }: RunnerServer, guard: ConnectionGuard, open: StartAdapter): ProviderAdapter {
    const [logger, registry] = [this.#logger, this.#registry];
    const load = () => ({ calls: this.liveCalls, warm: this.readyBots, isDraining: this.#stopping !== undefined });
    const { publicUrl, maxCallSeconds, provider, stateDirectory } = this.options;
    const maxCallMs = maxCallSeconds * 1_000;
    this.#others = this.#coordination.others?.({ registry, publicUrl, maxCallMs, load, logger });
    const secret = provider.kind === 'carrier' ? provider.credentials.authToken : provider.credentials.apiKey;
    const rules = dialRules(this.options, this.#coordination, secret);
    const requests = this.#coordination.requests<StartedCall>(secret);
    this.#checks = new DialChecks(rules.checkTarget, this.options, ({ body }) => this.#pool.checkBody(body));
    const costs = priceCalls(this.options, registry, rules.limits);
    this.#shared.push(...costs, rules.limits, rules.doNotCall, requests);
    const { addresses, reach } = this;
    const own = { pool: this.#pool, turnedAway: this.#turnedAway, refusals: this.#refusals };
    const shared = { signer: this.#coordination.signer, sharing: this.#others?.calls };
    const context = {
      ...{ ...this.options, ...own, ...shared, logger, server, guard, registry, addresses, reach, ...rules },
      phoneNumber: this.options.phoneNumber,
      maxCalls: () => this.maxCalls,
      insecure: this.options.insecureWebhooks,
      journalOf: this.#coordination.journals(stateDirectory, logger),
    };
    const adapter = open(context);
    this.#supervisors.add(adapter.supervisor);
    const { token, isOpenLocally, localNetwork } = this.options;
    this.#local = localNetwork && new LocalCalls(localNetwork, context, this.#supervisors);
    const phoneNetwork = this.options.phoneNetwork ?? this.#local?.phone;
    const access = new RunnerAccess(token, this.#proxies, isOpenLocally, this.#others?.calls);
    const dial = (request: StartRequest) => this.#dial(adapter, request);
    const asked = { adapter, access, dial, requests, checkContact: rules.checkContact, probe: this.probe };
    const told = { readyBots: () => this.readyBots, status: () => this.#status(), metrics: this.#metrics };
    const parts = { ...own, ...asked, ...told, registry, logger, guard, supervisors: this.#supervisors, phoneNetwork };
    const { hours } = this.#checks;
    const around = { coordination: this.#coordination, others: this.#others, warnings: this.warnings, hours };
    this.#http = serveHttp(server, this.options, { ...parts, ...around });
    return adapter;
  }

  /** No call is placed whose bot would not know what for. */
  async #dial(adapter: ProviderAdapter, request: StartRequest): Promise<StartedCall> {
    if (!this.#dials) throw dialsLater();
    return adapter.dial(await (this.#checks as DialChecks).pass(request));
  }

  /** What the operator should know at once. */
  #warn(message: string, fields: LogFields = {}): void {
    this.#logger.warn(message, fields);
    const { count, seconds } = fields;
    this.emit('problem', count === undefined ? message : `${message}: ${count} in ${seconds} s`);
  }

  #status(): RunnerStatus {
    const { readyBots, liveCalls } = this;
    const { publicUrl } = this.addresses;
    const hasPhone = (this.options.phoneNetwork ?? this.#local) !== undefined;
    const bot = { botFails: this.#pool.problem !== undefined, notReloaded: this.#bots.notReloaded };
    const isStopping = this.#stopping !== undefined;
    const now = { ...bot, hasPhone, isUp: this.reach.isUp, isStopping, readyBots, publicUrl };
    const [cluster, services, language] = [this.#others?.shown.status, this.#services.failing, this.uses.language];
    return statusOf(this.options, { ...now, liveCalls, startedAt: this.#startedAt, cluster, services, language });
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
    this.#http?.campaigns.campaigns.drain();
    this.#supervisors.drain();
    await this.#supervisors.idleWithin(drainMs, this.#atOnce.signal);
    await this.#others?.handOver();
    this.#supervisors.stopCalls();
    await this.#supervisors.idleWithin(GOODBYE_MS, this.#atOnce.signal);
    this.#pool.close();
    const [live, atOnce] = [this.liveCalls, this.#atOnce.signal];
    this.#supervisors.endAll('runner_stopped');
    await this.#http?.campaigns.campaigns.close();
    await Promise.all([
      this.#provider?.close(atOnce),
      this.#local?.close(atOnce),
      this.#events?.close(atOnce),
      this.#browser?.close(),
    ]);
    await this.#others?.leave();
    if (live > 0 && !atOnce.aborted) await delay(LAST_LOOK_MS);
    await Promise.all([this.folders.close(), ...this.#shared.map((shared) => shared.close())]);
    this.#http?.phones.close();
    this.#server?.close();
    for (const log of [this.#turnedAway, this.#refusals]) log.close();
    this.#metrics.close();
  }

  #listening(): RunnerServer {
    if (!this.#server) throw new Error('the runner is not started');
    return this.#server;
  }
}
