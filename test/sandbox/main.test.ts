import { once } from 'node:events';
import { PhoneClient } from '../../src/sandbox/network/phone-client.js';
import { FakeApplication } from './fake-application.js';
import { AUTH_ID, AUTH_TOKEN, PHONE_TOKEN } from './fake-caller.js';
import { start } from './sandbox-main.js';

test('starts on request, says where it listens, and closes on SIGTERM', async () => {
  const { child, reply } = await start({});
  expect(reply).toEqual({
    type: 'listening',
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    apiUrl: `${reply.url}/v1`,
    roomsApiUrl: `${reply.url}/rooms-api/v1`,
    applicationId: expect.stringMatching(/^\d+$/),
    number: '+12025550100',
  });
  child.kill('SIGINT');
  const refused = await fetch(`${reply.apiUrl}/Account/${AUTH_ID}/Number/`);
  expect(refused.status).toBe(401);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('stays for the calls in progress when its parent is gone, then exits', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', application.streamVerb());
  const { child, reply } = await start({
    answerUrl: application.url('/answer'),
    hangupUrl: application.url('/hangup'),
  });
  const silence = new Uint8Array(160).fill(0xff);
  const phone = await PhoneClient.connect({ url: reply.url, token: PHONE_TOKEN, exchange: () => silence });
  phone.dial({ from: '+12025550142', to: reply.number });
  const bot = await application.streams.next();
  child.disconnect();
  // Longer than the process looks for live calls.
  for (let frame = 0; frame < 40; frame += 1) await bot.event('media');
  expect(child.exitCode).toBeNull();
  phone.hangUp();
  await application.webhook('Hangup');
  expect(await once(child, 'exit')).toEqual([0, null]);
  await phone.close();
});
