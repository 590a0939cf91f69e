import { FakeApplication, type FakeBot } from './fake-application.js';
import { AUTH_TOKEN, startFastSandbox } from './fake-caller.js';
import { restClient } from './rest.js';

const CALLS = 120;

test('has more than a hundred calls at once, each with its own stream, and loses none', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', application.streamVerb());
  await using sandbox = await startFastSandbox({ timing: {} });
  const rest = restClient(sandbox.apiUrl);
  const answers = await Promise.all(
    Array.from({ length: CALLS }, (_, n) =>
      rest.post('Call/', {
        from: '12025550100',
        to: String(15551000200 + n),
        answer_url: application.url('/answer'),
        hangup_url: application.url('/hangup'),
      }),
    ),
  );
  const ids = new Set(answers.map(({ body }) => body.request_uuid));
  expect(ids.size).toBe(CALLS);
  const bots: FakeBot[] = [];
  while (bots.length < CALLS) bots.push(await application.streams.next());
  const started = new Set<string>();
  for (const bot of bots) started.add((await bot.event('start')).start.callId);
  expect(started).toEqual(ids);
  for (const bot of bots) await bot.event('media');
  expect(sandbox.liveCalls).toBe(CALLS);
  for (const bot of bots) bot.close();
  const ended = new Set<string | null>();
  while (ended.size < CALLS) ended.add((await application.webhook('Hangup')).parameters.get('CallUUID'));
  expect(ended).toEqual(ids);
  expect(sandbox.liveCalls).toBe(0);
}, 60_000);
