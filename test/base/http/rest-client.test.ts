import type { ApiAnswer } from '../../../src/base/http/api-connection.js';
import { ProviderRequestError } from '../../../src/base/http/provider-request-error.js';
import { RestClient, type RestProfile, type SentRequest } from '../../../src/base/http/rest-client.js';
import { type Reply, ScriptedApi } from '../../providers/plivo/scripted-api.js';
import { ManualClock } from './manual-clock.js';

const profile: Omit<RestProfile, 'base'> = {
  authorization: 'Bearer x',
  repeats: { times: 2 },
  codes: { failed: 'VB_ROOMS_REQUEST_FAILED', unreachable: 'VB_ROOMS_UNREACHABLE' },
  unreachableHint: 'check the network',
  strangerHint: 'check the address',
  refusal: (what, { status }: ApiAnswer, _request, mayBeDone) =>
    new ProviderRequestError('VB_ROOMS_REQUEST_FAILED', `${what} got ${status}`, { status, mayBeDone }),
};

/** What comes of `act`, and how many requests it took. */
async function run<T>(script: readonly Reply[], act: (client: RestClient) => Promise<T>, clock = new ManualClock()) {
  const api = await ScriptedApi.listen(script);
  const client = new RestClient({ ...profile, base: api.url }, { clock });
  const outcome = await act(client).then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error }),
  );
  await client.close();
  await api[Symbol.asyncDispose]();
  return { ...outcome, count: api.requests.length, pauses: clock.pauses };
}

const post = { method: 'POST', path: '/thing', fields: {} } as const;

test.each<[reply: Reply, repeat: 'always' | 'when_busy' | 'never', count: number, mayBeDone: boolean]>([
  [{ status: 429 }, 'always', 3, false],
  [{ status: 429 }, 'when_busy', 3, false],
  [{ status: 429 }, 'never', 1, false],
  [{ status: 500 }, 'always', 3, true],
  [{ status: 500 }, 'when_busy', 1, true],
  [{ status: 400 }, 'always', 1, false],
  ['break', 'when_busy', 1, true],
  ['break', 'never', 1, true],
])(
  'after %j a request of kind "%s" is sent %d times, and says whether it may be done',
  async (reply, repeat, count, mayBeDone) => {
    const { error, ...sent } = await run([reply], (client) => client.request('making', { ...post, repeat }));
    expect(sent.count).toBe(count);
    expect(error).toBeInstanceOf(ProviderRequestError);
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', mayBeDone });
  },
);

test('a lost answer to what may be done twice means that nobody is reached', async () => {
  const { error, count } = await run(['break'], (client) => client.request('making', { ...post, repeat: 'always' }));
  expect(error).toMatchObject({ code: 'VB_ROOMS_UNREACHABLE', hint: 'check the network' });
  expect(count).toBe(3);
});

test('a busy provider that asks for no wait gets the one of the policy', async () => {
  const repeats = { times: 1, firstWaitMs: 0, busyWaitMs: 700 };
  const { result, pauses } = await run([{ status: 429 }, { status: 204 }], (client) =>
    client.request('making', { ...post, repeats }),
  );
  expect(result).toEqual({ status: 204, fields: undefined });
  expect(pauses).toEqual([700]);
});

test('a list that does not end is given up after its most pages', async () => {
  const { error, count } = await run([{ status: 200, body: '{}' }], (client) =>
    client.list('listing', { path: '/list', maxPages: 4 }, () => ({ items: [1], next: '/list' })),
  );
  expect(error).toMatchObject({
    code: 'VB_ROOMS_REQUEST_FAILED',
    message: expect.stringContaining('more than 4 pages'),
  });
  expect(count).toBe(4);
});

describe('what must not be made twice', () => {
  const make = (client: RestClient) => client.request('making', { ...post, repeat: 'never' });

  test('is looked for after a lost answer, and not made again when it is there', async () => {
    const found = [undefined, 'it'];
    const { result, count } = await run(['break'], (client) =>
      client.findOrMake(
        async () => found.shift(),
        async () => String(await make(client)),
      ),
    );
    expect(result).toBe('it');
    expect(count).toBe(1);
  });

  test.each<[Reply, expected: object, count: number]>([
    ['break', { code: 'VB_ROOMS_UNREACHABLE' }, 3],
    [{ status: 503 }, { code: 'VB_ROOMS_REQUEST_FAILED', status: 503 }, 3],
    [{ status: 409 }, { code: 'VB_ROOMS_REQUEST_FAILED', status: 409 }, 1],
  ])('fails after %j with %j', async (reply, expected, count) => {
    const { error, ...sent } = await run([reply], (client) =>
      client.findOrMake(
        async () => undefined,
        () => make(client),
      ),
    );
    expect(error).toMatchObject(expected);
    expect(sent.count).toBe(count);
  });
});

test('whoever asked to know is told of each try: its path without the query, and the status, unless no answer came', async () => {
  const api = await ScriptedApi.listen([{ status: 429 }, 'break', { status: 200, body: '{}' }]);
  const sent: SentRequest[] = [];
  const options = { clock: new ManualClock(), onSent: (one: SentRequest) => void sent.push(one) };
  const client = new RestClient({ ...profile, base: api.url }, options);
  await client.request('reading', { method: 'GET', path: '/Call/7/?to=%2B12025550100&x=?' });
  await client.close();
  await api[Symbol.asyncDispose]();
  const read = { method: 'GET', path: '/Call/7/', ms: expect.any(Number) };
  expect(sent).toEqual([
    { ...read, status: 429 },
    { ...read, status: undefined },
    { ...read, status: 200 },
  ]);
});

test.each([
  [
    'a web page in place of an answer',
    { status: 200, body: '<!doctype html><title>Sign in</title>' },
    'got a web page',
  ],
  ['a page that is not found', { status: 404, body: '<html>no</html>' }, 'got a web page with status 404'],
  ['being sent elsewhere', { status: 302, body: '' }, 'got an answer with status 302'],
])('%s is of something else than the provider, and the hint says so', async (_what, reply, message) => {
  const { error } = await run([reply], (client) => client.request('listing', { method: 'GET', path: '/' }));
  expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', hint: 'check the address', status: reply.status });
  expect((error as Error).message).toContain(`listing ${message}`);
});
