import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../src/base/logger.js';
import { asCallId } from '../../../src/call/call-id.js';
import { alone } from '../../../src/runner/alone.js';
import { CallCosts } from '../../../src/runner/calls/life/call-costs.js';
import { CallRegistry } from '../../../src/runner/calls/life/call-registry.js';
import { RunnerCampaigns } from '../../../src/runner/campaigns/runner-campaigns.js';
import { parsePrices } from '../../../src/runner/costs/prices.js';
import { CalleeHours } from '../../../src/runner/dialing/callee-hours.js';
import { NO_CALLING_RULES } from '../../../src/runner/dialing/calling-rules.js';
import { RunnerAccess } from '../../../src/runner/http/access.js';
import { until } from '../../e2e/processes.js';
import { campaignOf } from './runner-of-campaigns.js';

const prices = parsePrices(
  {
    currency: 'USD',
    items: [
      { provider: 'twilio', service: 'carrier', unit: 'minute', amount: '0.01', rounding: 60 },
      { provider: 'twilio', service: 'media_stream', unit: 'minute', amount: '0', rounding: 60 },
    ],
  },
  'prices.json',
);

test('a row has cost what its call and those dialled beside it have, also what is known only when all are over', async () => {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-rows-'));
  const registry = new CallRegistry();
  new CallCosts(registry, prices, { provider: 'twilio', media: 'stream' });
  const answered = { state: 'connected', answeredAt: Date.now() } as const;
  const { campaigns } = new RunnerCampaigns({
    stateDirectory,
    queueOf: alone.campaignQueue,
    botFile: '/bot.ts',
    phoneNumber: '+12025550100',
    registry,
    access: new RunnerAccess('a-token-of-enough-characters', undefined, false),
    dial: async ({ callId = asCallId('out_1'), phoneNumber: to }) => {
      const colleague = { id: asCallId('beside'), to: '+12025550102', linkedTo: callId } as const;
      for (const call of [{ id: callId, to }, colleague, { id: asCallId('other'), to }]) {
        registry.open({ direction: 'outbound', state: 'dialling', ...call });
        registry.update(call.id, answered);
      }
      registry.timelines.note(colleague.id, { type: 'bot_assigned', bot: 1 });
      registry.end(callId, 'transferred');
      setTimeout(() => {
        registry.end(colleague.id, 'transferred');
        registry.timelines.note(colleague.id, { type: 'bot_done', bot: 1, outcome: 'returned' });
      }, 50);
    },
    checkTarget: async (to) => to,
    hours: new CalleeHours(NO_CALLING_RULES),
    ringSeconds: 45,
    logger: silentLogger,
  });
  try {
    await campaigns.start();
    const { id } = await campaigns.create(campaignOf(1, { serves: '/bot.ts +12025550100 account' }));
    await until(() => campaigns.progress(id)?.endedAt !== undefined, 'the campaign is over');
    const cost = { currency: 'USD', amount: '0.02', isComplete: true };
    expect(campaigns.results(id)).toMatchObject([{ outcome: 'transferred', cost }]);
    expect(campaigns.progress(id)?.cost).toEqual({ ...cost, calls: 1 });
  } finally {
    await campaigns.close();
    rmSync(stateDirectory, { recursive: true });
  }
});
