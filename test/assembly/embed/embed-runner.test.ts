import { createServer } from 'node:http';
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
