import { timeLimit } from '../../base/async/time-limit.js';
import { ProviderError } from '../../base/provider-error.js';
import { type AccountOptions, CARTESIA_VERSION, resolveAccount, VENDORS, type VendorName } from './vendor.js';
import { vendorMessage } from './vendor-message.js';
import { connectionFailure, withoutKey } from './vendor-socket.js';

/** What a vendor makes of a key; `restricted`: it knows the key, which may not read what was asked for. */
export type KeyState = 'taken' | 'restricted';

interface Question {
  /** Path and query behind the account's base address; GET. */
  readonly path: string;
  headers(key: string): Record<string, string>;
}

/** One request of each vendor that costs nothing, changes nothing and needs a key. */
const QUESTIONS: Readonly<Record<VendorName, Question>> = {
  deepgram: { path: '/v1/auth/token', headers: (key) => ({ authorization: `Token ${key}` }) },
  cartesia: {
    path: '/voices?limit=1',
    headers: (key) => ({ 'x-api-key': key, 'cartesia-version': CARTESIA_VERSION }),
  },
  elevenlabs: { path: '/v1/models', headers: (key) => ({ 'xi-api-key': key }) },
  openai: { path: '/models', headers: (key) => ({ authorization: `Bearer ${key}` }) },
  anthropic: {
    path: '/models?limit=1',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  },
  xai: { path: '/models', headers: (key) => ({ authorization: `Bearer ${key}` }) },
  groq: { path: '/models', headers: (key) => ({ authorization: `Bearer ${key}` }) },
  assemblyai: { path: '/v2/transcript?limit=1', headers: (key) => ({ authorization: key }) },
  google: { path: '/models?pageSize=1', headers: (key) => ({ 'x-goog-api-key': key }) },
};

/** Longest wait for a vendor's answer, in milliseconds. */
const ASK_LIMIT_MS = 5_000;
/** What they say of a key that was made for some of their services only. */
const RESTRICTED = /missing (the )?(permission|scope)|insufficient permissions/i;

/**
 * Asks a vendor whether it takes a key, without using any of its services.
 * @throws VoicebotError VB_CREDENTIALS_MISSING, VB_CONFIG_INVALID for an address that is none; ProviderError
 *   VB_CREDENTIALS_REFUSED, VB_PROVIDER_FAILED when the vendor does not say, or is not reached
 */
export async function askForKey(name: VendorName, options: AccountOptions, signal: AbortSignal): Promise<KeyState> {
  const account = resolveAccount(VENDORS[name], options);
  const { provider, apiKey, baseUrl } = account;
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ProviderError(provider.name, 'VB_CREDENTIALS_REFUSED', 'the key has characters that no key has', {
      hint: `check ${provider.keyVariable}: ${provider.keysUrl}`,
    });
  }
  const { path, headers } = QUESTIONS[name];
  const limit = AbortSignal.any([signal, timeLimit(ASK_LIMIT_MS)]);
  const request = { headers: headers(apiKey), redirect: 'manual', signal: limit } as const;
  let status: number;
  let body: string;
  try {
    const response = await fetch(baseUrl + path, request);
    status = response.status;
    body = response.ok ? '' : await response.text();
  } catch (error) {
    signal.throwIfAborted();
    const { message, cause } = error as Error & { cause?: { code?: string } };
    throw connectionFailure(account, cause?.code ?? message);
  }
  if (status >= 200 && status < 300) return 'taken';
  const words = withoutKey(account, vendorMessage(body));
  if ((status === 401 || status === 403) && RESTRICTED.test(words)) return 'restricted';
  // Google refuses a key as a request that is malformed.
  throw ProviderError.ofStatus(provider, status === 400 && /api key/i.test(words) ? 401 : status, words);
}
