import { once } from 'node:events';
import http from 'node:http';
import { asProviderCallId } from '../../../src/call/call-id.js';
import { DailyRestClient } from '../../../src/providers/daily/rest.js';
import { holdTimers } from '../../runner/hold-timers.js';
import { ScriptedApi } from '../plivo/scripted-api.js';
import { apiKey, busy, exchange, json, ManualClock, type Reply } from './fake-provider.js';

type Act = (client: DailyRestClient, signal?: AbortSignal) => Promise<unknown>;

const name = 'voicebot-1';
const room = { name, url: `https://acme.daily.co/${name}`, config: {} };
const config = { id: 'c-1', type: 'pinless_dialin', config: {} };
const held = { providerCallId: asProviderCallId('a'), callDomain: 'b', sipUri: 'sip:c@d' };
const request = { name, expiresAt: 1, dialin: { displayName: 'a' }, allowsDialout: false, idleSeconds: 1 };
const token = { roomName: name, isOwner: true, expiresAt: 1 };

/** What does no harm when it is done twice, with an answer it takes. */
const HARMLESS: ReadonlyArray<readonly [title: string, act: Act, success: object]> = [
  ['reading the domain', (client, signal) => client.domain(signal), { config: {} }],
  ['a list', (client, signal) => client.listDialinConfigs(signal), { data: [] }],
  ['the numbers', (client, signal) => client.listPhoneNumbers(signal), { data: [] }],
  ['reading settings', (client, signal) => client.getDialinConfig('c-1', signal), config],
  ['changing settings', (client, signal) => client.updateDialinConfig('c-1', { secret: 'YQ==' }, signal), config],
  ['deleting settings', (client, signal) => client.deleteDialinConfig('c-1', signal), {}],
  ['reading a room', (client, signal) => client.getRoom(name, signal), room],
  ['looking into a room', (client, signal) => client.isOccupied(name, signal), { data: [] }],
  ['creating a room', (client, signal) => client.createRoom(request, signal), room],
  ['deleting a room', (client, signal) => client.deleteRoom(name, signal), {}],
  ['creating a token', (client, signal) => client.createToken(token, signal), { token: 'abc' }],
  ['forwarding', (client, signal) => client.forwardCaller(held, signal), { ok: true }],
];

test.each(HARMLESS)('%s is tried again after a failure, and can be aborted', async (_title, act, success) => {
  const { error, lines } = await exchange([json({}, 500), 'break', json(success)], (client) => act(client));
  expect(error).toBeUndefined();
  expect(lines.length).toBe(3);
  expect(new Set(lines).size).toBe(1);
  const reason = new Error('enough');
  const aborted = await exchange([json(success)], (client) => act(client, AbortSignal.abort(reason)));
  expect(aborted.error).toBe(reason);
  expect(aborted.lines).toEqual([]);
});

