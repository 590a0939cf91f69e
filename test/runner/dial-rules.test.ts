import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallRecord } from '../../src/call/call-record.js';
import { alone } from '../../src/runner/alone.js';
import { CallRegistry, newCallId } from '../../src/runner/calls/life/call-registry.js';
import { parseCampaignRequest } from '../../src/runner/campaigns/campaign-request.js';
import { parsePrices } from '../../src/runner/costs/prices.js';
import { type DialRules, dialRules } from '../../src/runner/dial-rules.js';
import { CalleeHours } from '../../src/runner/dialing/callee-hours.js';
import { NO_CALLING_RULES } from '../../src/runner/dialing/calling-rules.js';
import type { RunnerOptions } from '../../src/runner/runner-options.js';
import { priceCalls } from '../../src/runner/runner-registry.js';

const NUMBER = '+12125550101';
const prices = parsePrices(
  {
    currency: 'USD',
    items: [
      { provider: 'twilio', service: 'carrier', prefix: '+1', unit: 'minute', amount: '0.01', rounding: 60 },
      { provider: 'twilio', service: 'carrier', prefix: '+1808', unit: 'minute', amount: '1', rounding: 60 },
      { provider: 'twilio', service: 'media_stream', unit: 'minute', amount: '0', rounding: 60 },
    ],
  },
  'prices.json',
);

let stateDirectory: string;
let rules: DialRules;
let registry: CallRegistry;
beforeEach(() => {
  stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-rules-'));
  const options = {
    stateDirectory,
    prices,
    botFile: '/bot.ts',
    provider: { kind: 'carrier', carrier: { name: 'twilio' } },
    dialCountries: ['US', 'GB'],
    dialMaxSeconds: 600,
    ringSeconds: 30,
    dialLimits: { perMinute: 100, atOnce: 100, secondsPerNumber: 0, moneyPerDay: 250_000 },
  } as unknown as RunnerOptions;
  rules = dialRules(options, alone, 'secret');
  registry = new CallRegistry();
  priceCalls(options, registry, rules.limits);
});
afterEach(async () => {
  await rules.limits.close();
  rmSync(stateDirectory, { recursive: true });
});

test('a call that is over gives back what was kept for it and not spent', async () => {
  const settled: CallRecord[] = [];
  registry.on('settled', (record) => settled.push(record));
  const id = newCallId();
  await rules.limits.admit(NUMBER, id);
  await rules.limits.admit(NUMBER, newCallId());
  await expect(rules.limits.admit(NUMBER, newCallId())).rejects.toThrow('$0.20 of the $0.25');
  registry.open({ id, direction: 'outbound', to: NUMBER, state: 'dialling' });
  registry.update(id, { state: 'connected', answeredAt: Date.now() - 1_000 });
  registry.end(id, 'bot_ended');
  await registry.settledOf(id);
  expect(settled).toMatchObject([{ cost: { amount: '0.01' } }]);
  await rules.limits.admit(NUMBER, newCallId());
  await expect(rules.limits.admit(NUMBER, newCallId())).rejects.toThrow('$0.21 of the $0.25');
});

test('a contact whose call has no price, or is dearer than a day may be, is refused with the list', async () => {
  const numbers = [NUMBER, '+442071234567', '+18085550101'];
  const request = { contacts: numbers.map((phone_number) => ({ phone_number })) };
  const checks = { checkTarget: rules.checkContact, hours: new CalleeHours(NO_CALLING_RULES) };
  const { contacts, problems } = await parseCampaignRequest(Buffer.from(JSON.stringify(request)), checks);
  expect(contacts).toMatchObject([{ phoneNumber: NUMBER }]);
  expect(problems).toEqual([
    { row: 2, problem: expect.stringMatching(/^the file of prices has no price for a call to this number/) },
    { row: 3, problem: 'a call to this number may cost $10.00, and all dialled calls $0.25 a day' },
  ]);
});
