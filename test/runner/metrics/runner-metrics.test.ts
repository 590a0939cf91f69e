import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import { RunnerMetrics, type RunnerMetricsOptions } from '../../../src/runner/metrics/runner-metrics.js';
import { send } from '../hand-carrier.js';
import { IN_PROCESS } from '../in-process-bots.js';
import { LeaseRig } from '../numbers/lease-rig.js';
import { RUNNER_TOKEN, RunnerUnderTest } from '../runner-under-test.js';
import { sampleOf } from './exposition.js';

const TOKEN = { authorization: `Bearer ${RUNNER_TOKEN}` };

let rig: LeaseRig;
let served: RunnerUnderTest;
beforeAll(async () => {
  rig = new LeaseRig();
  served = await RunnerUnderTest.start({ ...IN_PROCESS, callsPerProcess: 4, stateDirectory: rig.state });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  rig[Symbol.dispose]();
});

const ask = (headers: Record<string, string> = {}) => send(`${served.runner.url}/metrics`, { headers });
const scrape = async () => (await ask()).body;

test('programs on this machine read the metrics, and those who bring the token', async () => {
  const { status, headers } = await ask();
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  const outside = { host: 'bot.example.com' };
  expect((await ask(outside)).status).toBe(404);
  expect((await ask({ ...outside, authorization: 'Bearer wrong' })).status).toBe(401);
  expect((await ask({ ...outside, ...TOKEN })).status).toBe(200);
  expect((await ask({ origin: 'https://evil.example.com' })).status).toBe(404);
});

test('calls, bots, requests to the provider and refusals are counted; numbers and identifiers are nowhere', async () => {
  const stream = await served.carrier.call();
  const during = await scrape();
  expect(sampleOf(during, 'voicebot_calls_live{direction="inbound",state="connected"}')).toBe(1);
  expect(sampleOf(during, 'voicebot_bots{state="busy"}')).toBe(1);
  expect(sampleOf(during, 'voicebot_call_setup_seconds_count{direction="inbound",until="connected"}')).toBe(1);
  stream.order('return');
  await stream.closed;
  await served.carrier.hangup(stream.callId, {});
  await served.record(stream.callId, { state: 'ended' });
  await served.carrier.webhook('/answer', { CallUUID: 'x' }, { authToken: 'wrong' });
  const dialled = await served.carrier.dial(served.api);
  const after = await scrape();
  expect(sampleOf(after, 'voicebot_calls_live{direction="inbound",state="connected"}')).toBe(0);
  expect(sampleOf(after, 'voicebot_calls_live{direction="outbound",state="dialling"}')).toBe(1);
  expect(sampleOf(after, 'voicebot_calls_ended_total{direction="inbound",end_reason="bot_ended"}')).toBe(1);
  expect(sampleOf(after, 'voicebot_requests_refused_total{reason="bad_signature"}')).toBe(1);
  expect(sampleOf(after, 'voicebot_provider_requests_total{provider="plivo",code="201"}')).toBe(1);
  expect(after).not.toContain('2025550');
  for (const id of [stream.callId, dialled.callId, dialled.id]) expect(after).not.toContain(id);
});

test('a request that is refused is counted by its status', async () => {
  served.api.respond = () => ({ status: 400 });
  const { status } = await served.startCall({ phone_number: '+12025550111' });
  expect(status).toBe(502);
  expect(sampleOf(await scrape(), 'voicebot_provider_requests_total{provider="plivo",code="400"}')).toBe(1);
});

test('a request to the provider stands in the timeline of the call for which it is made', async () => {
  served.api.respond = () => undefined;
  const noted: Array<[callId: string, event: TimelineEvent]> = [];
  served.runner.on('noted', (...one) => noted.push(one));
  const { id } = await served.carrier.dial(served.api);
  const requests = noted.filter(([, { type }]) => type === 'request');
  expect(requests).toEqual([
    [
      id,
      {
        type: 'request',
        at: expect.any(Number),
        source: 'runner',
        method: 'POST',
        path: 'Call/',
        status: 201,
        ms: expect.any(Number),
      },
    ],
  ]);
});

test('a number that is held shows, and no more of it; and what is still owed', async () => {
  expect(sampleOf(await scrape(), 'voicebot_number_held')).toBe(0);
  const lease = await rig.take();
  mkdirSync(join(rig.state, 'hangups'), { recursive: true });
  for (const name of ['1.json', '2.json', '3.json.draft']) writeFileSync(join(rig.state, 'hangups', name), '{}');
  const held = await scrape();
  expect(sampleOf(held, 'voicebot_number_held')).toBe(1);
  expect(sampleOf(held, 'voicebot_journal_entries{journal="leases"}')).toBe(1);
  expect(sampleOf(held, 'voicebot_journal_entries{journal="hangups"}')).toBe(2);
  expect(sampleOf(held, 'voicebot_journal_entries{journal="rooms"}')).toBe(0);
  expect(held).not.toContain(lease.number.slice(1));
  await lease.giveBack(new AbortController().signal);
  expect(sampleOf(await scrape(), 'voicebot_number_held')).toBe(0);
});

test('the tunnel shows when it is down', async () => {
  served.runner.reach.lost();
  expect(sampleOf(await scrape(), 'voicebot_reachable')).toBe(0);
  served.runner.moveTo(served.runner.url);
  expect(sampleOf(await scrape(), 'voicebot_reachable')).toBe(1);
});

test('scrapes at the same time get the same', async () => {
  const lines = (text: string) => text.split('\n').filter((line) => /^voicebot_(?!event_loop)/.test(line));
  const [first = [], ...others] = (await Promise.all(Array.from({ length: 5 }, scrape))).map(lines);
  expect(first.length).toBeGreaterThan(100);
  for (const other of others) expect(other).toEqual(first);
});

test('without the package the answer says what to install', async () => {
  const metrics = new RunnerMetrics({ registry: {} } as RunnerMetricsOptions);
  const server = express()
    .get('/metrics', (_request, response) => void metrics.answer(response))
    .listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const { status, body } = await send(`http://127.0.0.1:${port}/metrics`);
  await new Promise((resolve) => server.close(resolve));
  expect(status).toBe(503);
  expect(JSON.parse(body).error).toMatchObject({
    code: 'VB_CONFIG_INVALID',
    hint: expect.stringContaining('npm install prom-client'),
  });
});
