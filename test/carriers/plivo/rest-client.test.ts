import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { CarrierRequestError } from '../../../src/carriers/carrier-request-error.js';
import type { CarrierRestClient } from '../../../src/carriers/contract.js';
import { plivo } from '../../../src/carriers/plivo/carrier.js';
import { createPlivoRestClient, type RestClientOptions } from '../../../src/carriers/plivo/rest-client.js';

const authId = 'MAXXXXXXXXXXXXXXXXXX';
const authToken = 'ZmFrZS1hdXRoLXRva2VuLWZvci10ZXN0cw';
const callId = 'c7f3d1a0-6b5e-4d7c-9f21-3a8e5b9d0c44';

interface ReceivedRequest {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

type Reply = { status: number; body?: string; headers?: Record<string, string> } | 'break' | 'silence';

/** A voice API that gives the replies in order, the last one for ever. */
class ScriptedApi implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  readonly #server = http.createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    this.requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    const reply = this.replies[Math.min(this.requests.length, this.replies.length) - 1] as Reply;
    this.#server.emit('received');
    if (reply === 'break') request.socket.destroy();
    else if (reply !== 'silence') response.writeHead(reply.status, reply.headers).end(reply.body);
  });

  private constructor(readonly replies: readonly Reply[]) {}

  static async listen(...replies: Reply[]): Promise<ScriptedApi> {
    const api = new ScriptedApi(replies);
    await once(api.#server.listen(0, '127.0.0.1'), 'listening');
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  received(): Promise<unknown> {
    return once(this.#server, 'received');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Runs `use` with a client of `api`, and closes both. */
async function withClient<T>(
  api: ScriptedApi,
  use: (client: CarrierRestClient) => Promise<T>,
  options: RestClientOptions = {},
): Promise<T> {
  const client = await createPlivoRestClient({ authId, authToken, apiUrl: api.url }, { retryDelayMs: 1, ...options });
  try {
    return await use(client);
  } finally {
    await client.close();
    await api[Symbol.asyncDispose]();
  }
}

/** What `promise` rejects with. */
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error,
  );

const hangUp = (client: CarrierRestClient) => client.hangUp(callId);
const webhooks = { answerUrl: 'https://a.dev/answer', hangupUrl: 'https://a.dev/hangup' };
const updateApplication = (client: CarrierRestClient) => client.updateApplication('1234567890', webhooks);

describe('hanging up', () => {
  test('deletes the call, with a trailing slash and Basic credentials', async () => {
    const api = await ScriptedApi.listen({ status: 204 });
    expect(await withClient(api, hangUp)).toBe('ended');
    expect(api.requests).toMatchObject([
      {
        method: 'DELETE',
        url: `/v1/Account/${authId}/Call/${callId}/`,
        headers: { authorization: `Basic ${btoa(`${authId}:${authToken}`)}` },
        body: '',
      },
    ]);
  });

  test('takes a call the carrier does not know for one that is over', async () => {
    const api = await ScriptedApi.listen({ status: 404, body: '{"api_id":"x","error":"not found"}' });
    expect(await withClient(api, hangUp)).toBe('already_ended');
    expect(api.requests).toHaveLength(1);
  });

  test.each([
    [{ status: 429 }],
    [{ status: 500 }],
    [{ status: 503, headers: { 'retry-after': '0' } }],
    ['break' as const],
  ])('tries again after %j', async (reply) => {
    const api = await ScriptedApi.listen(reply, reply, reply, { status: 204 });
    expect(await withClient(api, hangUp)).toBe('ended');
    expect(api.requests).toHaveLength(4);
  });

  test('gives up after four tries, with the status and the words of the carrier', async () => {
    const api = await ScriptedApi.listen({ status: 503, body: '{"api_id":"x","error":"try later"}' });
    const error = await failure(withClient(api, hangUp));
    expect(error).toBeInstanceOf(CarrierRequestError);
    expect(error).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', status: 503, retryable: true });
    expect((error as Error).message).toMatch(/hanging up got status 503: try later$/);
    expect(api.requests).toHaveLength(4);
  });

  test('does not repeat what the carrier refuses', async () => {
    const api = await ScriptedApi.listen({ status: 400, body: '{"error":{"call_uuid":["wrong"]}}' });
    const error = await failure(withClient(api, hangUp));
    expect(error).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', status: 400, retryable: false });
    expect((error as Error).message).toContain('{"call_uuid":["wrong"]}');
    expect(api.requests).toHaveLength(1);
  });

  test.each(['', '.', '..', '../Call', 'a/b', 'a%2Fb', 'a?b', 'a b', 'x'.repeat(65)])(
    'never asks for the call %j',
    async (id) => {
      const api = await ScriptedApi.listen({ status: 204 });
      const error = await failure(withClient(api, (client) => client.hangUp(id)));
      expect(error).toMatchObject({ code: 'VB_IDENTIFIER_INVALID' });
      expect(api.requests).toEqual([]);
    },
  );
});

describe('changing an application', () => {
  test('sends only the two addresses, so that everything else keeps its value', async () => {
    const api = await ScriptedApi.listen({ status: 202, body: '{"message":"changed","api_id":"x"}' });
    await withClient(api, updateApplication);
    expect(api.requests).toMatchObject([
      {
        method: 'POST',
        url: `/v1/Account/${authId}/Application/1234567890/`,
        headers: { 'content-type': 'application/json' },
      },
    ]);
    expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({
      answer_url: webhooks.answerUrl,
      hangup_url: webhooks.hangupUrl,
    });
  });

  test.each([[{ status: 500, body: 'oops' }], [{ status: 429 }]])('is not repeated after %j', async (reply) => {
    const api = await ScriptedApi.listen(reply, { status: 202 });
    const error = await failure(withClient(api, updateApplication));
    expect(error).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', status: reply.status, retryable: true });
    expect(api.requests).toHaveLength(1);
  });

  test('is not repeated when the connection breaks', async () => {
    const api = await ScriptedApi.listen('break', { status: 202 });
    expect(await failure(withClient(api, updateApplication))).toMatchObject({ code: 'VB_CARRIER_UNREACHABLE' });
    expect(api.requests).toHaveLength(1);
  });

  test('reports an unknown application', async () => {
    const api = await ScriptedApi.listen({ status: 404, body: '{"error":"not found"}' });
    expect(await failure(withClient(api, updateApplication))).toMatchObject({
      code: 'VB_CARRIER_REQUEST_FAILED',
      status: 404,
    });
  });

  test('never asks for an application that is no identifier', async () => {
    const api = await ScriptedApi.listen({ status: 202 });
    const error = await failure(withClient(api, (client) => client.updateApplication('../Call', webhooks)));
    expect(error).toMatchObject({ code: 'VB_IDENTIFIER_INVALID' });
    expect(api.requests).toEqual([]);
  });
});

describe('failures', () => {
  test.each([401, 403])('name the settings to check when the carrier answers %d', async (status) => {
    const api = await ScriptedApi.listen({ status, body: '{"error":"nope"}' });
    const error = await failure(withClient(api, hangUp));
    expect(error).toMatchObject({ code: 'VB_CREDENTIALS_REFUSED', status, retryable: false });
    expect((error as { hint: string }).hint).toMatch(/CARRIER_AUTH_ID.*CARRIER_AUTH_TOKEN/);
    expect(api.requests).toHaveLength(1);
  });

  test('say when nobody answers at the address', async () => {
    const api = await ScriptedApi.listen({ status: 204 });
    const apiUrl = api.url;
    await api[Symbol.asyncDispose]();
    const client = await createPlivoRestClient({ authId, authToken, apiUrl }, { retryDelayMs: 1 });
    const error = await failure(client.hangUp(callId));
    expect(error).toMatchObject({ code: 'VB_CARRIER_UNREACHABLE' });
    expect((error as Error).message).toContain('ECONNREFUSED');
    await client.close();
  });

  test('come in time when the carrier stays silent', async () => {
    const api = await ScriptedApi.listen('silence');
    const error = await failure(withClient(api, hangUp, { timeoutMs: 50 }));
    expect(error).toMatchObject({ code: 'VB_CARRIER_UNREACHABLE' });
    expect(api.requests).toHaveLength(1);
  });

  test('are the reason of the abort when the caller gave up', async () => {
    const api = await ScriptedApi.listen('silence');
    const abort = new AbortController();
    const reason = new Error('enough');
    const error = await failure(
      withClient(api, async (client) => {
        const hanging = client.hangUp(callId, abort.signal);
        await api.received();
        abort.abort(reason);
        await hanging;
      }),
    );
    expect(error).toBe(reason);
    await expect(
      withClient(await ScriptedApi.listen('silence'), (client) => client.hangUp(callId, abort.signal)),
    ).rejects.toBe(reason);
  });

  test('never show the credentials, even when the carrier repeats them', async () => {
    const basic = btoa(`${authId}:${authToken}`);
    const echo = JSON.stringify({ error: `bad header Basic ${basic} for token ${authToken}` });
    const replies: Reply[] = [
      { status: 400, body: echo },
      { status: 401, body: echo },
      { status: 502, body: echo },
      'break',
    ];
    for (const reply of replies) {
      for (const act of [hangUp, updateApplication] as ((client: CarrierRestClient) => Promise<unknown>)[]) {
        const error = await failure(withClient(await ScriptedApi.listen(reply), act));
        const shown = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error);
        expect(shown).not.toContain(authToken);
        expect(shown).not.toContain(basic);
      }
    }
  });

  test('stay short when the carrier talks at length', async () => {
    const api = await ScriptedApi.listen({ status: 400, body: '<html>'.repeat(10_000) });
    const error = await failure(withClient(api, hangUp));
    expect((error as Error).message.length).toBeLessThan(500);
  });
});

describe('creation', () => {
  test.each([
    ['', authToken],
    [authId, ''],
  ])('needs both credentials', async (id, token) => {
    const error = await failure(plivo.createRestClient({ authId: id, authToken: token, apiUrl: plivo.defaultApiUrl }));
    expect(error).toMatchObject({ code: 'VB_CREDENTIALS_MISSING' });
  });

  test('refuses an auth id that could leave its place in the path, without showing it', async () => {
    const error = await failure(plivo.createRestClient({ authId: 'MA/../x', authToken, apiUrl: plivo.defaultApiUrl }));
    expect(error).toMatchObject({ code: 'VB_IDENTIFIER_INVALID' });
    expect((error as Error).message).not.toContain('MA/../x');
  });

  test('takes an address with or without a trailing slash', async () => {
    const api = await ScriptedApi.listen({ status: 204 });
    const client = await plivo.createRestClient({ authId, authToken, apiUrl: `${api.url}/` });
    await client.hangUp(callId);
    expect(api.requests[0]?.url).toBe(`/v1/Account/${authId}/Call/${callId}/`);
    await client.close();
    await api[Symbol.asyncDispose]();
  });
});
