/** The phone of the page beside an account: a real sandbox process, real bots, and an account of which every request is seen. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { localNetworkOf } from '../../src/assembly/phone-network.js';
import { findCallFolders } from '../../src/call/folder/folder-name.js';
import { daily } from '../../src/providers/daily/provider.js';
import { signatureHeaders } from '../../src/providers/plivo/signature.js';
import type { CarrierName } from '../../src/providers/registry/carrier-names.js';
import { carrierByName } from '../../src/providers/registry/carriers.js';
import type { LocalNetwork, StartedLocalNetwork } from '../../src/runner/calls/local-calls.js';
import { newAccountAt } from '../../src/sandbox/extension-side.js';

import { until } from '../e2e/processes.js';
import { HandReceiver, SECRET } from './events/hand-receiver.js';
import { HandApi } from './hand-api.js';
import { send } from './hand-carrier.js';
import { PageCaller } from './page-caller.js';
import { RUNNER_TOKEN, RunnerUnderTest, type TestRunnerOptions } from './runner-under-test.js';

const DEMO = fileURLToPath(new URL('../../templates/demo/bot.ts', import.meta.url));
const OPERATOR = '+12025550142';
const BOT = '+12025550100';
const ELSEWHERE = {
  host: 'bot.example.com',
  'x-forwarded-for': '203.0.113.7',
  authorization: `Bearer ${RUNNER_TOKEN}`,
};

/** A runner on an account whose bot is the demo, and the networks that it has started beside it. */
async function serve(carrier: CarrierName, options: TestRunnerOptions = {}) {
  const api = await HandApi.start();
  const credentials = { ...(await newAccountAt(carrier)), apiUrl: api.url };
  const started: StartedLocalNetwork[] = [];
  const beside = localNetworkOf({ PATH: process.env.PATH ?? '' }, carrier);
  const localNetwork: LocalNetwork = {
    ...beside,
    async start() {
      const network = await beside.start();
      started.push(network);
      return network;
    },
  };
  const served = new RunnerUnderTest({
    botFile: DEMO,
    carrier: carrierByName(carrier),
    credentials,
    localNetwork,
    phoneNumber: '+12025550177',
    operatorNumber: OPERATOR,
    recording: 'if_asked',
    dialLimits: { perMinute: 1, atOnce: 1, secondsPerNumber: 3_600, minutesPerDay: 15 },
    botEnvironment: {
      CARRIER: carrier,
      CARRIER_AUTH_ID: credentials.authId,
      CARRIER_AUTH_TOKEN: credentials.authToken,
      CARRIER_API_URL: api.url,
      OPERATOR_NUMBER: OPERATOR,
    },
    ...options,
  });
  await served.runner.start();
  return {
    served,
    api,
    started,
    authToken: credentials.authToken,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
      await Promise.all(started.map(({ ended }) => ended)); // it goes with its runner
    },
  };
}

describe.each(['plivo', 'twilio', 'telnyx'] as const)('beside an account at %s', (carrier) => {
  test('the bot talks with the phone of the page, and ends the call; the account is asked for nothing, the application told nothing', async () => {
    await using receiver = await HandReceiver.listen();
    await using run = await serve(carrier, { events: { url: receiver.url, secret: SECRET } });
    const { served, api, started } = run;
    expect(started).toEqual([]); // a runner whose page has no phone has no such network
    const askedBefore = api.requests.all.length;
    await using phone = await PageCaller.open(served.runner);
    const id = await phone.call(BOT);
    await until(() => phone.heard > 50, 'the bot is heard', 20_000);
    phone.send({ type: 'press', digit: '9' });
    await phone.next('ended', 20_000);
    const record = await served.nextRecord({ id, state: 'ended' } as object, 20_000);
    expect(record).toMatchObject({ isLocal: true, direction: 'inbound', to: BOT, endReason: 'bot_ended' });
    expect(api.requests.all.slice(askedBefore)).toEqual([]);
    expect(existsSync(join(served.stateDirectory, 'dialled'))).toBe(false);
    await until(async () => (await findCallFolders(served.stateDirectory, id)).length === 1, 'it has a folder');
    await using again = await PageCaller.open(served.runner);
    await again.call(BOT);
    expect(started).toHaveLength(1);
    await served.runner.stop({ drainMs: 0 });
    expect(receiver.types).toEqual([]);
  }, 90_000);

  test('a transfer is played, and costs nothing', async () => {
    await using run = await serve(carrier);
    const { served, api } = run;
    const askedBefore = api.requests.all.length;
    await using phone = await PageCaller.open(served.runner);
    const id = await phone.call(BOT);
    await until(() => phone.heard > 50, 'the bot is heard', 20_000);
    phone.send({ type: 'press', digit: '0' });
    await served.anyRecord({ id, state: 'transferring' } as object, 20_000);
    const dialled = () => phone.notices.all.some((notice) => notice.type === 'progress' && notice.line.hop === 'dial');
    await until(dialled, 'the destination is dialled', 20_000);
    phone.send({ type: 'hangup' });
    await served.anyRecord({ id, state: 'ended' } as object, 20_000);
    expect(api.requests.all.slice(askedBefore)).toEqual([]);
  }, 90_000);
});

