import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CampaignFiles } from '../../src/runner/campaigns/campaign-files.js';
import { until } from '../e2e/processes.js';
import { campaignOf } from './campaigns/runner-of-campaigns.js';
import { HandApi } from './hand-api.js';
import { AUTH_ID, AUTH_TOKEN } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { botFile, RunnerUnderTest } from './runner-under-test.js';

const NUMBER = '+12025550100';

test('a runner that is to dial later calls nobody before, and takes up then what an earlier one has left', async () => {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-state-'));
  const serves = `${botFile('puppet.mjs')} ${NUMBER} account`;
  const left = campaignOf(1, { serves });
  const files = new CampaignFiles(stateDirectory, serves);
  await files.create(left);
  await files.close();
  await using api = await HandApi.start();
  const credentials = { authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl: api.url };
  await using served = new RunnerUnderTest({ ...IN_PROCESS, stateDirectory, credentials, phoneNumber: NUMBER });
  const placings = () => api.requests.all.filter(({ method, path }) => method === 'POST' && path === 'Call/');

  await served.runner.start({ dials: false });
  const refused = { status: 503, body: { error: { code: 'VB_TUNNEL_FAILED' } } };
  expect(await served.startCall({ phone_number: '+12025550101' })).toMatchObject({
    ...refused,
    headers: { 'retry-after': '5' },
  });
  const contacts = JSON.stringify({ contacts: [{ phone_number: '+12025550101' }] });
  for (const [path, body] of [
    ['/campaigns', contacts],
    [`/campaigns/${left.id}/cancel`, '{}'],
  ] as const) {
    const response = await served.ask(path, { method: 'POST', body });
    expect({ status: response.status, body: await response.json() }).toMatchObject(refused);
  }
  expect(await (await served.ask('/campaigns')).json()).toMatchObject({ campaigns: [] });
  expect(placings()).toEqual([]);

  await served.runner.startDialling();
  await until(() => placings().length === 1, 'the campaign goes on');
  expect((await served.startCall({ phone_number: '+12025550102' })).status).toBe(202);
});
