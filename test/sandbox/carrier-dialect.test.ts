import { answerXml } from '../../src/providers/plivo/document.js';
import { verifyUpgradeV3 } from '../../src/providers/plivo/signature.js';
import { parsePlivoWebhook } from '../../src/providers/plivo/webhooks.js';
import { PlivoCodec } from '../../src/providers/plivo/wire.js';
import { readCallDocument } from '../../src/sandbox/plivo/document.js';
import { FakeApplication, type ReceivedWebhook } from './fake-application.js';
import { AUTH_TOKEN, FakeCaller, startFastSandbox } from './fake-caller.js';
import { inCall } from './in-call.js';
import { restClient } from './rest.js';

test('reads the documents the carrier dialect writes', () => {
  const url = 'ws://127.0.0.1:7860/ws?a=1&copy;=2';
  const document = answerXml([
    { do: 'speak', text: 'One & two <three>' },
    {
      do: 'stream',
      stream: { url, parameters: {}, continueUrl: 'http://127.0.0.1/resume?x=1&y=2', statusUrl: 'http://127.0.0.1/s' },
    },
    { do: 'hangup', reason: 'busy' },
  ]);
  const { verbs, warnings } = readCallDocument(document);
  expect(warnings).toEqual([]);
  expect(verbs).toMatchObject([
    { verb: 'speak', text: 'One & two <three>' },
    { verb: 'stream', url, bidirectional: true, keepCallAlive: true, statusCallback: { url: 'http://127.0.0.1/s' } },
    { verb: 'redirect', url: 'http://127.0.0.1/resume?x=1&y=2', method: 'POST' },
    { verb: 'hangup', reason: 'busy' },
  ]);
});

test('speaks and understands the messages of the carrier dialect, whatever a call shows', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', application.streamVerb());
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  for (let call = 1; call <= 12; call += 1) {
    caller.dial(sandbox);
    const { url = '', headers } = await application.upgrades.next();
    expect(verifyUpgradeV3({ url: `ws://${application.host}${url}`, headers }, AUTH_TOKEN)).toBe(true);
    const bot = await application.streams.next();
    const { start } = await bot.event('start');
    const codec = new PlivoCodec(start.streamId);
    bot.socket.send(codec.encodeAudio(new Uint8Array(160).fill(0x11)));
    bot.socket.send(codec.encodeMark('end'));
    await bot.event('playedStream');
    bot.socket.send(codec.encodeClear());
    await bot.event('clearedAudio');
    caller.client.press('5');
    await bot.event('dtmf');
    const types = bot.messages.all.map((message) => codec.decode(JSON.stringify(message)).type);
    expect(new Set(types)).toEqual(
      new Set(['start', 'audio', 'mark', 'cleared', 'dtmf', ...(call % 5 === 0 ? ['unknown'] : [])]),
    );
    bot.close();
    await caller.ended();
  }
  expect(caller.heard.all.filter((frame) => frame.every((byte) => byte === 0x11))).toHaveLength(12);
});

test.each([
  ['+12025550107', 'completed'],
  ['+12025550102', 'busy'],
  ['+12025550103', 'no_answer'],
  ['+12025550104', 'rejected'],
  ['+12025550108', 'failed'],
])('dials %s as the carrier dialect asks and tells the dialect that it was %s', (to, outcome) =>
  inCall(
    (application) =>
      answerXml([
        {
          do: 'dial',
          dial: {
            to,
            callerId: '+12025550100',
            ringTimeoutS: 5,
            timeLimitS: 60,
            outcomeUrl: application.url('/outcome?call=1&token=2'),
            statusUrl: application.url('/status'),
          },
        },
      ]).replace(/^.*<Response>|<\/Response>$/g, ''),
    async ({ application, caller, callId }) => {
      application.document('/outcome', '');
      await caller.ended();
      await application.webhook('Hangup');
      const newsAt = (path: string) =>
        application.webhooks.all.filter((webhook) => webhook.path === path).map((webhook) => read(webhook));
      const isCompleted = outcome === 'completed';
      const legId = isCompleted ? expect.any(String) : undefined;
      expect(newsAt('/outcome')).toMatchObject([
        { event: 'dial', providerCallId: callId, dial: { phase: 'ended', outcome, ...(isCompleted && { legId }) } },
      ]);
      const answered = { event: 'dial', providerCallId: callId, dial: { phase: 'answered', to, legId } };
      const other = { event: 'dial', providerCallId: callId, dial: { phase: 'other' } };
      expect(newsAt('/status')).toMatchObject(isCompleted ? [answered, answered, other] : [other]);
    },
  ),
);

test('tells the carrier dialect what has answered', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', '<Wait length="3600"/>');
  await using sandbox = await startFastSandbox();
  await restClient(sandbox.apiUrl).post('Call/', {
    from: '12025550100',
    to: '12025550105',
    answer_url: application.url('/answer'),
    hangup_url: application.url('/hangup'),
    machine_detection: 'hangup',
    machine_detection_url: application.url('/machine'),
  });
  // The two are sent at the same time.
  expect(read(await application.webhook('Hangup')).hangup).toMatchObject({ reason: 'voicemail' });
  const report =
    application.webhooks.all.find(({ path }) => path === '/machine') ?? (await application.requested('/machine'));
  expect(read(report)).toMatchObject({ event: 'machine_detection', isMachine: true });
});

const read = ({ parameters }: ReceivedWebhook) => parsePlivoWebhook(new Map(parameters));
