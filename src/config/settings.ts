import { isIP } from 'node:net';
import type { Deprecation } from '../base/deprecation.js';
import { isLoopbackHost } from '../base/http/loopback-host.js';
import { type Micros, microsOf } from '../base/money.js';
import { numberAsWritten } from '../call/phone-number.js';
import { CARRIER_NAMES, type CarrierName } from '../providers/registry/carrier-names.js';
import { ROOM_PROVIDER_NAMES } from '../providers/registry/room-provider-names.js';
import { TUNNEL_KINDS } from '../runner/tunnel/contract.js';
import { COUNTRIES } from './countries.js';

/** Checks one raw value, a string from a flag or a variable or a JSON value from a file. Throws `Error` with what it must be. */
export type Parse<T> = (raw: unknown) => T;

export interface Setting<T> {
  /** Environment variable, also read from the `.env` files. */
  readonly variable: string;
  /** A secret of the runner's own: bots do not get it in their environment. */
  readonly isRunners?: boolean;
  /** May stand in `voicebot.config`. Secrets may not: that file is made to be committed. */
  readonly inFile: boolean;
  readonly parse: Parse<T>;
  /** The path of a file: in the configuration it is an absolute one. */
  readonly isPath?: boolean;
  /** It goes away: to set it warns. */
  readonly deprecated?: Omit<Deprecation, 'name'>;
  /** What to do where its value is refused, when the message does not say all. */
  readonly hint?: string;
}

/** Whole numbers from `least` to `most`, both included. */
export const integer =
  (least: number, most: number): Parse<number> =>
  (raw) => {
    const value = typeof raw === 'string' && /^\d+$/.test(raw) ? Number(raw) : raw;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new Error(`must be a whole number from ${least} to ${most}`);
  };

const text: Parse<string> = (raw) => {
  if (typeof raw === 'string' && raw.trim() !== '') return raw.trim();
  throw new Error('must be a text that is not empty');
};

/** The identifier becomes part of an address, so it must not be able to change that address. */
const accountId: Parse<string> = (raw) => {
  if (typeof raw === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(raw)) return raw;
  throw new Error('must be letters, digits, "-" or "_"');
};

/** Gives E.164, however it was written. */
export const phoneNumber: Parse<string> = (raw) => {
  const must = 'must be a telephone number such as +14155550100';
  if (typeof raw !== 'string') throw new Error(must);
  try {
    return numberAsWritten(raw);
  } catch (error) {
    throw new Error(`${must}: it ${(error as Error).message}`);
  }
};

/** Callers show it in a header; shorter ones could be guessed. */
const token: Parse<string> = (raw) => {
  if (typeof raw === 'string' && /^[\x21-\x7e]{16,256}$/.test(raw)) return raw;
  throw new Error('must be 16 to 256 letters, digits and signs, without spaces');
};

/** base64 of 16 bytes or more, as the room provider gives and takes it. */
const webhookSecret: Parse<string> = (raw) => {
  if (typeof raw === 'string' && /^[A-Za-z0-9+/]{22,}={0,2}$/.test(raw)) return raw;
  throw new Error('must be base64 of at least 16 bytes');
};

/** base64 of 32 bytes or more, as carriers show it. */
const publicKey: Parse<string> = (raw) => {
  const key = typeof raw === 'string' ? Buffer.from(raw, 'base64') : Buffer.alloc(0);
  if (key.length >= 32 && key.length <= 1_024 && key.toString('base64') === raw) return raw;
  throw new Error('must be the base64 of a public key, without line breaks');
};

/** As the Standard Webhooks specification writes secrets. */
const signingSecret: Parse<string> = (raw) => {
  const base64 = typeof raw === 'string' && raw.startsWith('whsec_') ? raw.slice('whsec_'.length) : '';
  const key = Buffer.from(base64, 'base64');
  if (key.length >= 24 && key.length <= 64 && key.toString('base64') === base64) return raw as string;
  throw new Error('must be whsec_ and base64 of 24 to 64 bytes, as from: echo "whsec_$(openssl rand -base64 32)"');
};

/** `US,CA`, or a list in a file. Country codes of ISO 3166-1 alpha-2, in either case; each once in the result. */
const countries: Parse<readonly string[]> = (raw) => {
  const list: unknown[] = typeof raw === 'string' ? raw.split(',') : Array.isArray(raw) ? raw : [];
  const codes = list.map((code) => (typeof code === 'string' ? code.trim().toUpperCase() : ''));
  if (codes.length > 0 && codes.every((code) => COUNTRIES.has(code))) return [...new Set(codes)];
  throw new Error('must be country codes of ISO 3166 such as US,CA,GB');
};

