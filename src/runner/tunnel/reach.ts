import { WebSocket } from 'ws';
import { loopbackLookup } from '../../base/http/loopback-lookup.js';
import { httpGet, networkReason } from './http-get.js';
import type { ReachProbe, ReachQuestion } from './reach-probe.js';

export interface ProbeOptions {
  /** Longest wait for each answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether a WebSocket must come through as well. */
  readonly overWebSocket: boolean;
}

/** Why an address does not lead to this runner; the message is for people. */
export class NotReached extends Error {
  override readonly name: string = 'NotReached';

  constructor(
    message: string,
    /** No answer came in time; a full tunnel looks the same. */
    readonly isLate = false,
  ) {
    super(message);
  }
}

/** Tunnel providers answer the first request of a client that lacks these headers with a page of warnings. */
const HEADERS = { 'bypass-tunnel-reminder': '1', 'ngrok-skip-browser-warning': '1' };
const NOT_OURS = 'an answer that is not ours: something else is at this address';

/**
 * Sends a test request to a public address and waits for its arrival here, over HTTP and, if wanted, over a WebSocket.
 * @param url an origin
 * @returns how long it took, in milliseconds
 * @throws NotReached, or what `signal` was aborted with
 */
export async function probePublicUrl(
  url: string,
  probe: ReachProbe,
  { timeoutMs, overWebSocket }: ProbeOptions,
  signal: AbortSignal,
): Promise<number> {
  const startedAt = performance.now();
  const question = probe.ask();
  try {
    await inTime((limit) => askOverHttp(url, question, limit), timeoutMs, signal);
    if (overWebSocket) await inTime((limit) => askOverWebSocket(url, question, limit), timeoutMs, signal);
    return Math.round(performance.now() - startedAt);
  } finally {
    question.close();
  }
}

/** How long a request of our own may take through a tunnel, in milliseconds. */
const OWN_LIMIT_MS = 2_500;

/** Sends one over HTTP, to see whether what is asked of this address comes here. @throws as {@link probePublicUrl} */
export const comesHere = (url: string, probe: ReachProbe, signal: AbortSignal): Promise<number> =>
  probePublicUrl(url, probe, { timeoutMs: OWN_LIMIT_MS, overWebSocket: false }, signal);

async function inTime(ask: (limit: AbortSignal) => Promise<void>, timeoutMs: number, signal: AbortSignal) {
  signal.throwIfAborted();
  const limit = new AbortController();
  const giveUp = () => limit.abort();
  const timer = setTimeout(giveUp, timeoutMs);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await ask(limit.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.signal.aborted) throw new NotReached(`no answer within ${timeoutMs / 1_000} s`, true);
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

async function askOverHttp(url: string, { path, answer }: ReachQuestion, limit: AbortSignal): Promise<void> {
  const { status, body } = await httpGet(new URL(path, url), HEADERS, limit).catch((error: unknown) => {
    throw new NotReached(networkReason(error));
  });
  if (status !== 200) throw new NotReached(`HTTP ${status}`);
  if (body !== answer) throw new NotReached(NOT_OURS);
}

function askOverWebSocket(url: string, { path, answer }: ReachQuestion, limit: AbortSignal): Promise<void> {
  const address = new URL(path, url.replace(/^http/, 'ws'));
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, {
      headers: HEADERS,
      lookup: loopbackLookup,
      maxPayload: 1_024,
      perMessageDeflate: false,
    });
    const giveUp = () => socket.terminate();
    limit.addEventListener('abort', giveUp, { once: true });
    socket.once('unexpected-response', (request, response) => {
      reject(new NotReached(`the WebSocket upgrade was answered with HTTP ${response.statusCode}`));
      request.destroy();
      socket.terminate();
    });
    socket.on('error', (error) => reject(new NotReached(`the WebSocket failed: ${networkReason(error)}`)));
    socket.once('message', (data) => {
      if (String(data) === answer) resolve();
      else reject(new NotReached(NOT_OURS));
      socket.terminate();
    });
    socket.once('close', () => {
      limit.removeEventListener('abort', giveUp);
      reject(new NotReached('the WebSocket was closed without an answer'));
    });
  });
}
