import { Agent, request } from 'undici';
import { timeLimit } from '../../base/async/time-limit.js';
import { VoicebotError } from '../../base/errors.js';
import { loopbackLookup } from '../../base/http/loopback-lookup.js';
import { HTTP, loopbackUrl } from '../network/loopback.js';
import type { HttpMethod, WebhookTarget } from '../network/webhook-target.js';
import type { CarrierFace, WebhookParameters } from './face.js';

export interface WebhookAnswer {
  readonly status: number;
  /** Media type in lower case, without parameters; empty when the answer names none. */
  readonly contentType: string;
  readonly body: Buffer;
  /** From the first attempt to the last byte. */
  readonly ms: number;
}

const CONNECT_TIMEOUT_MS = 2_000;
const ATTEMPTS = 2;
const MAX_ANSWER_BYTES = 100 * 1024;
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/**
 * Makes the network's HTTP requests to the application under test, on this machine only. A request that gets no answer
 * is made once more, as the carrier does by default.
 * @see carrier reference 2.1 to 2.4
 */
export class WebhookClient {
  readonly #agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS, lookup: loopbackLookup } });

  /** @param options `timeoutMs`: longest wait for a whole answer, of each attempt */
  constructor(private readonly options: { face: Pick<CarrierFace, 'signatureOf'>; timeoutMs: number }) {}

  /**
   * Sends a signed webhook: parameters as a form, or in the query when the method is GET.
   * @throws VoicebotError VB_CONFIG_INVALID for an address that may not be called, VB_ANSWER_URL_FAILED when there is no
   *   answer; whatever its status, an answer is not an error
   */
  async send(target: WebhookTarget, parameters: WebhookParameters, signal: AbortSignal): Promise<WebhookAnswer> {
    const [address = ''] = target.url.split('#', 1);
    const query = new URLSearchParams(parameters).toString();
    const isPost = target.method === 'POST';
    const url = isPost ? address : `${address}${address.includes('?') ? '&' : '?'}${query}`;
    const form = isPost ? Object.entries(parameters) : [];
    return this.#request(url, MAX_ANSWER_BYTES, {
      method: target.method,
      headers: {
        ...this.options.face.signatureOf({ method: target.method, url, form, body: isPost ? query : '' }),
        ...(isPost && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(isPost && { body: query }),
      signal,
    });
  }

  /** Fetches an audio file of at most 10 MB. @throws VoicebotError as {@link send} does */
  fetchFile(url: string, signal: AbortSignal): Promise<WebhookAnswer> {
    return this.#request(url, MAX_FILE_BYTES, { method: 'GET', signal });
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #request(address: string, maxBytes: number, options: RequestOptions): Promise<WebhookAnswer> {
    const startedAt = performance.now();
    for (let attempt = 1; ; attempt += 1) {
      const signal = AbortSignal.any([options.signal, timeLimit(this.options.timeoutMs)]);
      try {
        const url = loopbackUrl(address, HTTP);
        const { statusCode, headers, body } = await request(url, { ...options, signal, dispatcher: this.#agent });
        const [contentType = ''] = String(headers['content-type'] ?? '').split(';', 1);
        return {
          status: statusCode,
          contentType: contentType.trim().toLowerCase(),
          body: await readAll(body, maxBytes),
          ms: Math.round(performance.now() - startedAt),
        };
      } catch (error) {
        if (error instanceof VoicebotError) throw error;
        if (attempt < ATTEMPTS && !options.signal.aborted) continue;
        throw new VoicebotError('VB_ANSWER_URL_FAILED', reasonOf(error, this.options.timeoutMs), { cause: error });
      }
    }
  }
}

interface RequestOptions {
  readonly method: HttpMethod;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

async function readAll(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxBytes)
      throw new VoicebotError('VB_ANSWER_URL_FAILED', `the answer is larger than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const { code, message, name } = error as { code?: string; message?: string; name?: string };
  if (code === 'ECONNREFUSED') return 'nothing listens there (ECONNREFUSED)';
  if (name === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
  return message || code || 'failed';
}