/** E.164, with commas between them. */
const phoneNumbers: Parse<readonly string[]> = (raw) => {
  const must = 'must be telephone numbers such as +14155550100,+442071838750';
  if (typeof raw !== 'string') throw new Error(must);
  try {
    return [...new Set(raw.split(',').map(numberAsWritten))];
  } catch (error) {
    throw new Error(`${must}: one ${(error as Error).message}`);
  }
};

const oneOf =
  <const T extends string>(...choices: readonly T[]): Parse<T> =>
  (raw) => {
    const choice = choices.find((known) => known === raw);
    if (choice !== undefined) return choice;
    throw new Error(`must be one of ${choices.join(', ')}`);
  };

/** `voicebot-vobiz,./carrier.js`, or a list in a file: names of packages, and paths that begin with `./` or `../`. */
const extensions: Parse<readonly string[]> = (raw) => {
  const list: unknown[] = typeof raw === 'string' ? raw.split(',') : Array.isArray(raw) ? raw : [];
  const names = list.map((name) => (typeof name === 'string' ? name.trim() : ''));
  if (names.length > 0 && names.every((name) => EXTENSION.test(name))) return [...new Set(names)];
  throw new Error(
    'must be names of packages, or paths from this folder such as ./my-carrier.js, with commas between them',
  );
};

/** What is neither becomes no module: an address or an absolute path could come from anywhere. */
const EXTENSION =
  /^(?:(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*(?:\/[\w-][\w.-]*)*|\.\.?(?:\/(?:\.\.|[\w-][\w.-]*))+)$/;

/** Those of extensions are there once these are loaded. */
const carrierName: Parse<CarrierName> = (raw) => oneOf(...CARRIER_NAMES)(raw);
const roomsProvider: Parse<string> = (raw) => oneOf(...ROOM_PROVIDER_NAMES)(raw);

/** What happens without it too: voicebot does not change an application that numbers share. */
const ownApplication: Parse<'own'> = (raw) => {
  if (raw === 'own') return raw;
  throw new Error('must not be set any more: every number gets an application of its own');
};

/** 0 for never, or within bounds. */
const zeroOr = (least: number, most: number): Parse<number> => {
  const whole = integer(least, most);
  return (raw) => {
    if (raw === 0 || raw === '0') return 0;
    try {
      return whole(raw);
    } catch (error) {
      throw new Error(`${(error as Error).message}, or 0 for no limit`);
    }
  };
};

/** An amount of the currency that the prices are in, in millionths. */
const money: Parse<Micros> = (raw) => {
  const amount = typeof raw === 'string' || typeof raw === 'number' ? microsOf(String(raw).trim()) : undefined;
  if (amount !== undefined && amount > 0) return amount;
  throw new Error('must be an amount above 0 and below 1000000000 such as 50 or 12.50');
};

/** `https:` address of a provider's API; plain `http:` only on this machine. */
const apiUrl: Parse<string> = (raw) => {
  const url = parseUrl(raw);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))) return String(raw);
  throw new Error('must be an https address');
};

/** Where events are sent. What stands before the host would be sent nowhere: requests are signed. */
const eventsUrl: Parse<string> = (raw) => {
  const url = parseUrl(raw);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url && isSafe && !url.username && !url.password) return url.href;
  throw new Error('must be an https address without a user name and a password; http is for this machine only');
};

/**
 * An origin: the signature of a webhook covers the whole address, so nothing may stand between host and path. Plain
 * `http:` only on this machine, where a sandbox may stand in for a provider.
 */
const origin: Parse<string> = (raw) => {
  const url = parseUrl(raw);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url && isSafe && url.href === `${url.origin}/`) return url.origin;
  throw new Error('must be an https address without a path, such as https://bot.example.com');
};

/** Where a cluster's Redis is, with user, password and database where there are any. */
const redisUrl: Parse<string> = (raw) => {
  const url = parseUrl(raw);
  const isRedis = url?.protocol === 'redis:' || url?.protocol === 'rediss:';
  if (url && isRedis && url.hostname !== '' && /^(?:\/\d{0,3})?$/.test(url.pathname)) return String(raw);
  throw new Error('must be an address such as redis://127.0.0.1:6379, or rediss://… with TLS');
};

/** Where one runner is reached by itself; plain `ws:` within a network of one's own. */
const streamOrigin: Parse<string> = (raw) => {
  const url = parseUrl(raw);
  const isWs = url?.protocol === 'wss:' || url?.protocol === 'ws:';
  if (url && isWs && url.hostname !== '' && url.pathname === '/' && !url.search && !url.username)
    return `${url.protocol}//${url.host}`;
  throw new Error('must be a WebSocket address without a path, such as wss://runner-1.example.com');
};

