import { createHash } from 'node:crypto';
import { send } from '../hand-carrier.js';
import { IN_PROCESS } from '../in-process-bots.js';
import { botFile, RUNNER_TOKEN, RunnerUnderTest } from '../runner-under-test.js';

let served: RunnerUnderTest;
beforeAll(async () => {
  served = await RunnerUnderTest.start({ ...IN_PROCESS, publicUrl: 'https://bot.example.com' });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

const get = (path: string, headers?: Record<string, string>) =>
  send(`${served.runner.url}${path}`, headers ? { headers } : {});

test('the page is there for this machine, and may run and load only what is in it', async () => {
  const { status, headers, body } = await get('/');
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  const policy = headers['content-security-policy'];
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  for (const element of ['script', 'style']) {
    const [, content = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(body) ?? [];
    expect(content).not.toBe('');
    expect(body.split(`<${element}`)).toHaveLength(2);
    const hash = createHash('sha256').update(content).digest('base64');
    expect(policy).toContain(`${element}-src 'sha256-${hash}'`);
  }
});

test.each([
  ['another host name', { host: 'bot.example.com' }],
  ['a tunnel', { 'x-forwarded-for': '203.0.113.7' }],
  ['a web page', { origin: 'https://evil.example.com' }],
  ['a link of another page', { 'sec-fetch-site': 'cross-site' }],
])('who comes through %s sees neither page nor status', async (_what, headers) => {
  const page = await get('/', headers);
  expect([page.status, page.body, page.headers['www-authenticate']]).toEqual([401, '', 'Bearer']);
  const { status, body } = await get('/status', headers);
  expect([status, body]).toEqual([404, '']);
});

test('programs elsewhere read the status with the token, and nothing with a wrong one', async () => {
  const ask = async (token: string) => {
    const { status, body } = await get('/status', { host: 'bot.example.com', authorization: `Bearer ${token}` });
    return [status, Object.keys(JSON.parse(body))];
  };
  expect(await ask(RUNNER_TOKEN)).toEqual([200, expect.arrayContaining(['publicUrl'])]);
  expect(await ask('wrong')).toEqual([401, ['version', 'error']]);
});

test('only GET and HEAD are answered', async () => {
  for (const method of ['POST', 'PUT', 'DELETE']) {
    expect((await send(`${served.runner.url}/`, { method })).status).toBe(404);
  }
  expect((await send(`${served.runner.url}/`, { method: 'HEAD' })).status).toBe(200);
});

const statusOf = async ({ runner }: RunnerUnderTest) => JSON.parse((await send(`${runner.url}/status`)).body);

test('the status says what runs, where it is reached, and how many calls go on', async () => {
  const before = Date.now();
  await using other = await RunnerUnderTest.start({ ...IN_PROCESS, botFile: botFile('puppet.mjs') });
  const idle = await statusOf(other);
  expect(idle).toEqual({
    version: 1,
    state: 'ready',
    isSandbox: false,
    botFile: 'puppet.mjs',
    standIns: false,
    transport: 'carrier',
    number: '+12025550100',
    publicUrl: other.runner.url,
    readyBots: 1,
    liveCalls: 0,
    startedAt: expect.any(Number),
    hasPhone: false,
  });
  expect(idle.startedAt).toBeGreaterThanOrEqual(before);
  expect(idle.startedAt).toBeLessThanOrEqual(Date.now());
  await other.carrier.call();
  other.runner.moveTo('https://moved.example.com');
  expect(await statusOf(other)).toMatchObject({ liveCalls: 1, publicUrl: 'https://moved.example.com' });
  other.runner.reach.lost();
  expect(await statusOf(other)).toMatchObject({ state: 'unreachable' });
  other.runner.reach.back('https://moved.example.com');

  void other.runner.stop({ drainMs: 60_000 });
  expect(await statusOf(other)).toMatchObject({ state: 'stopping', readyBots: 0 });
});

test('a number that is not known is null', async () => {
  await using other = await RunnerUnderTest.start({ ...IN_PROCESS, phoneNumber: undefined });
  expect(await statusOf(other)).toMatchObject({ number: null });
});
