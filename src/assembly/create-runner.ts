import { resolve } from 'node:path';
import { VoicebotError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { basicEnvironment } from '../base/process/basic-environment.js';
import { clientFor } from '../bot/transports/room/join-room.js';
import { DEMO_OPERATOR } from '../call/operator-number.js';
import { readCallingRules } from '../config/calling-rules-file.js';
import type { Config } from '../config/config.js';
import type { Environment } from '../config/environment.js';
import { Browser } from '../providers/daily/client/browser.js';
import { type CarrierName, DEFAULT_CARRIER } from '../providers/registry/carrier-names.js';
import type { CarrierAccess } from '../runner/calls/carrier/carrier-adapter.js';
import type { RoomsAccess } from '../runner/calls/rooms/rooms-adapter.js';
import { readPrices } from '../runner/costs/prices.js';
import { type CallingRuleTable, NO_CALLING_RULES } from '../runner/dialing/calling-rules.js';
import { Runner } from '../runner/runner.js';
import type { RunnerOptions } from '../runner/runner-options.js';
import { isClone, packageRoot } from '../terminal/package-root.js';
import { type Account, botEnvironmentOf, providerOf, type RoomsAccount } from './account.js';
import { dialLimitsOf } from './dial-limits-of.js';
import { localNetworkOf, phoneNetworkOf } from './phone-network.js';
import type { SandboxProcess } from './sandbox-process.js';

const DEMO_BOT = 'templates/demo/bot.ts';
/** The same for those who have installed the package, and no compiler. */
const COMPILED_DEMO_BOT = 'templates/demo/.bot.mjs';

export interface RunnerParts {
  config: Config;
  account: Account;
  /** Whose account that is; undefined for a real one. */
  sandbox: Pick<SandboxProcess, 'url' | 'phoneToken'> | undefined;
  /** The bot's own number, E.164, where it is known. */
  number: string | undefined;
  /** Signs the room provider's webhooks, base64. */
  secret: string;
  /** The runner's. */
  token: string;
  /** Absolute path. */
  botFile: string;
  /** State directory. */
  home: string;
  insecureWebhooks: boolean;
  /** Where the user's application is told of calls. Default: nowhere. */
  events?: RunnerOptions['events'];
  standIns?: boolean;
  /** Where it is asked. Default: a server of its own, as the configuration wants it. */
  server?: RunnerOptions['server'];
  /** Default: the runner is alone. */
  coordination?: RunnerOptions['coordination'];
  /** Of this process. */
  environment: Environment;
  logger: Logger;
}

/** How many ports after the default one are tried. */
export const MAX_OTHER_PORTS = 100;

/** Absolute path of the configured bot file, or of the bundled demo. */
export function botFileOf({ bot }: Pick<Config, 'bot'>, directory: string): string {
  return bot ? resolve(directory, bot) : resolve(packageRoot, isClone ? DEMO_BOT : COMPILED_DEMO_BOT);
}

/** A runner that is not started yet, as the configuration wants it. */
export const createRunner = (parts: RunnerParts): Runner => new Runner(runnerOptionsOf(parts));

/** What makes a runner as the configuration wants it. @throws VoicebotError VB_CONFIG_INVALID */
export function runnerOptionsOf({
  config,
  account,
  sandbox,
  number,
  environment,
  ...parts
}: RunnerParts): RunnerOptions {
  const isSandbox = sandbox !== undefined;
  const operatorNumber = operatorOf(config, isSandbox);
  const prices = config.pricesFile === undefined ? undefined : readPrices(config.pricesFile);
  return {
    botFile: parts.botFile,
    ...(config.bot ? {} : { botName: 'the bundled demo' }),
    host: config.host,
    port: config.port,
    server: parts.server,
    otherPorts: config.isPortNamed || config.publicUrl ? 0 : MAX_OTHER_PORTS,
    provider: sideOf(account, parts, config, environment),
    isSandbox,
    token: parts.token,
    isOpenLocally: isOpenLocally(config),
    insecureWebhooks: parts.insecureWebhooks,
    standIns: parts.standIns,
    phoneNumber: number,
    operatorNumber,
    dialCountries: config.dialCountries,
    disclosureNotNeeded: config.disclosureNotNeeded,
    callingRules: callingRulesOf(config, isSandbox),
    ownNumbers: [operatorNumber, config.myNumber, ...(config.labNumbers ?? [])].filter((one) => one !== undefined),
    dialLimits: dialLimitsOf(config, isSandbox, prices && { prices, provider: providerOf(account) }),
    prices,
    dialMaxSeconds: config.dialMaxSeconds,
    ringSeconds: config.ringSeconds,
    maxCallSeconds: config.maxCallSeconds,
    silenceSeconds: config.silenceSeconds,
    stateDirectory: parts.home,
    recording: recordingOf(config, isSandbox),
    retention: { days: config.recordDays, mebibytes: config.recordMib },
    events: parts.events,
    callsPerProcess: config.callsPerProcess,
    warm: config.warm,
    botMemoryBytes: config.botMemoryMib * 2 ** 20,
    drainMs: config.drainSeconds * 1_000,
    // Known before the first request comes: a load balancer that watches /ready sends calls before the address has been checked.
    ...(!isSandbox && { publicUrl: config.publicUrl }),
    isTunnelled: !isSandbox && config.publicUrl === undefined,
    trustedProxies: config.trustedProxies,
    coordination: parts.coordination,
    watch: true,
    phoneNetwork: sandbox && phoneNetworkOf(sandbox),
    localNetwork: isSandbox ? undefined : localNetworkOf(environment, carrierOf(account)),
    processEnvironment: basicEnvironment(environment),
    botEnvironment: {
      ...config.environment,
      ...botEnvironmentOf(account, number),
      ...(config.operatorNumber && operatorNumber && { OPERATOR_NUMBER: operatorNumber }),
      ...browserEnvironmentOf(config),
    },
    logger: parts.logger,
  };
}

/** Whose wire the calls of the page's phone have: that of the account, where streams have one. */
const carrierOf = (account: Account): CarrierName =>
  account.kind === 'carrier' ? (account.carrier.name as CarrierName) : DEFAULT_CARRIER;

/** On an account nothing is kept of a call unless a setting or its bot says so. */
function recordingOf({ record }: Config, isSandbox: boolean): RunnerOptions['recording'] {
  if (record !== undefined) return record === 'on' ? 'always' : 'never';
  return isSandbox ? 'unless_refused' : 'if_asked';
}

/** Where bots transfer callers to. The sandbox's operator, whom examples name, is no operator on a real account. */
export function operatorOf({ operatorNumber }: Pick<Config, 'operatorNumber'>, isSandbox: boolean): string | undefined {
  if (isSandbox) return operatorNumber ?? DEMO_OPERATOR;
  return operatorNumber === DEMO_OPERATOR ? undefined : operatorNumber;
}

/**
 * Where the user's application is told of calls.
 * @throws VoicebotError VB_CONFIG_INVALID when what is sent there could not be signed
 */
export function eventsOf({ eventsUrl: url, eventsSecret: secret }: EventsConfig): RunnerOptions['events'] {
  if (url === undefined) return undefined;
  if (secret !== undefined) return { url, secret };
  const told = 'VOICEBOT_EVENTS_URL is set, and VOICEBOT_EVENTS_SECRET, which signs what is sent there, is not';
  throw new VoicebotError('VB_CONFIG_INVALID', told, {
    hint: 'Make one, and tell it to your application: echo "VOICEBOT_EVENTS_SECRET=whsec_$(openssl rand -base64 32)" >> .env',
  });
}

export type EventsConfig = Pick<Config, 'eventsUrl' | 'eventsSecret'>;

/** Who has set a token of their own wants to be shown it, also by a bot that would dial by itself. */
export const isOpenLocally = ({ localAccess, runnerToken }: Pick<Config, 'localAccess' | 'runnerToken'>): boolean =>
  (localAccess ?? (runnerToken ? 'token' : 'open')) === 'open';

/**
 * When people may be called. On the sandbox no person is, and work goes on at night: there rules hold only where the user has set some.
 * @throws VoicebotError VB_CONFIG_INVALID
 */
export const callingRulesOf = ({ callingRules }: Pick<Config, 'callingRules'>, isSandbox: boolean): CallingRuleTable =>
  isSandbox && callingRules === undefined ? NO_CALLING_RULES : readCallingRules(callingRules);

function sideOf(
  account: Account,
  { secret: webhookSecret, logger }: Pick<RunnerParts, 'secret' | 'logger'>,
  config: Config,
  environment: Environment,
): CarrierAccess | RoomsAccess {
  if (account.kind === 'rooms') {
    const { roomProvider: provider, credentials } = account;
    const browser = roomsBrowserOf(account, config, environment, logger);
    return { kind: 'rooms', provider, credentials, webhookSecret, browser, roomsClient: config.roomsClient };
  }
  const { kind, carrier, credentials } = account;
  const { machineDetection, audio } = config;
  const takesUnsignedStreams = config.streams === 'pass';
  return { kind, carrier, credentials, machineDetection, isWideband: audio === 'wideband', takesUnsignedStreams };
}

/** The browser through which bots join the rooms of this account, as the configuration wants it; undefined when they need none. Not started. */
export function roomsBrowserOf(
  { roomProvider, credentials: { apiUrl } }: Pick<RoomsAccount, 'roomProvider' | 'credentials'>,
  { roomsClient, browser: program, browserPages: maxPages, browserSandbox }: BrowserSettings,
  environment: Environment,
  logger: Logger,
): Browser | undefined {
  if (clientFor(roomProvider, apiUrl, roomsClient) !== 'browser') return undefined;
  const isSandboxed = browserSandbox && browserSandbox === 'on';
  return new Browser({ program, environment: basicEnvironment(environment), maxPages, isSandboxed, logger });
}

type BrowserSettings = Pick<Config, 'roomsClient' | 'browser' | 'browserPages' | 'browserSandbox'>;

/** How bots join rooms, and the browser that they start when the runner and its browser are gone. */
function browserEnvironmentOf({ roomsClient, browser, browserSandbox }: BrowserSettings): Record<string, string> {
  return {
    ...(roomsClient && { ROOMS_CLIENT: roomsClient }),
    ...(browser && { VOICEBOT_BROWSER: browser }),
    ...(browserSandbox && { VOICEBOT_BROWSER_SANDBOX: browserSandbox }),
  };
}
