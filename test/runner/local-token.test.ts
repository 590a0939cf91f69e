/** A runner that wants its token from programs on this machine too. */
import { send } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RUNNER_TOKEN, RunnerUnderTest } from './runner-under-test.js';

let served: RunnerUnderTest;
beforeAll(async () => {
  served = await RunnerUnderTest.start({ ...IN_PROCESS, isOpenLocally: false });
});
afterAll(() => served[Symbol.asyncDispose]());

const TOKEN = { authorization: `Bearer ${RUNNER_TOKEN}` };
const get = (path: string, headers?: Record<string, string>) =>
  send(`${served.runner.url}${path}`, headers ? { headers } : {});

test.each(['/status', '/calls', '/calls/a-call'])('%s is for those who bring it', async (path) => {
  const { status, body } = await get(path);
  expect(status).toBe(401);
  expect(JSON.parse(body).error).toMatchObject({
    code: 'VB_UNAUTHORISED',
    hint: expect.stringContaining('VOICEBOT_TOKEN'),
  });
  expect((await get(path, TOKEN)).status).toBe(path === '/calls/a-call' ? 404 : 200);
  expect((await get(path, { authorization: 'Bearer wrong' })).status).toBe(401);
});

test('/start is for those who bring it: a bot cannot dial by itself', async () => {
  const request = { method: 'POST', body: '{"phone_number":"+1"}' };
  const start = (headers: Record<string, string>) =>
    send(`${served.runner.url}/start`, { ...request, headers: { 'content-type': 'application/json', ...headers } });
  expect((await start({})).status).toBe(401);
  expect((await start(TOKEN)).status).toBe(400); // the request is looked at
});

test.each(['/', '/health', '/ready'])('%s tells this machine nothing but that the runner is up', async (path) => {
  const { status, body } = await get(path);
  expect(status).toBe(200);
  expect(body).not.toContain('puppet');
  expect((await get(path, { host: 'bot.example.com' })).status).toBe(path === '/' ? 401 : 404);
});
