import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, sandboxAccount } from '../../assembly/account.js';
import { type Closer, closeAll } from '../../assembly/close-all.js';
import { botFileOf, runnerOptionsOf } from '../../assembly/create-runner.js';
import { routeUrlsOf } from '../../assembly/public-side.js';
import { pointSandboxNumber } from '../../assembly/sandbox-number.js';
import { type SandboxProcess, startSandboxProcess } from '../../assembly/sandbox-process.js';
import { settlesWithin } from '../../base/async/deadline.js';
import { deferred } from '../../base/async/deferred.js';
import { machineTimeout } from '../../base/clock/process-clock.js';
import type { Logger } from '../../base/logger.js';
import { SCRIPT_URL_VARIABLE } from '../../bot/services/llm/model-script.js';
import { FUNCTIONS_URL_VARIABLE } from '../../call/lab-address.js';
import type { Config } from '../../config/config.js';
import { type Environment, stateDirectory } from '../../config/environment.js';
import { DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import { requireWebRtc } from '../../providers/rooms/webrtc/webrtc-packages.js';
import { BotProcess } from '../../runner/bots/bot-process.js';
import type { TestSpeech } from '../../runner/bots/messages.js';
import { Runner } from '../../runner/runner.js';
import { RunnerClient } from '../../runners/runner-client.js';
import { PhoneClient, type PhoneClientOptions } from '../../sandbox/network/phone-client.js';
import type { Wire } from '../scenario/scenario-result.js';
import { botWaits } from './bot-waits.js';
import { BreakableLine } from './breakable-line.js';
import { functionsUrlOf } from './script-server.js';
import { StageCalls } from './stage-calls.js';

/** Calls of the offline network cost nothing, and many are made at once. */
const HARDLY_LIMITED = { dialPerMinute: 10_000, dialAtOnce: 1_000, dialSecondsPerNumber: 0 };

export interface StageOptions {
  /** As `voicebot run` would have it. */
  readonly config: Config;
  /** Absolute path. */
  readonly botFile: string;
  readonly wire: Wire;
  /** `scripted`: stand-ins serve in place of the services that need keys. */
  readonly services: 'scripted' | 'real';
  /**
   * Of a {@link ScriptServer}, which plays functions of the bot, and answers for the model where services are scripted. Default: the
   * stand-in by itself, and all functions run.
   */
  readonly scriptUrl?: string | undefined;
  /** More of the bot's environment. */
  readonly botEnvironment?: Readonly<Record<string, string>>;
  /** Default: a sandbox of its own. One that is given is not stopped with the stage. */
  readonly sandbox?: SandboxProcess;
  /** Whether folders of its calls are kept in the state directory. Default `on`. */
  readonly record?: 'on' | 'off';
  /** What is said is told also where no folders are kept. Default false. */
  readonly followsTalk?: boolean;
  /** How its bots speak where flite is their voice. Default: as bots do. */
  readonly speech?: TestSpeech | undefined;
  /** Bot processes kept ready. Default: as the configuration says. */
  readonly warm?: number;
  /** Whether {@link Stage.breakTunnel} and {@link Stage.breakApi} will be asked. Default false. */
  readonly isBreakable?: boolean;
  /** Of this process. */
  readonly environment: Environment;
  readonly logger: Logger;
}

/** How long a call waits for a bot, and the next one for the bot of this one, in milliseconds. */
const ADMISSION_LIMIT_MS = 10_000;
const READY_POLL_MS = 20;

/** Tells what it took to load. */
class TimedBotProcess extends BotProcess {
  onLoaded: (ms: number) => void = () => {};

  override async load(): Promise<void> {
    const beganAt = performance.now();
    await super.load();
    this.onLoaded(performance.now() - beganAt);
  }
}

interface StageParts {
  readonly runner: Runner;
  readonly token: string;
  readonly calls: StageCalls;
  readonly sandbox: SandboxProcess;
  readonly opened: Closer[];
  readonly bots: ReadonlySet<BotProcess>;
  readonly loads: readonly number[];
  readonly lines: { readonly tunnel: BreakableLine; readonly api: BreakableLine } | undefined;
}

/** A runner that serves a bot on a phone network of its own, for the calls of a test: no account, no tunnel, no fixed port. */
export class Stage {
  readonly runner: Runner;
  readonly client: RunnerClient;
  readonly calls: StageCalls;
  /** The bot's, E.164. */
  readonly number: string;
  /** What its bot processes took to load so far, in milliseconds. */
  readonly loads: readonly number[];
  readonly #sandbox: SandboxProcess;
  #admitted: Promise<void> = Promise.resolve();
  readonly #opened: Closer[];
  readonly #bots: ReadonlySet<BotProcess>;
  readonly #lines: { readonly tunnel: BreakableLine; readonly api: BreakableLine } | undefined;

  private constructor(parts: StageParts) {
    this.runner = parts.runner;
    this.client = new RunnerClient(parts.runner.url, parts.token);
    this.calls = parts.calls;
    this.loads = parts.loads;
    this.number = parts.sandbox.number;
    this.#sandbox = parts.sandbox;
    this.#opened = parts.opened;
    this.#bots = parts.bots;
    this.#lines = parts.lines;
  }

  /** @throws VoicebotError VB_BOT_LOAD_FAILED and what else the bot file throws; VB_SANDBOX_FAILED, VB_CONFIG_INVALID */
  static async open(options: StageOptions): Promise<Stage> {
    const opened: Closer[] = [];
    try {
      return new Stage(await open(options, opened));
    } catch (error) {
      await closeAll(opened);
      throw error;
    }
  }

  /**
   * Begins a call when a bot waits for it, one after the other: a test that calls faster than bots load would be turned away.
   * @param begin gives the runner's identifier of the call, or undefined when the call is over before it has one
   */
  async admit(begin: () => Promise<string | undefined>): Promise<void> {
    const before = this.#admitted;
    const done = deferred();
    this.#admitted = done.promise;
    await before;
    try {
      await botWaits(() => this.runner.readyBots, { limitMs: ADMISSION_LIMIT_MS, pollMs: READY_POLL_MS });
      const callId = await begin();
      if (callId !== undefined) await settlesWithin(this.calls.served(callId), ADMISSION_LIMIT_MS, machineTimeout);
    } finally {
      done.resolve();
    }
  }

  /** A telephone of the network. */
  connect(line: Pick<PhoneClientOptions, 'exchange' | 'holdMs'>): Promise<PhoneClient> {
    const { url, phoneToken: token } = this.#sandbox;
    return PhoneClient.connect({ url, token, ...line });
  }

  /** Kills the process that serves a call. @returns whether there was one */
  killBot(callId: string): boolean {
    const bot = [...this.#bots].find((one) => one.serves(callId as never));
    if (bot?.pid === undefined) return false;
    process.kill(bot.pid, 'SIGKILL');
    return true;
  }

  /** The way from the provider to the runner is broken for so long; for a stage that {@link StageOptions.isBreakable} says so of. */
  async breakTunnel(ms: number): Promise<void> {
    const { publicUrl } = this.runner.addresses;
    this.#lines?.tunnel.break();
    this.runner.reach.lost();
    await delay(ms);
    if (this.#lines?.tunnel.mend()) this.runner.reach.back(publicUrl);
  }

  /** The same of the provider's REST API, as the runner and its bots reach it. */
  async breakApi(ms: number): Promise<void> {
    this.#lines?.api.break();
    await delay(ms);
    this.#lines?.api.mend();
  }

  /** Ends its calls and gives everything back. */
  close(): Promise<void> {
    return closeAll(this.#opened);
  }
}

async function open(options: StageOptions, opened: Closer[]): Promise<StageParts> {
  const { wire, environment, logger, isBreakable = false } = options;
  const transport = wire === 'rooms' ? 'rooms' : 'carrier';
  if (transport === 'rooms') requireWebRtc();
  const carrier = wire === 'rooms' ? DEFAULT_CARRIER : wire;
  const sandbox =
    options.sandbox ??
    (await startSandboxProcess(environment, {
      carrier,
      isVerbose: false,
      expectsRooms: transport === 'rooms',
      roomsProvider: options.config.roomsProvider,
    }));
  if (!options.sandbox) opened.push(() => sandbox.stop());
  const api = isBreakable ? await BreakableLine.to(new URL(sandbox.apiUrl)) : undefined;
  if (api) opened.push(() => api.close());
  const real = sandboxAccount(sandbox, transport);
  const account = api ? throughLine(real, api) : real;
  const token = randomBytes(24).toString('base64url');
  const secret = randomBytes(32).toString('base64');
  const bots = new Set<BotProcess>();
  const loads: number[] = [];
  const runner = new Runner({
    ...runnerOptionsOf({
      config: configOf(options),
      account,
      sandbox,
      number: sandbox.number,
      secret,
      token,
      botFile: options.botFile,
      home: stateDirectory(environment),
      insecureWebhooks: false,
      standIns: options.services === 'scripted',
      environment,
      logger,
    }),
    isTunnelled: isBreakable,
    followsTalk: options.followsTalk ?? false,
    forgetsDoNotCall: true,
    createBotProcess: (source, started) => {
      const bot = new TimedBotProcess(source, { ...started, speech: options.speech });
      bot.onLoaded = (ms) => loads.push(ms);
      bots.add(bot);
      bot.once('exit', () => bots.delete(bot));
      return bot;
    },
  });
  const calls = new StageCalls(runner);
  opened.push(() => runner.stop({ drainMs: 0 }));
  await runner.start();
  const tunnel = isBreakable ? await BreakableLine.to(new URL(runner.url)) : undefined;
  if (tunnel) {
    opened.push(() => tunnel.close());
    runner.moveTo(tunnel.through(runner.url));
  }
  await pointSandboxNumber(real, sandbox.number, routeUrlsOf(runner, transport), secret);
  return { runner, token, calls, sandbox, opened, bots, loads, lines: api && tunnel && { api, tunnel } };
}

/** As the bot's project has it, but for what belongs to an account, to a server or to the machine. */
function configOf({
  config: { dialCountries: _, dialMinutesPerDay: __, ...config },
  botFile,
  services,
  scriptUrl,
  botEnvironment = {},
  warm = config.warm,
  record = 'on',
}: StageOptions): Config {
  return {
    ...config,
    ...HARDLY_LIMITED,
    ...(botFile !== botFileOf({}, '') && { bot: botFile }),
    port: 0,
    host: '127.0.0.1',
    localAccess: 'token',
    record,
    warm,
    ...(botEnvironment.OPERATOR_NUMBER && { operatorNumber: botEnvironment.OPERATOR_NUMBER }),
    environment: {
      ...config.environment,
      ...botEnvironment,
      ...(services === 'scripted' && scriptUrl && { [SCRIPT_URL_VARIABLE]: scriptUrl }),
      ...(scriptUrl && { [FUNCTIONS_URL_VARIABLE]: functionsUrlOf(scriptUrl) }),
    },
  };
}

function throughLine(account: Account, line: BreakableLine): Account {
  const apiUrl = line.through(account.credentials.apiUrl);
  return account.kind === 'carrier'
    ? { ...account, credentials: { ...account.credentials, apiUrl } }
    : { ...account, credentials: { ...account.credentials, apiUrl } };
}
