import { once } from 'node:events';
import { PhoneClient } from '../../src/sandbox/network/phone-client.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.js';
import { until } from '../e2e/processes.js';
import { inWaves } from '../runner/in-waves.js';
import { botFile, RUNNER_TOKEN, RunnerUnderTest } from '../runner/runner-under-test.js';
import { CARRIERS, type PlayedCarrier } from './conformance/carriers.js';
import { pointNumber } from './conformance/point-number.js';

const CALLS = 100;
/** Requests at the same moment. */
const WAVE = 20;
const numbers = Array.from({ length: CALLS }, (_, n) => n);

describe.each(CARRIERS)('at $name', (played: PlayedCarrier) => {
  let sandbox: Sandbox;
  let served: RunnerUnderTest;

  beforeAll(async () => {
    sandbox = await startSandbox({ ...played.account, phoneToken: 'phone' });
    served = await RunnerUnderTest.start({
      botFile: botFile('patient.mjs'),
      carrier: played.carrier,
      credentials: played.credentials(sandbox.apiUrl),
      callsPerProcess: 25,
      warm: 4,
    });
  }, 30_000);

  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    await sandbox.close();
  });

  /** What the bots were told of the calls they served. */
  function servedCalls(): Array<{ from: string; to: string; body: { n?: number } }> {
    const lines = served.output.all.filter((line) => line.startsWith('serves '));
    return lines.map((line) => JSON.parse(line.slice('serves '.length)));
  }

  const endReasons = (ids: ReadonlySet<string>) =>
    served.records.all.filter(({ id, state }) => ids.has(id) && state === 'ended').map(({ endReason }) => endReason);

  test('a hundred calls dialled in quick succession all reach a bot, each with its own data', async () => {
    const start = async (n: number) => {
      const response = await fetch(`${served.runner.url}/start`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${RUNNER_TOKEN}` },
        body: JSON.stringify({ phone_number: `+1555200${1_000 + n}`, body: { n } }),
      });
      expect(response.status).toBe(202);
      return ((await response.json()) as { call_id: string }).call_id;
    };
    const ids = new Set(await inWaves(CALLS, WAVE, start));
    expect(ids.size).toBe(CALLS);
    await until(() => endReasons(ids).length === CALLS, 'all of them are over', 100_000);
    expect(endReasons(ids)).toEqual(numbers.map(() => 'bot_ended'));
    expect(new Set(servedCalls().map(({ body }) => body.n))).toEqual(new Set(numbers));
  }, 120_000);

  test('a hundred callers at once all reach a bot of their own', async () => {
    await pointNumber(played, sandbox, served.runner.addresses);
    const before = servedCalls().length;
    const silence = new Uint8Array(160).fill(0xff);
    const connect = () => PhoneClient.connect({ url: sandbox.url, token: 'phone', exchange: () => silence });
    const phones = await inWaves(CALLS, WAVE, connect);
    const call = async (phone: PhoneClient, n: number) => {
      const ended = once(phone, 'ended');
      phone.dial({ from: `+1555300${1_000 + n}`, to: sandbox.number });
      const [{ callId }] = (await ended) as [{ callId: string }];
      phone.close();
      return callId;
    };
    const ids = new Set(await Promise.all(phones.map(call)));
    await until(() => endReasons(ids).length === CALLS, 'all of them are over', 100_000);
    expect(endReasons(ids)).toEqual(numbers.map(() => 'bot_ended'));
    const callers = servedCalls()
      .slice(before)
      .map(({ from }) => from);
    expect(callers).toHaveLength(CALLS);
    expect(new Set(callers).size).toBe(CALLS);
  }, 120_000);
});
