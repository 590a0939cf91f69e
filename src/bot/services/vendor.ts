import { closestName } from '../../base/closest-name.js';
import { VoicebotError } from '../../base/errors.js';
import { LIST } from '../../base/names/name-list.js';
import type { OptionNames } from '../../base/names/option-names.js';
import { hasStandIns } from '../../call/stand-ins.js';

/** A vendor: a company whose speech or model service a bot uses. */
export interface Vendor {
  readonly name: string;
  /** Environment variable of its API key. */
  readonly keyVariable: string;
  /** Environment variable of another base address, for a proxy or a test. */
  readonly urlVariable: string;
  readonly defaultUrl: string;
  /** Page where a key is made. */
  readonly keysUrl: string;
  /** Name of a header, in lower case, that has its words when it refuses a WebSocket with an empty body. */
  readonly refusalHeader?: string;
}

/** The version of Cartesia's interface this was written for. */
export const CARTESIA_VERSION = '2026-03-01';

/** Every vendor there is a key for. Language models that read their own variables have no address here. */
export const VENDORS = {
  deepgram: {
    name: 'Deepgram',
    keyVariable: 'DEEPGRAM_API_KEY',
    urlVariable: 'DEEPGRAM_BASE_URL',
    defaultUrl: 'https://api.deepgram.com',
    keysUrl: 'https://console.deepgram.com',
    refusalHeader: 'dg-error',
  },
  cartesia: {
    name: 'Cartesia',
    keyVariable: 'CARTESIA_API_KEY',
    urlVariable: 'CARTESIA_BASE_URL',
    defaultUrl: 'https://api.cartesia.ai',
    keysUrl: 'https://play.cartesia.ai/keys',
  },
  elevenlabs: {
    name: 'ElevenLabs',
    keyVariable: 'ELEVENLABS_API_KEY',
    urlVariable: 'ELEVENLABS_BASE_URL',
    defaultUrl: 'https://api.elevenlabs.io',
    keysUrl: 'https://elevenlabs.io/app/settings/api-keys',
  },
  openai: {
    name: 'OpenAI',
    keyVariable: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
    defaultUrl: 'https://api.openai.com/v1',
    keysUrl: 'https://platform.openai.com/api-keys',
  },
  anthropic: {
    name: 'Anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
    urlVariable: 'ANTHROPIC_BASE_URL',
    defaultUrl: 'https://api.anthropic.com/v1',
    keysUrl: 'https://console.anthropic.com/settings/keys',
  },
  google: {
    name: 'Google',
    keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
    urlVariable: 'GOOGLE_BASE_URL',
    defaultUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keysUrl: 'https://aistudio.google.com/apikey',
  },
  xai: {
    name: 'xAI',
    keyVariable: 'XAI_API_KEY',
    urlVariable: 'XAI_BASE_URL',
    defaultUrl: 'https://api.x.ai/v1',
    keysUrl: 'https://console.x.ai',
  },
  groq: {
    name: 'Groq',
    keyVariable: 'GROQ_API_KEY',
    urlVariable: 'GROQ_BASE_URL',
    defaultUrl: 'https://api.groq.com/openai/v1',
    keysUrl: 'https://console.groq.com/keys',
  },
  assemblyai: {
    name: 'AssemblyAI',
    keyVariable: 'ASSEMBLYAI_API_KEY',
    urlVariable: 'ASSEMBLYAI_BASE_URL',
    defaultUrl: 'https://api.assemblyai.com',
    keysUrl: 'https://www.assemblyai.com/dashboard/api-keys',
  },
} as const satisfies Record<string, Vendor>;

export type VendorName = keyof typeof VENDORS;

/** How people know a vendor: `Deepgram` of `deepgram`; itself where there is no key for it. */
export const vendorName = (name: string): string => (VENDORS as Readonly<Record<string, Vendor>>)[name]?.name ?? name;

