import { RunnerClient } from '../../src/runners/runner-client.js';
import { breakOff, CALL, FakeRunner, json, NO_SUCH_CALL, NOTHING, problem } from '../cli/fake-runner.js';
import { HastyClock } from '../hasty-clock.js';

const REQUEST = { to: '+15551234567', body: undefined, query: {} };
const TOKEN = 'a-token-of-the-runner';

let runner: FakeRunner;
let client: RunnerClient;
beforeEach(async () => {
  runner = await FakeRunner.start();
  client = new RunnerClient(runner.url, TOKEN);
});
afterEach(() => runner[Symbol.asyncDispose]());

test('asks for a call with the token, a fresh idempotency key and the custom data', async () => {
  runner.starts = [json(202, { version: 1, call_id: 'out_1', carrier_call_id: 'c-1' })];
  const request = { ...REQUEST, body: { user: 'Ada' }, query: { campaign_id: '7', note: 'a&b' } };
  expect(await client.start(request)).toEqual({ callId: 'out_1', carrierCallId: 'c-1', warnings: [] });
  await client.start(REQUEST);
  const [first, second] = runner.requests;
  expect(first).toMatchObject({
    method: 'POST',
    url: '/start?campaign_id=7&note=a%26b',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
  });
  expect(JSON.parse(first?.body ?? '')).toEqual({ phone_number: '+15551234567', body: { user: 'Ada' } });
  expect(second?.url).toBe('/start');
  expect(JSON.parse(second?.body ?? '')).toEqual({ phone_number: '+15551234567' });
  const keys = runner.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(keys[1]).not.toBe(keys[0]);
});

