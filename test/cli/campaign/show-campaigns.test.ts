import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeRunner, json } from '../fake-runner.js';
import { command } from '../in-process.js';

let directory: string;
let runner: FakeRunner;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-campaign-'));
  runner = await FakeRunner.start();
  await runner.announce(directory);
});
afterEach(async () => {
  await runner[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const campaign = (id: string, condition: string) => ({
  id,
  name: `${id}.csv`,
  condition,
  rows: 2,
  done: 1,
  outcomes: {},
});
const RUNNING = campaign('cmp_1', 'running');
const PAUSED = campaign('cmp_2', 'paused');
const DONE = campaign('cmp_3', 'done');

/** `campaign …` at a runner with these campaigns. */
async function ask(args: string, ...campaigns: object[]) {
  runner.reads = [json(200, { campaigns }), json(200, { campaign: campaigns[0], results: [] })];
  runner.starts = [json(200, { campaign: { ...campaigns[0], condition: 'as told' } })];
  return await command(['campaign', ...args.split(' ')], directory, { VOICEBOT_HOME: directory }).finished;
}

const orders = () => runner.requests.flatMap(({ method, url }) => (method === 'POST' ? [url] : []));

test.each([
  ['pause', RUNNING, [PAUSED, DONE]],
  ['resume', PAUSED, [RUNNING, DONE]],
  ['cancel', RUNNING, [DONE]],
  ['cancel', PAUSED, [DONE]],
] as const)(
  '%s without a campaign is for the only one that goes on, and says which (%j)',
  async (order, it, others) => {
    const { exitCode, stdout } = await ask(order, it, ...others);
    expect(exitCode).toBe(0);
    expect(orders()).toEqual([`/campaigns/${it.id}/${order}`]);
    expect(stdout).toMatch(new RegExp(`^${it.id} {2}${it.name} .* as told\n$`));
  },
);

test('an order that could be for several campaigns names them, and changes none', async () => {
  const { exitCode, stderr } = await ask('cancel', RUNNING, PAUSED, DONE);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('cancel needs one of 2 campaigns: cmp_1 (cmp_1.csv), cmp_2 (cmp_2.csv)');
  expect(stderr).toContain('npx voicebot campaign cancel cmp_1');
  expect(orders()).toEqual([]);
});

test('an order that could be for none says so', async () => {
  const { exitCode, stderr } = await ask('resume', RUNNING, DONE);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('resume needs a campaign, and none is paused');
  expect(stderr).toContain('npx voicebot campaign status');
  expect(orders()).toEqual([]);
});

test('status without a campaign shows all, and with a file of results needs to know which', async () => {
  expect((await ask('status', RUNNING, DONE)).stdout).toMatch(/^cmp_1 .*\ncmp_3 .*\n$/);
  expect((await ask('status --output all.csv', RUNNING, DONE)).stderr).toContain('status needs one of 2 campaigns');
  expect((await ask('status --output one.csv', DONE)).exitCode).toBe(0);
  expect(existsSync(join(directory, 'one.csv'))).toBe(true);
});
