import { createHmac } from 'node:crypto';
import { Agent, type Dispatcher, request } from 'undici';
import { loopbackLookup } from '../../base/http/loopback-lookup.js';
import { parseRetryAfter } from '../../base/http/retry-after.js';
import type { KeptEvent } from './outbox-file.js';

/** What became of one try. */
export type ReceiverAnswer =
  | { readonly is: 'accepted' }
  /** The receiver wants no more events. */
  | { readonly is: 'gone' }
  /** `reason` is for people, and names no address. `retryAfterMs`: how long the receiver wants to be left alone. */
  | { readonly is: 'failed'; readonly reason: string; readonly retryAfterMs?: number | undefined };

export interface EventsReceiverOptions {
  /** https, or http on this machine. */
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
  /** Requests at once. */
  readonly atOnce: number;
  /** Longest wait for an answer, from the moment of the request on, in milliseconds. Default 15 000. */
  readonly timeoutMs?: number | undefined;
}

/** How much of an answer is read, in bytes, and for how long, in milliseconds. */
const BODY_BYTES = 64 * 1_024;
const BODY_MS = 1_000;

/** The key that a secret stands for. */
export const signingKeyOf = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64');

/**
 * The headers that identify and sign a request.
 * @param seconds of this try, since the Unix epoch
 * @see https://www.standardwebhooks.com, version 1.0.0
 */
export function signedHeaders(key: Buffer, id: string, seconds: number, body: string): Record<string, string> {
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}

/** The user's application, as far as it is told of calls. Redirects are not followed. */
export class EventsReceiver {
  /** Where it is, for messages: the address may hold a secret. */
  readonly origin: string;
  readonly #agent: Agent;
  readonly #key: Buffer;

  constructor(private readonly options: EventsReceiverOptions) {
    const { url, secret, atOnce, timeoutMs = 15_000 } = options;
    this.origin = new URL(url).origin;
    this.#key = signingKeyOf(secret);
    this.#agent = new Agent({ connections: atOnce, connect: { timeout: timeoutMs, lookup: loopbackLookup } });
  }

  /** Sends an event once. Never rejects. */
  async send({ id, event }: KeptEvent): Promise<ReceiverAnswer> {
    const { url, timeoutMs = 15_000 } = this.options;
    const body = JSON.stringify(event);
    const abort = new AbortController();
    let timer = setTimeout(() => abort.abort(new Error(`no answer within ${timeoutMs / 1_000} s`)), timeoutMs);
    try {
      const answer = await request(url, {
        dispatcher: this.#agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'voicebot',
          ...signedHeaders(this.#key, id, Math.floor(Date.now() / 1_000), body),
        },
        body,
        signal: abort.signal,
      });
      // Its status is enough. What else it says is read to free the connection, which is closed when that is long or slow.
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), BODY_MS);
      await answer.body.dump({ limit: BODY_BYTES }).catch(() => {});
      return meaningOf(answer);
    } catch (error) {
      const { code, message } = (abort.signal.aborted ? abort.signal.reason : error) as NodeJS.ErrnoException;
      return { is: 'failed', reason: typeof code === 'string' ? code : message };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function meaningOf({ statusCode: status, headers }: Dispatcher.ResponseData): ReceiverAnswer {
  if (status >= 200 && status < 300) return { is: 'accepted' };
  if (status === 410) return { is: 'gone' };
  const asksForTime = status === 429 || status === 503;
  return {
    is: 'failed',
    reason: `status ${status}`,
    retryAfterMs: asksForTime ? parseRetryAfter(headers['retry-after']) : undefined,
  };
}
