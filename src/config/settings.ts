/** Checks one raw value, a string from a flag or a variable or a JSON value from a file. Throws `Error` with what it must be. */
export type Parse<T> = (raw: unknown) => T;

export interface Setting<T> {
  /** Environment variable, also read from the `.env` files. */
  readonly variable: string;
  /** May stand in `voicebot.config`. Secrets may not: that file is made to be committed. */
  readonly inFile: boolean;
  readonly parse: Parse<T>;
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

const phoneNumber: Parse<string> = (raw) => {
  if (typeof raw === 'string' && /^\+[1-9]\d{6,14}$/.test(raw)) return raw;
  throw new Error('must be a telephone number such as +14155550100');
};

/** `https:` address of the voice API; plain `http:` only on this machine. */
const apiUrl: Parse<string> = (raw) => {
  const url = parseUrl(raw);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))) return String(raw);
  throw new Error('must be an https address');
};

/** An origin: the signature of a webhook covers the whole address, so nothing may stand between host and path. */
export const publicUrl: Parse<string> = (raw) => {
  const url = parseUrl(raw);
  if (url?.protocol === 'https:' && url.href === `${url.origin}/`) return url.origin;
  throw new Error('must be an https address without a path, such as https://bot.example.com');
};

/** Every setting there is: flag `--like-this`, the key below in `voicebot.config`, and a variable. */
export const SETTINGS = {
  bot: { variable: 'VOICEBOT_BOT', inFile: true, parse: text },
  host: { variable: 'VOICEBOT_HOST', inFile: true, parse: text },
  port: { variable: 'VOICEBOT_PORT', inFile: true, parse: integer(0, 65_535) },
  publicUrl: { variable: 'VOICEBOT_PUBLIC_URL', inFile: true, parse: publicUrl },
  callsPerProcess: { variable: 'VOICEBOT_CALLS_PER_PROCESS', inFile: true, parse: integer(1, 1_000) },
  warm: { variable: 'VOICEBOT_WARM', inFile: true, parse: integer(1, 100) },
  drainSeconds: { variable: 'VOICEBOT_DRAIN_SECONDS', inFile: true, parse: integer(0, 86_400) },
  carrierAuthId: { variable: 'CARRIER_AUTH_ID', inFile: false, parse: accountId },
  carrierAuthToken: { variable: 'CARRIER_AUTH_TOKEN', inFile: false, parse: text },
  carrierApiUrl: { variable: 'CARRIER_API_URL', inFile: true, parse: apiUrl },
  carrierPhoneNumber: { variable: 'CARRIER_PHONE_NUMBER', inFile: true, parse: phoneNumber },
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;
export type SettingValues = { readonly [Name in SettingName]: ReturnType<(typeof SETTINGS)[Name]['parse']> };

/** Whether `hostname` (as in `URL.hostname`, or a bare host) can only mean this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || /^127(\.\d{1,3}){3}$/.test(hostname) || hostname === '::1' || hostname === '[::1]';
}

function parseUrl(raw: unknown): URL | undefined {
  return typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : undefined;
}
