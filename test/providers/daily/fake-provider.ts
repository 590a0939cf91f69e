import { DailyRestClient } from '../../../src/providers/daily/rest.js';
import { ManualClock } from '../../base/http/manual-clock.js';
import { type ReceivedRequest, type Reply, ScriptedApi } from '../plivo/scripted-api.js';

export type { ReceivedRequest, Reply };
export { ManualClock };

export const apiKey = '5f2b7c1e9d8a4b3c6e0f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c2d';

export const json = (value: unknown, status = 200): Reply => ({ status, body: JSON.stringify(value) });

/** The provider's form of a refusal. */
export const refusal = (status: number, info: string, error = 'invalid-request-error'): Reply =>
  json({ error, info }, status);

export const busy = (retryAfter?: string): Reply => ({
  status: 429,
  body: '{"error":"rate-limit-error","info":"slow down"}',
  ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
});

export interface Exchange<T> {
  readonly result: T | undefined;
  /** What the call was rejected with. */
  readonly error: unknown;
  /** As `POST /rooms`, with the query, below the base address. */
  readonly lines: readonly string[];
  readonly requests: readonly ReceivedRequest[];
  /** Of the requests, parsed; undefined for those without. */
  readonly bodies: readonly unknown[];
  readonly pauses: readonly number[];
}

/** Calls a client of a provider that replies by `script`, and tells what went over the wire. */
export async function exchange<T>(
  script: readonly Reply[] | ((request: ReceivedRequest) => Reply),
  act: (client: DailyRestClient, api: ScriptedApi) => Promise<T>,
  { timeoutMs = 10_000 }: { timeoutMs?: number } = {},
): Promise<Exchange<T>> {
  const api = await ScriptedApi.listen(script);
  const clock = new ManualClock();
  const client = new DailyRestClient({ apiKey, apiUrl: api.url }, { timeoutMs, clock });
  let result: T | undefined;
  let error: unknown;
  try {
    result = await act(client, api);
  } catch (reason) {
    error = reason;
  } finally {
    await client.close();
    await api[Symbol.asyncDispose]();
  }
  const { requests } = api;
  return {
    result,
    error,
    lines: requests.map(({ method, url }) => `${method} ${url.replace('/v1', '')}`),
    requests,
    bodies: requests.map(({ body }) => (body === '' ? undefined : JSON.parse(body))),
    pauses: clock.pauses,
  };
}
