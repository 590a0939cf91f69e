import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CallRecord } from '../../src/call/call-record.js';
import type { CampaignProgress, CampaignResult } from '../../src/call/campaign-progress.js';
import { FakeCartesia, FakeDeepgram } from '../../src/lab/kit/index.js';
import { parsePrices } from '../../src/runner/costs/prices.js';
import { RunnerOnSandbox } from '../runner/runner-on-sandbox.js';
import { until } from './processes.js';

const BOT = fileURLToPath(new URL('bots/priced.ts', import.meta.url));
const TEXT = 'This call is counted.';
const [ANSWERS, BUSY] = ['+12025550101', '+12025550102'];

const carrier = { provider: 'plivo', unit: 'minute', rounding: 60 };
const prices = parsePrices(
  {
    currency: 'EUR',
    items: [
      { ...carrier, service: 'carrier', direction: 'outbound', prefix: '+1', amount: '0.01' },
      { ...carrier, service: 'media_stream', amount: '0.002' },
      { provider: 'cartesia', service: 'text_to_speech', unit: 'character', per: 1_000, amount: '1' },
      { provider: 'deepgram', service: 'speech_to_text', unit: 'minute', amount: '0.006' },
    ],
  },
  'prices.json',
);

let stateDirectory: string;
beforeEach(() => {
  stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-costs-'));
});
afterEach(() => rmSync(stateDirectory, { recursive: true, force: true }));

/** @param moneyPerDay in millionths */
async function serve(environment: Readonly<Record<string, string>>, moneyPerDay: number): Promise<RunnerOnSandbox> {
  return await RunnerOnSandbox.start({
    botFile: BOT,
    environment,
    stateDirectory,
    prices,
    dialMaxSeconds: 120,
    dialLimits: { perMinute: 1_000, atOnce: 20, secondsPerNumber: 0, moneyPerDay },
    recording: 'always',
  });
}

test('a campaign says what its calls have cost, and a runner that is started beside it counts on', async () => {
  await using voice = await FakeCartesia.start();
  await using ears = await FakeDeepgram.start({ texts: [] });
  const environment = {
    CARTESIA_API_KEY: 'key',
    CARTESIA_BASE_URL: voice.url,
    DEEPGRAM_API_KEY: 'key',
    DEEPGRAM_BASE_URL: ears.url,
  };
  await using stage = await serve(environment, 200_000);
  await stage.ready(1, 60_000);
  const contacts = [ANSWERS, '+12125550101', BUSY].map((phone_number) => ({ phone_number }));
  const begun = await stage.ask('/campaigns', {
    method: 'POST',
    body: JSON.stringify({ name: 'priced', at_once: 3, per_minute: 1_000, contacts }),
  });
  expect(begun.status).toBe(201);
  const { id } = ((await begun.json()) as { campaign: CampaignProgress }).campaign;
  const progress = async () =>
    ((await (await stage.ask(`/campaigns/${id}`)).json()) as { campaign: CampaignProgress }).campaign;
  await until(async () => (await progress()).endedAt !== undefined, 'the campaign is over', 60_000);

  const records = ((await (await stage.ask('/calls')).json()) as { calls: CallRecord[] }).calls;
  const answered = records.filter(({ answeredAt }) => answeredAt !== undefined);
  expect(answered).toHaveLength(2);
  for (const { cost } of answered) {
    expect(cost).toMatchObject({ currency: 'EUR', isComplete: true });
    expect(cost?.parts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ service: 'carrier', provider: 'plivo', direction: 'outbound', amount: '0.01' }),
        expect.objectContaining({ service: 'media_stream', amount: '0.002' }),
        expect.objectContaining({
          service: 'text_to_speech',
          provider: 'Cartesia',
          amount: '0.021',
          units: TEXT.length,
        }),
        expect.objectContaining({ service: 'speech_to_text', provider: 'Deepgram', amount: expect.any(String) }),
      ]),
    );
  }
  const amounts = answered.map(({ cost }) => Number(cost?.amount));
  const sum = amounts.reduce((one, other) => one + other, 0);
  expect((await progress()).cost).toMatchObject({ currency: 'EUR', isComplete: true, calls: 3 });
  expect(Number((await progress()).cost?.amount)).toBeCloseTo(sum, 6);
  const results = await stage.ask(`/campaigns/${id}/results`);
  const rows = ((await results.json()) as { results: CampaignResult[] }).results;
  expect(rows.map(({ cost }) => cost?.amount)).toEqual([expect.any(String), expect.any(String), '0']);

  const metrics = await (await stage.ask('/metrics')).text();
  expect(metrics).toMatch(/voicebot_cost_total\{currency="EUR",service="text_to_speech"\} 0\.042/);
  expect(metrics).toMatch(/voicebot_cost_total\{currency="EUR",service="carrier"\} 0\.02\b/);
  expect(stage.noted.filter(({ type }) => type === 'usage').length).toBeGreaterThanOrEqual(2);
  // Two calls of some 3.4 cents are over; the next may cost 2 minutes, and what the bot's services have cost in one, twice.
  await using next = await serve(environment, 100_000);
  const refused = await next.startCall({ phone_number: ANSWERS });
  expect(refused.status).toBe(429);
  expect(JSON.stringify(refused.body)).toMatch(/VB_DIAL_LIMIT.*of the €0\.10 that dialled calls may cost today/);
}, 180_000);
