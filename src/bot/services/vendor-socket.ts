import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { parseRetryAfter } from '../../base/http/retry-after.js';
import { ProviderError } from '../../base/provider-error.js';
import type { LinkSocket } from './link-socket.js';
import type { Vendor, VendorAccount } from './vendor.js';
import { vendorMessage, withoutKeys } from './vendor-message.js';

/** Longest wait for a vendor to accept a connection, in milliseconds. */
const CONNECT_LIMIT_MS = 4_000;
/** Largest message a vendor sends: a few seconds of speech, base64. */
const MAX_MESSAGE_BYTES = 16 * 1_024 * 1_024;
/** Of the vendor's answer to a refused handshake, how much is read. */
const MAX_REFUSAL_BYTES = 4_096;

/** Of every socket to a vendor. */
export const SOCKET_OPTIONS = {
  perMessageDeflate: false,
  maxPayload: MAX_MESSAGE_BYTES,
  followRedirects: false,
} as const;

export interface VendorSocketOptions {
  account: VendorAccount;
  /** Path and query behind the account's base address. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Subprotocols that are asked for. Default: none. */
  protocols?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
  /** Longest wait for the vendor to accept, in milliseconds. Default 4000. */
  limitMs?: number | undefined;
  /** Attaches the listeners: before the socket opens, so that the first message cannot be missed. */
  attach?: (socket: LinkSocket) => void;
}

/**
 * Opens a WebSocket at a vendor. No query and no header of it is ever part of an error.
 * @throws ProviderError VB_CREDENTIALS_REFUSED, VB_PROVIDER_FAILED with the vendor's words
 */
export async function connectProvider(options: VendorSocketOptions): Promise<WebSocket> {
  const { account, signal, attach } = options;
  const socket = createSocket(options);
  const abort = () => socket.terminate();
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  attach?.(socket);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('unexpected-response', (_request, response) => {
        void refusalOf(account, response).then((error) => {
          reject(error);
          socket.terminate();
        });
      });
      socket.on('error', ({ message }) => reject(connectionFailure(account, message)));
    });
    return socket;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * A connection to a vendor did not come about, broke, or is of no use.
 * @param words what happened, in the vendor's words where there are any
 * @param status the close code, where there is one
 */
export function connectionFailure(account: VendorAccount, words: string, status?: number): ProviderError {
  const { name } = account.provider;
  const hint = `check the network of this machine, and whether ${name} has an outage`;
  return new ProviderError(name, 'VB_PROVIDER_FAILED', withoutKey(account, words), { status, hint });
}

function createSocket({
  account,
  path,
  headers,
  protocols = [],
  limitMs = CONNECT_LIMIT_MS,
}: VendorSocketOptions): WebSocket {
  try {
    return new WebSocket(`${account.baseUrl.replace(/^http/, 'ws')}${path}`, [...protocols], {
      headers,
      handshakeTimeout: limitMs,
      ...SOCKET_OPTIONS,
    });
  } catch (error) {
    // Such as a line break in the key.
    const { name, keyVariable } = account.provider;
    const hint = `check ${keyVariable}`;
    throw new ProviderError(name, 'VB_PROVIDER_FAILED', withoutKey(account, (error as Error).message), {
      hint,
      isFinal: true,
    });
  }
}

/** A vendor's words without the API key, which some repeat in their complaint about it; one that is not known, by its looks. */
export function withoutKey({ apiKey }: VendorAccount, words: string): string {
  return apiKey ? words.replaceAll(apiKey, '[redacted]') : withoutKeys(words);
}

/** What a vendor answers when it refuses to connect. */
export async function refusalOf(account: VendorAccount, response: IncomingMessage): Promise<ProviderError> {
  const words = await refusalWords(response, account.provider);
  const { statusCode = 0, headers } = response;
  const retryAfterMs = parseRetryAfter(headers['retry-after']);
  return ProviderError.ofStatus(account.provider, statusCode, withoutKey(account, words), retryAfterMs);
}

/** Its message, in whichever of the usual fields. */
async function refusalWords(response: IncomingMessage, { refusalHeader }: Vendor): Promise<string> {
  const parts: Buffer[] = [];
  try {
    for await (const part of response) {
      parts.push(part);
      if (parts.reduce((sum, { length }) => sum + length, 0) > MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // what there is must do
  }
  const header = refusalHeader === undefined ? undefined : response.headers[refusalHeader];
  const body = Buffer.concat(parts).toString() || String(header ?? '');
  return vendorMessage(body.slice(0, MAX_REFUSAL_BYTES));
}