/** Where a vendor's service is, and the key for it. */
export interface AccountOptions {
  /** Default: the vendor's environment variable, such as `DEEPGRAM_API_KEY`. */
  apiKey?: string | undefined;
  /** `http(s)://` address of the service. Default: the vendor's environment variable, such as `DEEPGRAM_BASE_URL`, else its own. */
  baseUrl?: string | undefined;
}

export const ACCOUNT_OPTIONS: OptionNames<AccountOptions> = { apiKey: true, baseUrl: true };

/** Whom to ask, and as whom. */
export interface VendorAccount {
  readonly provider: Vendor;
  readonly apiKey: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

/**
 * @throws VoicebotError VB_CREDENTIALS_MISSING naming the variable, VB_CONFIG_INVALID for an address that is none
 */
export function resolveAccount(provider: Vendor, { apiKey, baseUrl }: AccountOptions = {}): VendorAccount {
  const key = apiKey || process.env[provider.keyVariable] || (hasStandIns() && 'unused');
  if (!key) throw missingKeys([provider]);
  const url = baseUrl || process.env[provider.urlVariable] || provider.defaultUrl;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new VoicebotError('VB_CONFIG_INVALID', `${provider.urlVariable} must be an http:// or https:// address`);
  }
  return { provider, apiKey: key, baseUrl: url.replace(/\/+$/, '') };
}

/**
 * Says at the top of a bot file which keys it cannot do without, so that `voicebot run` refuses to start without them.
 * @param user what needs them, such as the name of the bot
 * @throws VoicebotError VB_CREDENTIALS_MISSING naming every variable that is not set, and where to get its key;
 *   VB_CONFIG_INVALID for a name that is of no vendor
 */
export function requireKeys(user: string, names: readonly VendorName[]): void {
  for (const name of names) if (!Object.hasOwn(VENDORS, name)) throw unknownProvider(name);
  if (hasStandIns()) return;
  const missing = names.map((name) => VENDORS[name]).filter(({ keyVariable }) => !process.env[keyVariable]);
  if (missing.length > 0) throw missingKeys(missing, user);
}

function unknownProvider(name: string): VoicebotError {
  const known = Object.keys(VENDORS) as VendorName[];
  const meant = known.find((one) => VENDORS[one].keyVariable === name) ?? closestName(name, known);
  const help = meant ? `did you mean ${meant}?` : `there are ${LIST.format(known)}`;
  return new VoicebotError('VB_CONFIG_INVALID', `requireKeys: there is no vendor ${name}; ${help}`);
}

function missingKeys(providers: readonly Vendor[], user?: string): VoicebotError {
  const variables = LIST.format(providers.map(({ keyVariable }) => keyVariable));
  const [verb, pronoun] = providers.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const similar = LIST.format(providers.flatMap(({ keyVariable }) => namesLike(keyVariable)));
  const places = providers.map(({ keyVariable, keysUrl }) => `${keyVariable} at ${keysUrl}`).join(', ');
  return new VoicebotError(
    'VB_CREDENTIALS_MISSING',
    `${variables} ${verb} not set${user ? `, and ${user} needs ${pronoun}` : ''}${similar ? `. voicebot does not read ${similar}` : ''}`,
    { hint: `get ${places}, and put ${pronoun} into .env` },
  );
}

/** The variables that are set and were probably meant for this one, each with the question whether it was. */
function namesLike(keyVariable: string): string[] {
  return Object.keys(process.env)
    .filter((name) => process.env[name] && (closestName(name, [keyVariable]) || isKeyOfSameOwner(name, keyVariable)))
    .map((name) => `${name} (did you mean ${keyVariable}?)`);
}

/** `GOOGLE_API_KEY` and `ELEVEN_API_KEY`: a key whose first word is that of ours, or its beginning. */
function isKeyOfSameOwner(name: string, keyVariable: string): boolean {
  const [, owner] = /^([A-Z]{4,})_(?:\w+_)?(?:KEY|TOKEN)$/.exec(name) ?? [];
  return owner !== undefined && keyVariable.startsWith(owner);
}
