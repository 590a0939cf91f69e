import { answerXml } from '../../src/carriers/plivo/answer-xml.js';
import { PlivoCodec } from '../../src/carriers/plivo/codec.js';
import { verifyUpgradeV3 } from '../../src/carriers/plivo/signature.js';
import { readCallDocument } from '../../src/sandbox/document.js';
import { FakeApplication } from './fake-application.js';
import { AUTH_TOKEN, FakeCaller, startFastSandbox } from './fake-caller.js';

test('reads the documents the carrier dialect writes', () => {
  const url = 'ws://127.0.0.1:7860/ws?a=1&copy;=2';
  const document = answerXml([
    { do: 'speak', text: 'One & two <three>' },
    { do: 'stream', stream: { url, continueUrl: 'http://127.0.0.1/resume?x=1&y=2', statusUrl: 'http://127.0.0.1/s' } },
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
