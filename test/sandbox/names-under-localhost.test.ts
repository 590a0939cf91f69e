import type { SandboxDialin } from '../../src/sandbox/rooms/contract.js';
import { DialinWebhooks } from '../../src/sandbox/rooms/dialin-webhook.js';
import { FakeApplication } from './fake-application.js';
import { AUTH_TOKEN, FakeCaller, startFastSandbox } from './fake-caller.js';

/** The address as a tunnel on this machine gives it out: not every system resolves it. */
const under = (name: string, url: string) => url.replace('127.0.0.1', `${name}.localhost`);

test('the carrier reaches an application under a name below localhost, with webhooks and media', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', under('brave-owl-12', application.streamVerb()));
  await using sandbox = await startFastSandbox({ answerUrl: under('brave-owl-12', application.url('/answer')) });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  await application.webhook('StartApp');
  const bot = await application.streams.next();
  expect((await application.upgrades.next()).headers.host).toMatch(/^brave-owl-12\.localhost:\d+$/);
  await bot.event('start');
});

test('the room provider reaches a webhook under a name below localhost', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  const webhooks = new DialinWebhooks({ timeoutMs: 5_000 });
  const config: SandboxDialin = {
    phoneNumber: undefined,
    webhookUrl: under('brave.owl', application.url('/dialin')),
    hmac: 'A'.repeat(44),
    timeoutMessage: undefined,
    sipUri: 'bot@example.com',
  };
  expect(await webhooks.send(config, {})).toMatchObject({ status: 200 });
  expect(await application.requested('/dialin')).toMatchObject({ method: 'POST' });
  await webhooks.close();
});