test('beside an account at a room provider the bot talks with the phone just so', async () => {
  const rooms: TestRunnerOptions['provider'] = {
    kind: 'rooms',
    provider: daily,
    credentials: { apiKey: 'key', apiUrl: 'http://127.0.0.1:1' },
    webhookSecret: Buffer.alloc(32).toString('base64'),
    browser: undefined,
  };
  await using run = await serve('plivo', { provider: rooms });
  await using phone = await PageCaller.open(run.served.runner);
  const id = await phone.call(BOT);
  await until(() => phone.heard > 50, 'the bot is heard', 20_000);
  phone.send({ type: 'hangup' });
  const record = await run.served.anyRecord({ id, state: 'ended' } as object, 20_000);
  expect(record).toMatchObject({ isLocal: true, endReason: 'caller_hung_up' });
}, 90_000);

test('what comes through the tunnel has no phone, whatever token it brings, and is not the carrier of a call on this machine', async () => {
  await using run = await serve('plivo');
  const { served, started } = run;
  const ask = (path: string, headers: Record<string, string>, method = 'GET', body = '') =>
    send(`${served.url}${path}`, { method, headers: { 'content-type': 'application/json', ...headers }, body }).then(
      ({ status }) => status,
    );
  expect(await ask('/status', ELSEWHERE)).toBe(200); // the token is good for everything else
  expect(await ask('/phone/numbers', ELSEWHERE)).toBe(404);
  expect(await ask('/phone/speech', ELSEWHERE, 'POST', '{"text":"Hello"}')).toBe(404);
  const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const key = { 'sec-websocket-key': Buffer.alloc(16).toString('base64') };
  expect(await ask('/phone', { ...ELSEWHERE, ...upgrade, ...key })).toBe(404);
  expect(started).toEqual([]);
  expect(await ask('/phone/numbers', {})).toBe(200);

  await using phone = await PageCaller.open(served.runner);
  await phone.call(BOT);
  const [network] = started;
  if (network?.access.kind !== 'carrier') throw new Error('no network was started');
  const sign = (authToken: string) => {
    const form: [string, string][] = [
      ['CallUUID', randomUUID()],
      ['Event', 'StartApp'],
      ['Direction', 'inbound'],
      ['From', '12025550199'],
      ['To', '12025550177'],
    ];
    const url = `${served.runner.addresses.publicUrl}/answer`;
    const headers = signatureHeaders({ method: 'POST', url, form }, authToken);
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return ask('/answer', { ...headers, ...type }, 'POST', String(new URLSearchParams(form)));
  };
  // The keys of the network beside it open nothing of the account.
  expect(await sign(network.access.credentials.authToken)).toBe(403);
  expect(await sign(run.authToken)).toBe(200);
}, 60_000);

test('when its network goes, the call is over, and the next one gets another', async () => {
  await using run = await serve('plivo');
  const { served, started } = run;
  const first = await PageCaller.open(served.runner);
  const id = await first.call(BOT);
  await started[0]?.stop();
  await served.anyRecord({ id, state: 'ended' } as object, 20_000);
  await using second = await PageCaller.open(served.runner);
  await second.call(BOT);
  expect(started).toHaveLength(2);
  await first[Symbol.asyncDispose]();
}, 60_000);
