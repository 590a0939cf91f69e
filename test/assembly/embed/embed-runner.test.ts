import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { embedRunner } from '../../../src/assembly/embed/index.js';

test('options that cannot be used are refused before anything is opened, all at once', async () => {
  const options = { server: createServer(), bot: '', path: 'voicebot/', sandBox: true };
  const problem = await embedRunner(options).catch((error) => error);
  expect(problem).toMatchObject({ code: 'VB_CONFIG_INVALID' });
  expect(problem.message).toMatch(/sandBox is not known: did you mean sandbox/);
  expect(problem.message).toMatch(/server does not listen on a port yet/);
  expect(problem.message).toMatch(/bot must be the path of a bot file/);
  expect(problem.message).toMatch(/path must be one such as \/voicebot, got "voicebot\/"/);
});

test('a server that speaks TLS itself is refused', async () => {
  const secure = createSecureServer() as never;
  await expect(embedRunner({ server: secure, bot: 'bot.js' })).rejects.toThrow('server must be the http.Server');
});

describe('with an account', () => {
  const ACCOUNT = { CARRIER: 'plivo', CARRIER_AUTH_ID: 'MATESTTESTTESTTEST00', CARRIER_AUTH_TOKEN: 'test-auth-token' };
  const before = { ...process.env };
  let server: Server;
  beforeAll(async () => {
    Object.assign(process.env, ACCOUNT, { VOICEBOT_CLUSTER: 'redis://127.0.0.1:6379' });
    server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    for (const name of [...Object.keys(ACCOUNT), 'VOICEBOT_CLUSTER']) delete process.env[name];
    Object.assign(process.env, before);
    server.close();
  });

  test('a runner without a public address, or of a cluster, is refused, and the server stays as it was', async () => {
    const listeners = server.listenerCount('upgrade');
    const problem = await embedRunner({ server, bot: 'bot.js' }).catch((error) => error);
    expect(problem.message).toMatch(/VOICEBOT_PUBLIC_URL is not set/);
    expect(problem.message).toMatch(/VOICEBOT_CLUSTER is set/);
    expect(server.listenerCount('upgrade')).toBe(listeners);
  });
});
