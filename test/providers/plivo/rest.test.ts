import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import net from 'node:net';
import { inspect } from 'node:util';
import { ProviderRequestError } from '../../../src/base/http/provider-request-error.js';
import type { RestOptions } from '../../../src/base/http/rest-client.js';
import type { CarrierRestClient, PlaceCallRequest } from '../../../src/providers/carrier.js';
import { plivo } from '../../../src/providers/plivo/provider.js';
import { createPlivoRestClient } from '../../../src/providers/plivo/rest.js';
import { ManualClock } from '../../base/http/manual-clock.js';
import { type ReceivedRequest, type Reply, ScriptedApi } from './scripted-api.js';

const authId = 'MAXXXXXXXXXXXXXXXXXX';
const authToken = 'ZmFrZS1hdXRoLXRva2VuLWZvci10ZXN0cw';
const callId = 'c7f3d1a0-6b5e-4d7c-9f21-3a8e5b9d0c44';

/** Runs `use` with a client of `api`, and closes both. */
async function withClient<T>(
  api: ScriptedApi,
  use: (client: CarrierRestClient) => Promise<T>,
  options: RestOptions = {},
): Promise<T> {
  const client = await createPlivoRestClient(
    { authId, authToken, apiUrl: api.url },
    { repeats: { firstWaitMs: 1 }, ...options },
  );
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

/** The client has read an answer to its end, and gone on to what it does then. */
async function answerRead(): Promise<void> {
  await new Promise<void>((resolve) => {
    const onRead = () => {
      diagnostics.unsubscribe('undici:request:trailers', onRead);
      resolve();
    };
    diagnostics.subscribe('undici:request:trailers', onRead);
  });
  await new Promise((resolve) => setImmediate(resolve));
}

const hangUp = (client: CarrierRestClient) => client.hangUp(callId);
const transfer = (client: CarrierRestClient) => client.transfer(callId, 'https://a.dev/transfer');
const findCalls = (client: CarrierRestClient) => client.findCalls({ from: '+12025550100', to: '+12025550101' });
const request: PlaceCallRequest = {
  from: '+12025550100',
  to: '+12025550101',
  answerUrl: 'https://a.dev/answer?body=eyJzZWNyZXQiOjF9',
  ringUrl: 'https://a.dev/ring',
  hangupUrl: 'https://a.dev/hangup',
  machineUrl: 'https://a.dev/machine',
  machineDetection: 'off',
  ringTimeoutS: 45,
  timeLimitS: 900,
};
const placeCall = (client: CarrierRestClient) => client.placeCall(request);

describe('hanging up', () => {
  test('deletes the call, with a trailing slash and Basic credentials', async () => {
    const api = await ScriptedApi.listen([{ status: 204 }]);
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
    const api = await ScriptedApi.listen([{ status: 404, body: '{"api_id":"x","error":"not found"}' }]);
    expect(await withClient(api, hangUp)).toBe('already_ended');
    expect(api.requests.map(({ url }) => url)).toEqual([
      expect.stringMatching(/\/Call\/c7f3[\w-]+\/$/),
      expect.stringMatching(/\/Request\/c7f3[\w-]+\/$/),
    ]);
  });

  test('neither repeats what the carrier refuses nor waits, even when it is asked to', async () => {
    const clock = new ManualClock();
    const body = '{"error":{"call_uuid":["wrong"]}}';
    const api = await ScriptedApi.listen([{ status: 400, headers: { 'retry-after': '2' }, body }]);
    const error = await failure(withClient(api, hangUp, { clock }));
    expect(clock.pauses).toEqual([]);
    expect(error).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', status: 400, retryable: false });
    expect((error as Error).message).toContain('{"call_uuid":["wrong"]}');
    expect(api.requests).toHaveLength(1);
  });

  test.each(['', '.', '..', '../Call', 'a/b', 'a%2Fb', 'a?b', 'a b', 'x'.repeat(65)])(
    'never asks for the call %j',
    async (id) => {
      const api = await ScriptedApi.listen([{ status: 204 }]);
      const error = await failure(withClient(api, (client) => client.hangUp(id)));
      expect(error).toMatchObject({ code: 'VB_IDENTIFIER_INVALID' });
      expect(api.requests).toEqual([]);
    },
  );
});

describe('a repetition', () => {
  test('does not happen when the caller gave up meanwhile', async () => {
    const reason = new Error('enough');
    const api = await ScriptedApi.listen([{ status: 429, headers: { 'retry-after': '5' } }]);
    const abort = new AbortController();
    const hanging = withClient(api, async (client) => {
      const answered = answerRead();
      const ended = client.hangUp(callId, abort.signal);
      await answered;
      abort.abort(reason);
      return ended;
    });
    await expect(hanging).rejects.toBe(reason);
    expect(api.requests).toHaveLength(1);
  });
});

describe('placing a call', () => {
  const fired = { status: 201, body: `{"api_id":"x","message":"call fired","request_uuid":"${callId}"}` };

  test('sends numbers as digits, and every address with its method', async () => {
    const api = await ScriptedApi.listen([fired]);
    expect(await withClient(api, placeCall)).toEqual({ providerCallId: callId });
    expect(api.requests).toMatchObject([
      { method: 'POST', url: `/v1/Account/${authId}/Call/`, headers: { 'content-type': 'application/json' } },
    ]);
    expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({
      from: '12025550100',
      to: '12025550101',
      answer_url: request.answerUrl,
      answer_method: 'POST',
      ring_url: request.ringUrl,
      ring_method: 'POST',
      hangup_url: request.hangupUrl,
      hangup_method: 'POST',
      ring_timeout: 45,
      time_limit: 900,
    });
  });

  test.each([
    ['report', 'true'],
    ['hangup', 'hangup'],
  ] as const)('asks what answered, to %s it', async (machineDetection, machine_detection) => {
    const api = await ScriptedApi.listen([fired]);
    await withClient(api, (client) => client.placeCall({ ...request, machineDetection }));
    expect(JSON.parse(api.requests[0]?.body ?? '')).toMatchObject({
      machine_detection,
      machine_detection_url: request.machineUrl,
      machine_detection_method: 'POST',
    });
  });

  test.each([
    [`{"request_uuid":"${callId}"}`, callId],
    [`{"request_uuid":["${callId}"]}`, callId],
    ['{"request_uuid":"../Number/1"}', undefined],
    ['{"request_uuid":[]}', undefined],
    ['{"request_uuid":17}', undefined],
    ['{"request_uuid":null}', undefined],
    ['{"message":"call queued"}', undefined],
  ])('takes the identifier of the call from %s', async (body, expected) => {
    for (const status of [200, 201, 202]) {
      expect(await withClient(await ScriptedApi.listen([{ status, body }]), placeCall)).toEqual({
        providerCallId: expected,
      });
    }
  });

  test.each<[Reply]>([
    ['break'],
    ['silence'],
    [{ status: 500, body: '{"error":"oops"}' }],
    [{ status: 502 }],
    [{ status: 503, headers: { 'retry-after': '0' } }],
    [{ status: 201, body: '' }],
    [{ status: 201, body: '<html>' }],
    [{ status: 201, body: '"fired"' }],
    [{ status: 201, body: '[1]' }],
    [{ status: 201, stopsShort: true }],
    [{ status: 503, stopsShort: true }],
  ])('does not know what became of it after %j, and does not try again', async (reply) => {
    const api = await ScriptedApi.listen([reply, fired]);
    const error = await failure(withClient(api, placeCall, { timeoutMs: reply === 'silence' ? 500 : 10_000 }));
    expect(error).toMatchObject({ code: 'VB_CALL_UNCERTAIN', hint: expect.stringContaining('look the call up') });
    expect(api.requests).toHaveLength(1);
  });

  test('is sure that nothing was sent when nobody answers at the address', async () => {
    const api = await ScriptedApi.listen([fired]);
    const apiUrl = api.url;
    await api[Symbol.asyncDispose]();
    const client = await createPlivoRestClient({ authId, authToken, apiUrl });
    expect(await failure(placeCall(client))).toMatchObject({ code: 'VB_CARRIER_UNREACHABLE' });
    await client.close();
  });

  test('is sure that nothing was sent when the connection does not come about in time', async () => {
    const heard: Buffer[] = [];
    const mute = net.createServer((socket) => socket.on('data', (data) => heard.push(data)).on('error', () => {}));
    await once(mute.listen(0, '127.0.0.1'), 'listening');
    const { port } = mute.address() as net.AddressInfo;
    // A server that takes connections and never answers the TLS handshake.
    const credentials = { authId, authToken, apiUrl: `https://127.0.0.1:${port}/v1` };
    const client = await createPlivoRestClient(credentials, { timeoutMs: 100 });
    const error = await failure(placeCall(client));
    expect(error).toMatchObject({ code: 'VB_CARRIER_UNREACHABLE' });
    expect(Buffer.concat(heard).toString('latin1')).not.toContain('POST');
    await client.close();
    mute.close();
    await once(mute, 'close');
  });

  test('rejects with the reason of an abort before it was sent, and as uncertain after', async () => {
    const reason = new Error('enough');
    const api = await ScriptedApi.listen(['silence']);
    const abort = new AbortController();
    const error = await failure(
      withClient(api, async (client) => {
        const placing = client.placeCall(request, abort.signal);
        await api.received();
        abort.abort(reason);
        await placing;
      }),
    );
    expect(error).toMatchObject({ code: 'VB_CALL_UNCERTAIN' });
    const unused = await ScriptedApi.listen([fired]);
    await expect(withClient(unused, (client) => client.placeCall(request, abort.signal))).rejects.toBe(reason);
    expect(unused.requests).toEqual([]);
  });

  const busy = (retryAfter?: string): Reply => ({
    status: 429,
    body: '{"error":"slow down"}',
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  });

  test.each([
    [[busy()], [1_000]],
    [
      [busy('2'), busy('0')],
      [2_000, 0],
    ],
    [
      [busy('1'), busy('1'), busy('1')],
      [1_000, 1_000, 1_000],
    ],
    [[busy('3600')], [5_000]],
    [[busy('soon')], [1_000]],
    [[busy('Wed, 21 Oct 2015 07:28:00 GMT')], [0]],
  ])('waits as told when the carrier is busy, and dials again: %j', async (replies, expected) => {
    const clock = new ManualClock();
    const api = await ScriptedApi.listen([...replies, fired]);
    expect(await withClient(api, placeCall, { clock })).toEqual({ providerCallId: callId });
    expect(clock.pauses).toEqual(expected);
  });

  test.each([
    ['1', [1_000, 1_000, 1_000]],
    ['4', [4_000, 4_000]],
    ['60', [5_000, 5_000]],
  ])(
    'gives up after three repetitions or ten seconds when it is told to wait %s s each time',
    async (told, expected) => {
      const clock = new ManualClock();
      const api = await ScriptedApi.listen([busy(told)]);
      expect(await failure(withClient(api, placeCall, { clock }))).toMatchObject({
        code: 'VB_CARRIER_REQUEST_FAILED',
        status: 429,
        retryable: true,
        retryAfterMs: Number(told) * 1_000,
      });
      expect(clock.pauses).toEqual(expected);
      expect(api.requests).toHaveLength(expected.length + 1);
    },
  );

  test('stops waiting when the caller gives up', async () => {
    const reason = new Error('enough');
    const abort = new AbortController();
    const api = await ScriptedApi.listen([busy('5'), fired]);
    const placing = withClient(api, async (client) => {
      const answered = answerRead();
      const placed = client.placeCall(request, abort.signal);
      await answered;
      abort.abort(reason);
      return placed;
    });
    await expect(placing).rejects.toBe(reason);
    expect(api.requests).toHaveLength(1);
  });

  test.each([
    [400, 'from parameter is invalid: +12025550100 is not associated with your account', /CARRIER_PHONE_NUMBER/],
    [403, 'Calls to this destination region are barred', /console\.plivo\.com, Voice, Geo Permissions$/],
    [403, 'Voice capability is currently disabled for this account', /voice calls enabled/],
    [403, 'account is not verified', /verification.*console\.plivo\.com/],
    [402, 'insufficient credits', /credits.*console\.plivo\.com, Billing$/],
    [400, "compliance application is not in 'accepted' status", /compliance application/],
    [403, 'concurrency limit reached', /calls at once/],
    [400, 'to parameter is invalid', undefined],
  ])('says what to do when the carrier answers %d, %j', async (status, words, hint) => {
    const api = await ScriptedApi.listen([{ status, body: JSON.stringify({ api_id: 'x', error: words }) }]);
    const error = await failure(withClient(api, placeCall));
    expect(error).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', status, retryable: false });
    const shown = (error as { hint?: string }).hint;
    if (hint) expect(shown).toMatch(hint);
    else expect(shown).toBeUndefined();
    expect(api.requests).toHaveLength(1);
  });

  test.each([401, 403])('takes any other %d for refused credentials', async (status) => {
    const api = await ScriptedApi.listen([{ status, body: '{"error":"authentication failed"}' }]);
    expect(await failure(withClient(api, placeCall))).toMatchObject({ code: 'VB_CREDENTIALS_REFUSED', status });
  });

  test('believes a refusal whose words break off', async () => {
    const api = await ScriptedApi.listen([{ status: 400, stopsShort: true }]);
    expect(await failure(withClient(api, placeCall))).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', status: 400 });
  });

  test.each(['12025550101', '', '+1', '+12025550101<12025550102', 'sip:a@b', '+1202555010a', '+0123456789'])(
    'never dials %j',
    async (to) => {
      const api = await ScriptedApi.listen([fired]);
      const error = await failure(withClient(api, (client) => client.placeCall({ ...request, to })));
      expect(error).toMatchObject({ code: 'VB_REQUEST_INVALID' });
      expect(api.requests).toEqual([]);
    },
  );
});

describe('finding calls', () => {
  const numbers = { from: '+12025550100', to: '+12025550101' };
  const find = (client: CarrierRestClient) => client.findCalls(numbers);
  const account = `/v1/Account/${authId}`;

  /** An account with these calls, queued ones with their numbers. */
  function callsOf(live: unknown[], queued: Record<string, { from: string; to: string } | undefined> = {}) {
    return ({ url }: ReceivedRequest): Reply => {
      const { pathname, searchParams } = new URL(url, 'http://a.dev');
      const id = pathname.slice(`${account}/Call/`.length, -1);
      const isQueued = searchParams.get('status') === 'queued';
      if (id) {
        const call = isQueued && queued[id];
        return call ? { status: 200, body: JSON.stringify({ call_uuid: id, ...call }) } : { status: 404 };
      }
      return { status: 200, body: JSON.stringify({ api_id: 'x', calls: isQueued ? Object.keys(queued) : live }) };
    };
  }

  test('asks for outbound calls between the two numbers, the queued ones first', async () => {
    const api = await ScriptedApi.listen(callsOf(['live-1', 'live-2']));
    expect(await withClient(api, find)).toEqual(['live-1', 'live-2']);
    expect(api.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${account}/Call/?status=queued`,
      `GET ${account}/Call/?status=live&call_direction=outbound&from_number=12025550100&to_number=12025550101`,
    ]);
  });

  test('finds none', async () => {
    expect(await withClient(await ScriptedApi.listen(callsOf([])), find)).toEqual([]);
  });

  test('looks at the numbers of queued calls, which may have left the queue', async () => {
    const api = await ScriptedApi.listen(
      callsOf(['both'], {
        other: { from: '12025550100', to: '12025550102' },
        foreign: { from: '12025550199', to: '12025550101' },
        plain: { from: '12025550100', to: '12025550101' },
        plus: { from: '+12025550100', to: '+12025550101' },
        gone: undefined,
        both: { from: '12025550100', to: '12025550101' },
      }),
    );
    expect(await withClient(api, find)).toEqual(['plain', 'plus', 'both']);
  });

  test('asks for nothing that is not an identifier', async () => {
    const numbersOf = { from: '12025550100', to: '12025550101' };
    const api = await ScriptedApi.listen(
      callsOf(['../Number/1', 17, null, 'good'], { '../../Number/1': numbersOf, '': numbersOf, 'a b': numbersOf }),
    );
    expect(await withClient(api, find)).toEqual(['good']);
    expect(api.requests).toHaveLength(2);
  });

  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, { from: '12025550100', to: '1202555' }]));

  test('does not say that there is none when more are queued than it looks at', async () => {
    const api = await ScriptedApi.listen(callsOf([], many(21)));
    expect(await failure(withClient(api, find))).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED' });
    expect(api.requests).toHaveLength(22);
    expect(await withClient(await ScriptedApi.listen(callsOf(['live'], many(21))), find)).toEqual(['live']);
    expect(await withClient(await ScriptedApi.listen(callsOf([], many(20))), find)).toEqual([]);
  });

  test.each(['', '[]', '{}', '{"calls":{}}', '<html>'])('fails on the answer %j', async (body) => {
    const api = await ScriptedApi.listen([{ status: 200, body }]);
    expect(await failure(withClient(api, find))).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED' });
  });

  test('needs numbers', async () => {
    const api = await ScriptedApi.listen(callsOf([]));
    const error = await failure(withClient(api, (client) => client.findCalls({ ...numbers, to: '1&status=live' })));
    expect(error).toMatchObject({ code: 'VB_REQUEST_INVALID' });
    expect(api.requests).toEqual([]);
  });
});

describe('transferring', () => {
  test("gives the caller's leg another document", async () => {
    const api = await ScriptedApi.listen([{ status: 202, body: '{"message":"call transferred"}' }]);
    expect(await withClient(api, transfer)).toBe('transferring');
    expect(api.requests).toMatchObject([{ method: 'POST', url: `/v1/Account/${authId}/Call/${callId}/` }]);
    expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({
      legs: 'aleg',
      aleg_url: 'https://a.dev/transfer',
      aleg_method: 'POST',
    });
  });

  test('says when there is no such call', async () => {
    const api = await ScriptedApi.listen([{ status: 404, body: '{"error":"not found"}' }]);
    expect(await withClient(api, transfer)).toBe('no_such_call');
    expect(api.requests).toHaveLength(1);
  });

  test.each(['', '..', '../Call', 'a/b'])('never asks for the call %j', async (id) => {
    const api = await ScriptedApi.listen([{ status: 202 }]);
    const error = await failure(withClient(api, (client) => client.transfer(id, 'https://a.dev/transfer')));
    expect(error).toMatchObject({ code: 'VB_IDENTIFIER_INVALID' });
    expect(api.requests).toEqual([]);
  });
});

describe.each([
  ['a hang-up', hangUp, { status: 204 }, 'ended'],
  ['a transfer', transfer, { status: 202 }, 'transferring'],
  ['a search', findCalls, { status: 200, body: '{"calls":[]}' }, []],
] as const)('%s', (_title, act: (client: CarrierRestClient) => Promise<unknown>, success, result) => {
  test.each<[Reply]>([
    [{ status: 429 }],
    [{ status: 500 }],
    [{ status: 503, headers: { 'retry-after': '0' } }],
    [{ status: 500, stopsShort: true }],
    ['break'],
  ])('is tried again after %j', async (reply) => {
    const api = await ScriptedApi.listen([reply, reply, reply, success]);
    expect(await withClient(api, act)).toEqual(result);
    expect(api.requests.length).toBeGreaterThanOrEqual(4);
  });

  test('is tried again after silence', async () => {
    const api = await ScriptedApi.listen(['silence', success]);
    expect(await withClient(api, act, { timeoutMs: 500 })).toEqual(result);
    expect(api.requests.length).toBeGreaterThanOrEqual(2);
  });

  test('is given up after four tries, with the status and the words of the carrier', async () => {
    const api = await ScriptedApi.listen([{ status: 503, body: '{"api_id":"x","error":"try later"}' }]);
    const error = await failure(withClient(api, act));
    expect(error).toBeInstanceOf(ProviderRequestError);
    expect(error).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', status: 503, retryable: true });
    expect((error as Error).message).toMatch(/ got status 503: try later$/);
    expect(api.requests).toHaveLength(4);
  });

  test('waits as long as the carrier asks, five seconds at most, before each repetition', async () => {
    const clock = new ManualClock();
    const busy = (seconds: string) => ({ status: 429, headers: { 'retry-after': seconds } });
    const api = await ScriptedApi.listen([busy('2'), busy('7200'), busy('0'), success]);
    expect(await withClient(api, act, { clock, repeats: { firstWaitMs: 1 } })).toEqual(result);
    expect(clock.pauses.filter((ms) => ms > 8)).toEqual([2_000, 5_000]);
  });

  test('waits longer each time, by a part that is left to chance', async () => {
    const chance = jest.spyOn(Math, 'random');
    const delays: number[][] = [];
    for (const drawn of [0, 0.5, 0.75]) {
      chance.mockReturnValue(drawn);
      const clock = new ManualClock();
      const api = await ScriptedApi.listen([{ status: 500 }, { status: 500 }, { status: 500 }, success]);
      await withClient(api, act, { clock, repeats: { firstWaitMs: 4 } });
      delays.push(clock.pauses);
    }
    chance.mockRestore();
    expect(delays).toEqual([
      [4, 8, 16],
      [6, 12, 24],
      [7, 14, 28],
    ]);
  });
});

describe('failures', () => {
  test.each([401, 403])('name the settings to check when the carrier answers %d', async (status) => {
    const api = await ScriptedApi.listen([{ status, body: '{"error":"nope"}' }]);
    const error = await failure(withClient(api, hangUp));
    expect(error).toMatchObject({ code: 'VB_CREDENTIALS_REFUSED', status, retryable: false });
    expect((error as { hint: string }).hint).toMatch(/CARRIER_AUTH_ID.*CARRIER_AUTH_TOKEN/);
    expect(api.requests).toHaveLength(1);
  });

  test('say when nobody answers at the address', async () => {
    const api = await ScriptedApi.listen([{ status: 204 }]);
    const apiUrl = api.url;
    await api[Symbol.asyncDispose]();
    const client = await createPlivoRestClient({ authId, authToken, apiUrl }, { repeats: { firstWaitMs: 1 } });
    const error = await failure(client.hangUp(callId));
    expect(error).toMatchObject({ code: 'VB_CARRIER_UNREACHABLE' });
    expect((error as Error).message).toContain('ECONNREFUSED');
    await client.close();
  });

  test('come in time when the carrier stays silent', async () => {
    const api = await ScriptedApi.listen(['silence']);
    const error = await failure(withClient(api, hangUp, { timeoutMs: 150 }));
    expect(error).toMatchObject({ code: 'VB_CARRIER_UNREACHABLE' });
    expect((error as Error).message).toContain('no answer within 150 ms');
    expect(api.requests).toHaveLength(4);
  });

  test('are the reason of the abort when the caller gave up', async () => {
    const api = await ScriptedApi.listen(['silence']);
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
      withClient(await ScriptedApi.listen(['silence']), (client) => client.hangUp(callId, abort.signal)),
    ).rejects.toBe(reason);
  });

  test.each([authToken, 'stk_ZmFrZS1zY29wZWQtdG9rZW4'])(
    'never show the credentials, nor the numbers and addresses of a call, even when the carrier repeats them',
    async (token) => {
      const basic = btoa(`${authId}:${token}`);
      const secrets = [token, basic, 'eyJzZWNyZXQiOjF9', '2025550101'];
      const told = `bad header Basic ${basic} for token ${token}, from +12025550100, https://a.dev/answer?body=${secrets[2]}`;
      const echo = JSON.stringify({ error: `${told}, to 12025550101` });
      const replies: Reply[] = [
        { status: 400, body: echo },
        { status: 401, body: echo },
        { status: 429, body: echo },
        { status: 502, body: echo },
        { status: 200, body: echo },
        { status: 201, body: echo.slice(5) },
        'break',
        { status: 200, body: echo, stopsShort: true },
      ];
      const acts: ((client: CarrierRestClient) => Promise<unknown>)[] = [hangUp, placeCall, findCalls, transfer];
      let failures = 0;
      for (const reply of replies) {
        for (const act of acts) {
          const api = await ScriptedApi.listen([reply]);
          const options = { clock: new ManualClock() };
          const client = await createPlivoRestClient({ authId, authToken: token, apiUrl: api.url }, options);
          const error = await act(client).then(
            () => undefined,
            (reason: unknown) => reason,
          );
          await client.close();
          await api[Symbol.asyncDispose]();
          failures += error === undefined ? 0 : 1;
          const shown = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error);
          for (const secret of secrets) expect(shown).not.toContain(secret);
        }
      }
      expect(failures).toBeGreaterThan(25);
    },
  );

  test('stay short when the carrier talks at length', async () => {
    const api = await ScriptedApi.listen([{ status: 400, body: '<html>'.repeat(10_000) }]);
    const error = await failure(withClient(api, hangUp));
    expect((error as Error).message.length).toBeLessThan(500);
  });
});

describe('credentials', () => {
  test('send a scoped token as it is, without the auth id', async () => {
    const api = await ScriptedApi.listen([{ status: 204 }]);
    const client = await createPlivoRestClient({ authId, authToken: 'stk_abc', apiUrl: api.url });
    await client.hangUp(callId);
    expect(api.requests[0]?.headers.authorization).toBe('Bearer stk_abc');
    expect(api.requests[0]?.url).toBe(`/v1/Account/${authId}/Call/${callId}/`);
    await client.close();
    await api[Symbol.asyncDispose]();
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
    const api = await ScriptedApi.listen([{ status: 204 }]);
    const client = await plivo.createRestClient({ authId, authToken, apiUrl: `${api.url}/` });
    await client.hangUp(callId);
    expect(api.requests[0]?.url).toBe(`/v1/Account/${authId}/Call/${callId}/`);
    await client.close();
    await api[Symbol.asyncDispose]();
  });
});