describe('a request that does no harm twice', () => {
  const look = (client: DailyRestClient, signal?: AbortSignal) => client.isOccupied(name, signal);

  test.each<[Reply]>([
    ['break'],
    [{ status: 200, stopsShort: true }],
    [json({ error: 'server-error' }, 500)],
    [json({}, 503)],
    [busy()],
    [{ status: 500, stopsShort: true }],
  ])('is tried again after %j', async (reply) => {
    const { result, lines, pauses } = await exchange([reply, reply, reply, json({ data: [] })], (client) =>
      look(client),
    );
    expect(result).toBe(false);
    expect(lines.length).toBe(4);
    expect(pauses).toHaveLength(3);
  });

  test('is given up after four repetitions', async () => {
    const broken = await exchange([json({ error: 'server-error', info: 'oops' }, 500)], (client) => look(client));
    expect(broken.error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', status: 500, error: 'server-error' });
    expect(broken.lines).toHaveLength(5);
    const lost = await exchange(['break'], (client) => look(client));
    expect(lost.error).toMatchObject({ code: 'VB_ROOMS_UNREACHABLE' });
    expect(lost.lines).toHaveLength(5);
  });

  test.each([400, 401, 403, 409, 422])('is not repeated when it is refused with %d', async (status) => {
    const { error, lines } = await exchange([json({ error: 'x', info: 'no' }, status)], (client) => look(client));
    expect(error).toMatchObject({ status });
    expect(lines).toHaveLength(1);
  });

  test('rejects with the reason of an abort on the way', async () => {
    const reason = new Error('enough');
    const abort = new AbortController();
    const { error, lines } = await exchange(['silence'], async (client, api) => {
      const looking = look(client, abort.signal);
      await api.received();
      abort.abort(reason);
      await looking;
    });
    expect(error).toBe(reason);
    expect(lines).toHaveLength(1);
  });
});

describe('a request that would do harm twice', () => {
  const create = (client: DailyRestClient, signal?: AbortSignal) =>
    client.createDialinConfig({ phoneNumber: '+12025550100' }, signal);
  const mayBeDone = {
    code: 'VB_ROOMS_REQUEST_FAILED',
    mayBeDone: true,
    message: expect.stringContaining('may have been carried out'),
  };

  test.each<[Reply]>([
    ['break'],
    ['silence'],
    [{ status: 200, stopsShort: true }],
    [json({ error: 'server-error', info: 'oops' }, 500)],
    [json({}, 503)],
    [{ status: 200, body: '<html>' }],
  ])('may have been done after %j, and is not repeated', async (reply) => {
    const timeoutMs = reply === 'silence' ? 200 : 10_000;
    const { error, lines } = await exchange([reply, json(config)], (client) => create(client), { timeoutMs });
    expect(error).toMatchObject(mayBeDone);
    expect(lines).toHaveLength(1);
  });

  test('is repeated when the provider was busy', async () => {
    const { error, lines } = await exchange([busy(), busy(), json(config)], (client) => create(client));
    expect(error).toBeUndefined();
    expect(lines).toHaveLength(3);
  });

  test.each([400, 403])('has not been done after a %d', async (status) => {
    const { error, lines } = await exchange([json({ error: 'x', info: 'no' }, status)], (client) => create(client));
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', status, mayBeDone: false });
    expect(lines).toHaveLength(1);
  });

  test('may have been done when it is aborted on the way', async () => {
    const abort = new AbortController();
    const { error } = await exchange(['silence'], async (client, api) => {
      const creating = create(client, abort.signal);
      await api.received();
      abort.abort(new Error('enough'));
      await creating;
    });
    expect(error).toMatchObject(mayBeDone);
  });
});

describe('a busy provider', () => {
  const look = (client: DailyRestClient) => client.isOccupied(name);

  test.each([
    ['2', 2_000],
    ['5', 5_000],
    ['3600', 5_000],
  ])('that asks for %s s is given %d ms', async (asked, ms) => {
    const { pauses } = await exchange([busy(asked), json({ data: [] })], look);
    expect(pauses).toEqual([ms]);
  });

  test.each([undefined, '0', 'soon', 'Wed, 21 Oct 2015 07:28:00 GMT'])(
    'that says %j is given a short while all the same',
    async (asked) => {
      const { pauses } = await exchange([busy(asked), json({ data: [] })], look);
      expect(pauses[0]).toBeGreaterThanOrEqual(250);
      expect(pauses[0]).toBeLessThan(500);
    },
  );

  test('is left alone after ten seconds', async () => {
    const { error, pauses } = await exchange([busy('4')], look);
    expect(pauses).toEqual([4_000, 4_000]);
    expect(error).toMatchObject({
      code: 'VB_ROOMS_REQUEST_FAILED',
      status: 429,
      error: 'rate-limit-error',
      retryAfterMs: 4_000,
      hint: expect.stringContaining('try again'),
    });
  });

  test('is not waited for when the caller gives up meanwhile', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const api = await ScriptedApi.listen([busy('5')]);
    const clock = new ManualClock();
    // Waits until it is aborted.
    clock.pause = (_ms, signal?: AbortSignal) =>
      new Promise<void>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        abort.abort(reason);
      });
    const client = new DailyRestClient({ apiKey, apiUrl: api.url }, { clock });
    await expect(client.isOccupied(name, abort.signal)).rejects.toBe(reason);
    expect(api.requests).toHaveLength(1);
    await client.close();
    await api[Symbol.asyncDispose]();
  });
});

