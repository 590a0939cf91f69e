import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { ProviderAccount } from './provider.js';
import { ProviderError } from './provider-error.js';

/** Longest wait for a provider to accept a connection, in milliseconds. */
const CONNECT_LIMIT_MS = 4_000;
/** Largest message a provider sends: a few seconds of speech, base64. */
const MAX_MESSAGE_BYTES = 16 * 1_024 * 1_024;
/** Of the provider's answer to a refused handshake, how much is read. */
const MAX_REFUSAL_BYTES = 4_096;

export interface ProviderSocketOptions {
  account: ProviderAccount;
  /** Path and query behind the account's base address. */
  path: string;
  headers: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

/**
 * Opens a WebSocket at a provider. No query and no header of it is ever part of an error.
 * @throws ProviderError VB_CREDENTIALS_REFUSED, VB_PROVIDER_FAILED with the provider's words
 */
export async function connectProvider({ account, path, headers, signal }: ProviderSocketOptions): Promise<WebSocket> {
  const { provider, baseUrl } = account;
  const socket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}${path}`, {
    headers,
    handshakeTimeout: CONNECT_LIMIT_MS,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    followRedirects: false,
  });
  const abort = () => socket.terminate();
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('unexpected-response', (_request, response) => {
        void wordsOf(response).then((words) => {
          reject(ProviderError.ofStatus(provider, response.statusCode ?? 0, words));
          socket.terminate();
        });
      });
      socket.on('error', (error) => reject(new ProviderError(provider.name, 'VB_PROVIDER_FAILED', error.message)));
    });
    return socket;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** What a provider says when it refuses: its message, in whichever of the usual fields. */
async function wordsOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  try {
    for await (const part of response) {
      parts.push(part);
      if (parts.reduce((sum, { length }) => sum + length, 0) > MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // what there is must do
  }
  return providerWords(Buffer.concat(parts).toString().slice(0, MAX_REFUSAL_BYTES));
}

/** The message in a provider's error body, whichever of the usual fields it stands in; else the start of the body. */
export function providerWords(body: string): string {
  try {
    const fields = JSON.parse(body);
    const words = [
      fields.err_msg,
      fields.message,
      fields.error?.message,
      fields.error,
      fields.detail?.message,
      fields.detail,
    ];
    const found = words.find((word) => typeof word === 'string' && word !== '');
    if (found) return found.slice(0, 300);
  } catch {
    // not JSON
  }
  return body.replace(/\s+/g, ' ').trim().slice(0, 300);
}