/** IP addresses, or networks as `10.0.0.0/8`; with commas, or a list in a file. */
const networks: Parse<readonly string[]> = (raw) => {
  const list: unknown[] = typeof raw === 'string' ? raw.split(',') : Array.isArray(raw) ? raw : [];
  const parts = list.map((part) => (typeof part === 'string' ? part.trim() : ''));
  if (parts.length > 0 && parts.every(isNetwork)) return parts;
  throw new Error('must be IP addresses or networks such as 127.0.0.1,10.0.0.0/8');
};

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  return version > 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
}

/** Every setting there is: flag `--like-this`, the key below in `voicebot.config`, and a variable. */
export const SETTINGS = {
  bot: { variable: 'VOICEBOT_BOT', inFile: true, parse: text },
  transport: { variable: 'VOICEBOT_TRANSPORT', inFile: true, parse: oneOf('carrier', 'rooms') },
  host: { variable: 'VOICEBOT_HOST', inFile: true, parse: text },
  port: { variable: 'VOICEBOT_PORT', inFile: true, parse: integer(0, 65_535) },
  tunnel: {
    variable: 'VOICEBOT_TUNNEL',
    inFile: true,
    parse: oneOf('auto', ...TUNNEL_KINDS, 'none'),
  },
  tunnelServer: { variable: 'VOICEBOT_TUNNEL_SERVER', inFile: true, parse: origin },
  ngrokAuthtoken: { variable: 'NGROK_AUTHTOKEN', inFile: false, isRunners: true, parse: text },
  trustedProxies: { variable: 'VOICEBOT_TRUSTED_PROXIES', inFile: true, parse: networks },
  publicUrl: { variable: 'VOICEBOT_PUBLIC_URL', inFile: true, parse: origin },
  cluster: { variable: 'VOICEBOT_CLUSTER', inFile: false, isRunners: true, parse: redisUrl },
  advertise: { variable: 'VOICEBOT_ADVERTISE', inFile: true, parse: streamOrigin },
  eventsUrl: { variable: 'VOICEBOT_EVENTS_URL', inFile: true, parse: eventsUrl },
  eventsSecret: { variable: 'VOICEBOT_EVENTS_SECRET', inFile: false, isRunners: true, parse: signingSecret },
  callsPerProcess: { variable: 'VOICEBOT_CALLS_PER_PROCESS', inFile: true, parse: integer(1, 1_000) },
  warm: { variable: 'VOICEBOT_WARM', inFile: true, parse: integer(1, 100) },
  botMemoryMib: { variable: 'VOICEBOT_BOT_MEMORY_MIB', inFile: true, parse: zeroOr(64, 1_048_576) },
  drainSeconds: { variable: 'VOICEBOT_DRAIN_SECONDS', inFile: true, parse: integer(0, 86_400) },
  runnerToken: { variable: 'VOICEBOT_TOKEN', inFile: false, isRunners: true, parse: token },
  localAccess: { variable: 'VOICEBOT_LOCAL_ACCESS', inFile: true, parse: oneOf('open', 'token') },
  log: { variable: 'VOICEBOT_LOG', inFile: true, parse: oneOf('text', 'json') },
  logBots: { variable: 'VOICEBOT_LOG_BOTS', inFile: true, parse: oneOf('on', 'off') },
  record: { variable: 'VOICEBOT_RECORD', inFile: true, parse: oneOf('on', 'off') },
  recordDays: { variable: 'VOICEBOT_RECORD_DAYS', inFile: true, parse: zeroOr(1, 3_650) },
  recordMib: { variable: 'VOICEBOT_RECORD_MIB', inFile: true, parse: zeroOr(1, 1_048_576) },
  dialCountries: { variable: 'VOICEBOT_DIAL_COUNTRIES', inFile: true, parse: countries },
  callingRules: { variable: 'VOICEBOT_CALLING_RULES', inFile: true, isPath: true, parse: text },
  disclosureNotNeeded: { variable: 'VOICEBOT_DISCLOSURE_NOT_NEEDED', inFile: true, parse: text },
  labNumbers: { variable: 'VOICEBOT_LAB_NUMBERS', inFile: false, isRunners: true, parse: phoneNumbers },
  dialSecondsPerNumber: { variable: 'VOICEBOT_DIAL_SECONDS_PER_NUMBER', inFile: true, parse: integer(0, 86_400) },
  dialPerMinute: { variable: 'VOICEBOT_DIAL_PER_MINUTE', inFile: true, parse: integer(0, 10_000) },
  dialMinutesPerDay: { variable: 'VOICEBOT_DIAL_MINUTES_PER_DAY', inFile: true, parse: integer(1, 1_000_000) },
  dialMoneyPerDay: { variable: 'VOICEBOT_DIAL_MONEY_PER_DAY', inFile: true, parse: money },
  prices: { variable: 'VOICEBOT_PRICES', inFile: true, isPath: true, parse: text },
  dialAtOnce: { variable: 'VOICEBOT_DIAL_AT_ONCE', inFile: true, parse: integer(0, 1_000) },
  dialMaxSeconds: { variable: 'VOICEBOT_DIAL_MAX_SECONDS', inFile: true, parse: integer(10, 86_400) },
  ringSeconds: { variable: 'VOICEBOT_RING_SECONDS', inFile: true, parse: integer(5, 120) },
  machineDetection: {
    variable: 'VOICEBOT_MACHINE_DETECTION',
    inFile: true,
    parse: oneOf('off', 'report', 'hangup'),
  },
  maxCallSeconds: { variable: 'VOICEBOT_MAX_CALL_SECONDS', inFile: true, parse: integer(10, 86_400) },
  silenceSeconds: { variable: 'VOICEBOT_SILENCE_SECONDS', inFile: true, parse: zeroOr(10, 3_600) },
  extensions: { variable: 'VOICEBOT_EXTENSIONS', inFile: true, parse: extensions },
  carrier: {
    variable: 'CARRIER',
    inFile: true,
    parse: carrierName,
    hint: 'a carrier that voicebot itself does not have comes with a package, which `extensions` names: see docs/extending.md',
  },
  carrierAuthId: { variable: 'CARRIER_AUTH_ID', inFile: false, parse: accountId },
  carrierAuthToken: { variable: 'CARRIER_AUTH_TOKEN', inFile: false, parse: text },
  carrierPublicKey: { variable: 'CARRIER_PUBLIC_KEY', inFile: true, parse: publicKey },
  carrierApiUrl: { variable: 'CARRIER_API_URL', inFile: true, parse: apiUrl },
  carrierPhoneNumber: { variable: 'CARRIER_PHONE_NUMBER', inFile: true, parse: phoneNumber },
  carrierApplication: {
    variable: 'CARRIER_APPLICATION',
    inFile: true,
    parse: ownApplication,
    deprecated: { instead: 'unset it, it has no effect', gone: '2.0.0' },
    hint: 'unset it: the number gets an application of its own while a run has it, and the other numbers are not touched; several numbers are pointed one by one, with configure-number',
  },
  roomsProvider: {
    variable: 'ROOMS_PROVIDER',
    inFile: true,
    parse: roomsProvider,
    hint: 'a room provider that voicebot itself does not have comes with a package, which `extensions` names: see docs/extending.md',
  },
  roomsApiKey: { variable: 'ROOMS_API_KEY', inFile: false, parse: text },
  roomsApiUrl: { variable: 'ROOMS_API_URL', inFile: true, parse: apiUrl },
  roomsPhoneNumber: { variable: 'ROOMS_PHONE_NUMBER', inFile: true, parse: phoneNumber },
  roomsWebhookSecret: { variable: 'ROOMS_WEBHOOK_SECRET', inFile: false, isRunners: true, parse: webhookSecret },
  roomsClient: { variable: 'ROOMS_CLIENT', inFile: true, parse: oneOf('built-in', 'browser') },
  browser: { variable: 'VOICEBOT_BROWSER', inFile: true, parse: text },
  browserPages: { variable: 'VOICEBOT_BROWSER_PAGES', inFile: true, parse: integer(1, 200) },
  browserSandbox: { variable: 'VOICEBOT_BROWSER_SANDBOX', inFile: true, parse: oneOf('on', 'off') },
  streams: { variable: 'VOICEBOT_STREAMS', inFile: true, parse: oneOf('signed', 'pass') },
  audio: { variable: 'VOICEBOT_AUDIO', inFile: true, parse: oneOf('telephone', 'wideband') },
  operatorNumber: { variable: 'OPERATOR_NUMBER', inFile: true, parse: phoneNumber },
  myNumber: { variable: 'VOICEBOT_MY_NUMBER', inFile: true, parse: phoneNumber },
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;
export type SettingValues = { readonly [Name in SettingName]: ReturnType<(typeof SETTINGS)[Name]['parse']> };

function parseUrl(raw: unknown): URL | undefined {
  return typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : undefined;
}
