import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CampaignProgress } from '../../../src/call/campaign-progress.js';
import { FakeRunner, json } from '../fake-runner.js';
import { command } from '../in-process.js';

let directory: string;
let runner: FakeRunner;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-campaign-'));
  runner = await FakeRunner.start();
  await runner.announce(directory);
  writeFileSync(join(directory, 'people.csv'), 'phone_number\n+12025550101\n');
});
afterEach(async () => {
  await runner[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const OVER: CampaignProgress = {
  id: 'cmp_1',
  name: 'people.csv',
  condition: 'done',
  createdAt: 1_000,
  endedAt: 2_000,
  rows: 1,
  done: 1,
  running: 0,
  waiting: 0,
  outcomes: { failed: 1 },
  faults: 1,
  dialledPerMinute: 0,
  perMinute: 30,
  atOnce: 10,
};
const RESULT = { row: 1, phoneNumber: '+12025550101', outcome: 'failed', attempts: 1 };

test.each([
  [{}, 'The campaign ended with one row that could not be called'],
  [{ faults: 2 }, 'The campaign ended with 2 rows that could not be called'],
  [{ condition: 'cancelled', faults: 0 }, 'The campaign was cancelled'],
] as const)(
  'what people read in the summary of a campaign, %j, is an error for programs: exit 8',
  async (change, message) => {
    const campaign = { ...OVER, ...change };
    runner.starts = [json(200, { problems: [] }), json(202, { campaign })];
    runner.reads = [json(200, { campaign }), json(200, { results: [RESULT] })];
    const args = ['campaign', 'people.csv', '--json'];
    const { exitCode, events, stderr } = await command(args, directory, { VOICEBOT_HOME: directory }).finished;
    const { results } = Object(events.find(({ event }) => event === 'campaign_ended'));
    expect(readFileSync(results, 'utf8')).toContain('+12025550101');
    expect({ exitCode, stderr }).toEqual({ exitCode: 8, stderr: '' });
    const error = { event: 'error', code: 'VB_CALL_FAILED', message, hint: `The results say which rows: ${results}` };
    expect(events.at(-1)).toMatchObject(error);
  },
);
