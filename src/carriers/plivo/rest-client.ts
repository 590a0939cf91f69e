import type { Dispatcher } from 'undici';
import { VoicebotError } from '../../errors.js';
import { CarrierRequestError } from '../carrier-request-error.js';
import type { CarrierCredentials, CarrierRestClient } from '../contract.js';
import { isPlivoIdentifier } from './identifier.js';

export interface RestClientOptions {
  /** Longest wait for a connection, and again for the answer, of each try, in milliseconds. Default 10 000. */
  timeoutMs?: number;
  /** Wait before the first repetition, in milliseconds; doubles each time, at most 2 000. Default 250. */
  retryDelayMs?: number;
}

/** Failures before the carrier can have answered; a repeated hang up is harmless in any case. */
const RETRIED_ERRORS = [
  'ECONNRESET',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
];

interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * A client of the voice API. Hang-ups are tried up to four times when the carrier is unreachable, busy (429) or broken
 * (5xx); changes are sent once. An aborted `signal` rejects with its own reason.
 * @throws VoicebotError VB_CREDENTIALS_MISSING when one is empty, VB_IDENTIFIER_INVALID when the auth id is not of the
 *   carrier's form
 * @see reference 1.1 to 1.5
 */
export async function createPlivoRestClient(
  { authId, authToken, apiUrl }: CarrierCredentials,
  { timeoutMs = 10_000, retryDelayMs = 250 }: RestClientOptions = {},
): Promise<CarrierRestClient> {
  if (!authId || !authToken) {
    throw new VoicebotError('VB_CREDENTIALS_MISSING', 'the carrier needs an auth id and an auth token', {
      hint: 'set CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN',
    });
  }
  requireIdentifier(authId, 'auth id');
  // Loaded here so that processes which never make a request do not carry it.
  const { Agent, RetryAgent } = await import('undici');
  const agent = new RetryAgent(
    new Agent({ connect: { timeout: timeoutMs }, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }),
    {
      maxRetries: 3,
      minTimeout: retryDelayMs,
      maxTimeout: 2_000,
      methods: ['DELETE'],
      errorCodes: RETRIED_ERRORS,
      throwOnError: false,
    },
  );
  const base = `${apiUrl.replace(/\/+$/, '')}/Account/${authId}/`;
  const basic = Buffer.from(`${authId}:${authToken}`).toString('base64');

  async function request(
    method: 'DELETE' | 'POST',
    path: string,
    signal?: AbortSignal,
    body?: object,
  ): Promise<Answer> {
    const { origin, pathname } = new URL(base + path);
    const options: Dispatcher.RequestOptions = {
      origin,
      path: pathname,
      method,
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    try {
      const answer = await agent.request(options);
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch (error) {
      signal?.throwIfAborted();
      throw new VoicebotError('VB_CARRIER_UNREACHABLE', `${origin}: ${reasonOf(error)}`, {
        cause: error,
        hint: 'check the network and CARRIER_API_URL',
      });
    }
  }

  function refusal(what: string, { status, text }: Answer): CarrierRequestError {
    if (status === 401 || status === 403) {
      return new CarrierRequestError('VB_CREDENTIALS_REFUSED', status, `${what} got status ${status}`, {
        hint: 'check CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN',
      });
    }
    const reason = [authToken, basic].reduce((told, secret) => told.replaceAll(secret, '[redacted]'), errorText(text));
    return new CarrierRequestError(
      'VB_CARRIER_REQUEST_FAILED',
      status,
      `${what} got status ${status}: ${reason.slice(0, 300)}`,
    );
  }

  return {
    async hangUp(callId, signal) {
      requireIdentifier(callId, 'call id');
      const answer = await request('DELETE', `Call/${callId}/`, signal);
      if (isSuccess(answer)) return 'ended';
      if (answer.status === 404) return 'already_ended';
      throw refusal('hanging up', answer);
    },
    async updateApplication(applicationId, { answerUrl, hangupUrl }, signal) {
      requireIdentifier(applicationId, 'application id');
      const fields = { answer_url: answerUrl, hangup_url: hangupUrl };
      const answer = await request('POST', `Application/${applicationId}/`, signal, fields);
      if (!isSuccess(answer)) throw refusal('changing the application', answer);
    },
    close: () => agent.close(),
  };
}

const isSuccess = ({ status }: Answer) => status >= 200 && status < 300;

function requireIdentifier(value: string, what: string): void {
  // The value stays out of the message: a token pasted in the place of an identifier would be shown.
  if (!isPlivoIdentifier(value)) {
    throw new VoicebotError('VB_IDENTIFIER_INVALID', `the ${what} must be 1 to 64 letters, digits, "-" or "_"`);
  }
}

/** The `error` of the carrier's envelope, which may be text or any JSON, else the answer itself. */
function errorText(text: string): string {
  try {
    const { error } = JSON.parse(text);
    return typeof error === 'string' ? error : JSON.stringify(error ?? text);
  } catch {
    return text;
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return code ?? message ?? 'failed';
}
