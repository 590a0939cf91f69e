import { Agent, request } from 'undici';
import { timeLimit } from '../../base/async/time-limit.js';
import { VoicebotError } from '../../base/errors.js';
import type { JsonFields } from '../../base/http/json-fields.js';
import { loopbackLookup } from '../../base/http/loopback-lookup.js';
import { HTTP, loopbackUrl } from '../network/loopback.js';
import type { SandboxDialin } from './contract.js';
import { dailyFace, type RoomsFace } from './face.js';

const CONNECT_TIMEOUT_MS = 2_000;
/** Longest answer that is read, in bytes; only its status is used. */
const MAX_ANSWER_BYTES = 100 * 1_024;

export interface DialinWebhookAnswer {
  readonly status: number;
  /** From the request to the last byte of the answer. */
  readonly ms: number;
}

/**
 * Sends the webhook of a number, on this machine only: once, without following redirects.
 * @see rooms reference 4.1 to 4.4
 */
export class DialinWebhooks {
  readonly #agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS, lookup: loopbackLookup } });
  readonly #closing = new AbortController();

  /** @param options `timeoutMs`: longest wait for a whole answer; `face`: whose words they are, Daily's by default */
  constructor(private readonly options: { timeoutMs: number; face?: Pick<RoomsFace, 'webhook'> | undefined }) {}

  /**
   * Sends a signed webhook.
   * @throws VoicebotError VB_CONFIG_INVALID for an address that may not be called, VB_ANSWER_URL_FAILED when there is no
   *   answer; whatever its status, an answer is not an error
   */
  async send(config: SandboxDialin, told: JsonFields, signal?: AbortSignal): Promise<DialinWebhookAnswer> {
    const url = loopbackUrl(config.webhookUrl, HTTP);
    const { face = dailyFace } = this.options;
    const { headers, body } = face.webhook(told, config.hmac, Date.now());
    const startedAt = performance.now();
    const timeout = timeLimit(this.options.timeoutMs);
    const signals = [timeout, this.#closing.signal, ...(signal ? [signal] : [])];
    try {
      const answer = await request(url, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.any(signals),
        dispatcher: this.#agent,
      });
      await answer.body.dump({ limit: MAX_ANSWER_BYTES });
      return { status: answer.statusCode, ms: Math.round(performance.now() - startedAt) };
    } catch (error) {
      const { message, code } = error as { message?: string; code?: string };
      const reason = timeout.aborted ? `no answer within ${this.options.timeoutMs} ms` : message || code;
      throw new VoicebotError('VB_ANSWER_URL_FAILED', reason, { cause: error });
    }
  }

  /** Aborts the requests under way. */
  close(): Promise<void> {
    // A destroyed agent can forget a request that came after an aborted one.
    this.#closing.abort();
    return this.#agent.destroy();
  }
}
