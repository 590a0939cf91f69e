import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Campaign } from '../../../src/runner/campaigns/campaign.js';
import { CampaignFiles } from '../../../src/runner/campaigns/campaign-files.js';
import { CampaignState } from '../../../src/runner/campaigns/campaign-state.js';

const SERVES = 'bot';
const campaign = (id: string): Campaign => ({
  version: 1,
  id,
  name: 'list.csv',
  fingerprint: 'f',
  serves: SERVES,
  createdAt: 1_000,
  perMinute: 30,
  atOnce: 2,
  hours: { from: 540, to: 1_080 },
  retries: { busy: { pauseMs: 1_000, times: 2 } },
  contacts: [
    { phoneNumber: '+12025550101', id: 'one', body: { row: 1 } },
    { phoneNumber: '+12025550102', body: {} },
  ],
});

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-campaigns-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const pathOf = (id: string, ending: string) => join(directory, 'campaigns', `${id}.${ending}`);

/** Both campaigns, written by a process that is gone. */
async function written(): Promise<void> {
  const files = new CampaignFiles(directory, SERVES);
  for (const id of ['cmp_damaged', 'cmp_whole']) await files.create(campaign(id));
  await files.close();
}

async function taken() {
  const files = new CampaignFiles(directory, SERVES);
  try {
    return await files.take();
  } finally {
    await files.close();
  }
}

test.each<[field: string, value: unknown]>([
  ['contacts', undefined],
  ['contacts', {}],
  ['contacts', [5]],
  ['contacts', [{ body: {} }]],
  ['contacts', [{ phoneNumber: 12_025_550_101, body: {} }]],
  ['contacts', [{ phoneNumber: '+12025550101' }]],
  ['createdAt', 'today'],
  ['perMinute', 0],
  ['atOnce', '2'],
  ['hours', 9],
  ['retries', null],
  ['retries', { busy: 5 }],
  ['name', []],
])('a campaign whose %s are %j is left alone, and takes no other one with it', async (field, value) => {
  await written();
  writeFileSync(pathOf('cmp_damaged', 'json'), JSON.stringify({ ...campaign('cmp_damaged'), [field]: value }));
  expect((await taken()).map(({ campaign: { id } }) => id)).toEqual(['cmp_whole']);
  expect(readFileSync(pathOf('cmp_damaged', 'json'), 'utf8')).toContain('cmp_damaged'); // for whoever mends it
});

test('a damaged campaign is not begun anew', async () => {
  await written();
  writeFileSync(pathOf('cmp_damaged', 'json'), '{"version":1');
  const files = new CampaignFiles(directory, SERVES);
  await expect(files.create(campaign('cmp_damaged'))).rejects.toMatchObject({
    code: 'VB_CONFIG_INVALID',
    message: expect.stringContaining('cmp_damaged.json'),
  });
  await files.close();
  expect(readFileSync(pathOf('cmp_damaged', 'json'), 'utf8')).toBe('{"version":1');
});

test('what has happened in a campaign is read as far as it goes, whatever else is among it', async () => {
  await written();
  const placing = { is: 'placing', row: 1, attempt: 1, at: 2_000, callId: 'out_1', runner: 'r' };
  const lines = [
    '',
    'null',
    '5',
    '{}',
    '{"is":"ended"}',
    JSON.stringify({ ...placing, row: 'x' }),
    JSON.stringify({ ...placing, at: null }),
    JSON.stringify({ is: 'condition', at: 3_000, condition: 'lost' }),
    JSON.stringify(placing),
    '{"is":"placed","row":1,',
  ];
  writeFileSync(pathOf('cmp_whole', 'jsonl'), lines.join('\n'));
  const whole = (await taken()).find(({ campaign: { id } }) => id === 'cmp_whole');
  expect(whole?.entries).toEqual([placing]);
  const state = new CampaignState(campaign('cmp_whole'));
  for (const entry of whole?.entries ?? []) state.apply(entry);
  expect(state.progress(4_000)).toMatchObject({ rows: 2, running: 1 });
});

test('a campaign comes back as it was written', async () => {
  await written();
  expect((await taken()).map((one) => one.campaign)).toEqual([campaign('cmp_damaged'), campaign('cmp_whole')]);
});