test('shows no token when it has none', async () => {
  await new RunnerClient(runner.url, undefined).start(REQUEST);
  expect(runner.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('sends the same request once more, under the same key, when the connection is lost', async () => {
  runner.starts.unshift(breakOff);
  expect(await client.start(REQUEST)).toEqual({ callId: 'out_1', carrierCallId: undefined, warnings: [] });
  const [first, second] = runner.requests;
  expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  expect(second?.body).toBe(first?.body);
});

test('an answer cut off in the middle is a lost connection too', async () => {
  runner.starts.unshift((response) => {
    response.writeHead(202, { 'content-length': '100' });
    response.write('{', () => response.destroy());
  });
  expect(await client.start(REQUEST)).toMatchObject({ callId: 'out_1' });
});

test('when the connection is lost twice nobody knows, and it is not tried a third time', async () => {
  runner.starts = [breakOff];
  await expect(client.start(REQUEST)).rejects.toMatchObject({
    code: 'VB_CALL_UNCERTAIN',
    hint: expect.stringContaining('npx voicebot calls'),
  });
  expect(runner.requests).toHaveLength(2);
});

test('nothing was dialled when nothing listens', async () => {
  await runner[Symbol.asyncDispose]();
  await expect(client.start(REQUEST)).rejects.toMatchObject({
    code: 'VB_RUNNER_NOT_FOUND',
    message: expect.stringContaining('ECONNREFUSED'),
  });
  await expect(client.calls()).rejects.toMatchObject({ code: 'VB_RUNNER_NOT_FOUND' });
});

describe('a connection that failed', () => {
  const attempt = (syscall: string, code: string) => Object.assign(new Error(code), { syscall, code });
  const several = (...errors: Error[]) => Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test.each([
    ['was never there', attempt('connect', 'ETIMEDOUT'), 'VB_RUNNER_NOT_FOUND', 1],
    [
      'was never there, at any address',
      several(attempt('connect', 'ETIMEDOUT'), attempt('connect', 'ENETUNREACH')),
      'VB_RUNNER_NOT_FOUND',
      1,
    ],
    ['had no name to go to', attempt('getaddrinfo', 'ENOTFOUND'), 'VB_RUNNER_NOT_FOUND', 1],
    ['was for a port that no HTTP client calls', new Error('bad port'), 'VB_RUNNER_NOT_FOUND', 1],
    ['was lost later', attempt('read', 'ETIMEDOUT'), 'VB_CALL_UNCERTAIN', 2],
    [
      'was lost later at one of the addresses',
      several(attempt('connect', 'ETIMEDOUT'), attempt('write', 'EPIPE')),
      'VB_CALL_UNCERTAIN',
      2,
    ],
    ['nobody knows about', undefined, 'VB_CALL_UNCERTAIN', 2],
  ])('because it %s', async (_why, cause, code, attempts) => {
    const fetch = jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed', { cause }));
    await expect(client.start(REQUEST)).rejects.toMatchObject({ code });
    expect(fetch).toHaveBeenCalledTimes(attempts);
  });
});

test.each([
  [400, 'VB_REQUEST_INVALID'],
  [401, 'VB_UNAUTHORISED'],
  [403, 'VB_TARGET_REFUSED'],
  [409, 'VB_REQUEST_CONFLICT'],
  [413, 'VB_BODY_TOO_LARGE'],
  [429, 'VB_DIAL_LIMIT'],
  [502, 'VB_CREDENTIALS_REFUSED'],
  [503, 'VB_CARRIER_UNREACHABLE'],
  [503, 'VB_CALL_UNCERTAIN'],
] as const)('HTTP %i with %s is that error, word for word, and not repeated', async (status, code) => {
  const error = { code, message: 'What it says: details', hint: 'What to do.' };
  runner.starts = [problem(status, error)];
  await expect(client.start(REQUEST)).rejects.toMatchObject({ name: 'VoicebotError', ...error });
  expect(runner.requests).toHaveLength(1);
});

test.each([
  ['a page', 200, 'VB_RUNNER_NOT_FOUND'],
  ['no such page', 404, 'VB_RUNNER_NOT_FOUND'],
  ['bad gateway', 502, 'VB_CALL_UNCERTAIN'],
])('what is no runner says %j with HTTP %i: %s', async (text, status, code) => {
  runner.starts = [(response) => response.writeHead(status).end(text)];
  await expect(client.start(REQUEST)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(`HTTP ${status}`),
  });
});

test.each([
  [202, { version: 1 }],
  [202, 'out_1'],
  [400, { error: { code: 'constructor', message: 'x' } }],
  [400, { error: { code: 'VB_REQUEST_INVALID' } }],
  [400, { error: 'no' }],
  [400, null],
])('HTTP %i with %j is not the word of a runner', async (status, body) => {
  runner.starts = [json(status, body)];
  await expect(client.start(REQUEST)).rejects.toMatchObject({ code: 'VB_RUNNER_NOT_FOUND' });
});

test('takes neither its token nor the call to where a redirect points', async () => {
  await using other = await FakeRunner.start();
  runner.starts = [(response) => response.writeHead(307, { location: `${other.url}/start` }).end()];
  await expect(client.start(REQUEST)).rejects.toMatchObject({ code: 'VB_RUNNER_NOT_FOUND' });
  expect(other.requests).toEqual([]);
});

test('reads its calls and one call, with the token', async () => {
  runner.reads = [json(200, { version: 1, calls: [CALL] }), json(200, CALL), NO_SUCH_CALL];
  expect(await client.calls()).toEqual([CALL]);
  expect(await client.call('../start')).toEqual(CALL);
  expect(await client.call('out_2')).toBeUndefined();
  expect(runner.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/calls', `Bearer ${TOKEN}`],
    ['/calls/..%2Fstart', `Bearer ${TOKEN}`],
    ['/calls/out_2', `Bearer ${TOKEN}`],
  ]);
});

test.each([
  ['a door without the right token', problem(401, { code: 'VB_UNAUTHORISED', message: 'no' }), 'VB_UNAUTHORISED'],
  ['a door that opens to nobody without a token', NOTHING, 'VB_UNAUTHORISED'],
  ['another program', json(200, { ok: true }), 'VB_RUNNER_NOT_FOUND'],
  ['another program that has no such page', json(404, { message: 'Not Found' }), 'VB_RUNNER_NOT_FOUND'],
  ['a broken connection', breakOff, 'VB_RUNNER_NOT_FOUND'],
])('knows no call from %s', async (_title, reply, code) => {
  runner.reads = [reply];
  await expect(client.calls()).rejects.toMatchObject({ code });
  await expect(client.call('out_1')).rejects.toMatchObject({ code });
});

test('a runner that answers late is not one that is not there', async () => {
  using _clock = new HastyClock();
  runner.reads = [() => {}];
  await expect(client.calls()).rejects.toMatchObject({
    code: 'VB_DEADLINE_EXCEEDED',
    message: expect.stringContaining(`${runner.url} did not answer within 5 s`),
  });
});