test('an answer that does not come in time is one that is lost', async () => {
  const { result, lines } = await exchange(['silence', json({ data: [] })], (client) => client.isOccupied(name), {
    timeoutMs: 200,
  });
  expect(result).toBe(false);
  expect(lines).toHaveLength(2);
});

describe('a provider that a caller waits for', () => {
  afterEach(() => jest.useRealTimers());

  test.each(HARMLESS.filter(([title]) => ['creating a room', 'creating a token', 'forwarding'].includes(title)))(
    '%s is tried again when there has been no answer for 4 s',
    async (_title, act, success) => {
      holdTimers();
      const { error, lines } = await exchange(['silence', json(success)], async (client, api) => {
        const acting = act(client);
        await api.received();
        jest.advanceTimersByTime(3_999);
        await new Promise(setImmediate);
        expect(api.requests).toHaveLength(1);
        jest.advanceTimersByTime(1);
        await acting;
      });
      expect(error).toBeUndefined();
      expect(lines).toHaveLength(2);
    },
  );
});

test('an answer of more than a mebibyte is not read', async () => {
  const long = { status: 200, body: JSON.stringify({ data: ['x'.repeat(1_048_576)] }) };
  const { error } = await exchange([long], (client) => client.isOccupied(name));
  expect(error).toMatchObject({
    code: 'VB_ROOMS_UNREACHABLE',
    message: expect.stringContaining('more than 1048576 bytes'),
  });
});

test('a long refusal is one all the same', async () => {
  const { error } = await exchange([{ status: 400, body: 'x'.repeat(3_000_000) }], (client) => client.getRoom(name));
  expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', status: 400 });
});

test('a redirect is not followed', async () => {
  const elsewhere = { status: 302, headers: { location: 'http://127.0.0.1:1/v1/' } };
  const { error, lines } = await exchange([elsewhere], (client) => client.domain());
  expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', status: 302 });
  expect(lines).toEqual(['GET /']);
});

describe('where nobody answers', () => {
  const acts: ReadonlyArray<readonly [string, Act]> = [
    ['looking into a room', (client) => client.isOccupied(name)],
    ['the older settings', (client) => client.setLegacyDialin({ phoneNumber: '+12025550100' })],
    ['new settings', (client) => client.createDialinConfig({ phoneNumber: '+12025550100' })],
  ];

  test.each(acts)('%s has not been done', async (_title, act) => {
    const api = await ScriptedApi.listen([{ status: 200 }]);
    const apiUrl = api.url;
    await api[Symbol.asyncDispose]();
    const client = new DailyRestClient({ apiKey, apiUrl }, { clock: new ManualClock() });
    const error = await act(client).catch((reason: unknown) => reason);
    await client.close();
    expect(error).toMatchObject({
      code: 'VB_ROOMS_UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
      hint: 'check the network and ROOMS_API_URL',
    });
  });

  test('a caller who is found gone later has not been forwarded before', async () => {
    const first = await ScriptedApi.listen([{ status: 200 }]);
    const apiUrl = first.url;
    await first[Symbol.asyncDispose]();
    const later = http.createServer((_request, response) => response.writeHead(404).end());
    const clock = new ManualClock();
    // Somebody begins to answer at the address when the first try has failed.
    clock.pause = async () => void (await once(later.listen(Number(new URL(apiUrl).port), '127.0.0.1'), 'listening'));
    const client = new DailyRestClient({ apiKey, apiUrl }, { clock });
    const result = await client.forwardCaller(held).finally(() => client.close());
    later.close();
    later.closeAllConnections();
    await once(later, 'close');
    expect(result).toBe('no_such_call');
  });
});

test('a client that is closed asks for nothing any more', async () => {
  const { error, lines } = await exchange([json({ data: [] })], async (client) => {
    await client.close();
    await client.isOccupied(name);
  });
  expect(error).toMatchObject({ code: 'VB_ROOMS_UNREACHABLE' });
  expect(lines).toEqual([]);
});
