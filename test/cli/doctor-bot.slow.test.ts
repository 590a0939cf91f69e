/** The doctor with processes of the bot, as a run starts them; everything else is in doctor-accounts.slow.test.ts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Accounts, SHARED_NUMBER } from '../e2e/accounts.js';
import { until } from '../e2e/processes.js';
import { openAccountsForEachTest } from './accounts-for-each-test.js';
import { bots, doctorArgs, type Everything, everything, expectAsBefore, findingsOf } from './examination.js';
import { runOn, startOn } from './on-account.js';

const DESK = 'http://127.0.0.1:9/front-desk (application front-desk)';

jest.setTimeout(30_000);

let accounts: Accounts;
let before: Everything;
openAccountsForEachTest(async (opened) => {
  accounts = opened;
  writeFileSync(join(accounts.home, 'bot.mjs'), 'export async function bot() {}\n'); // loads faster than the demo
  before = await everything(accounts);
});
afterEach(async () => {
  await using open = accounts;
  await expectAsBefore(open, before);
});

test('all is well on a carrier account, with every check in its line and the next command', async () => {
  const { exitCode, stdout, stderr } = await runOn(accounts, doctorArgs(''));
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  const lines = stderr.trimEnd().split('\n');
  // The further lines of a check are indented beneath its own.
  const heads = lines.map((line) => line.slice(0, 15).trimEnd()).filter((head) => head !== '');
  expect(heads).toEqual([
    ...[
      'Node.js',
      'settings',
      'port',
      'carrier',
      'credentials',
      'number',
      'dial-out',
      'clock',
      'bot',
      'guesses',
      'tunnel',
    ].map((name) => `✔ ${name}`),
    '✔ WebSocket',
    '✔ signature',
    'All is well. Ne',
  ]);
  expect(stderr).toContain('the carrier takes CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN (10 numbers on the account)');
  expect(stderr).toContain(`${SHARED_NUMBER}, answered by ${DESK}`);
  expect(stderr).toMatch(/bot {10}loads in \d+ ms, another process of it in \d+ ms\n/);
  expect(stderr).toMatch(/tunnel {7}http:\/\/[\w-]+\.localhost:\d+ leads here, there and back in \d+ ms/);
  expect(stderr).toContain('signed webhooks are taken, unsigned ones refused with 403');
  expect(lines.at(-1)).toBe('All is well. Next: npx voicebot run bot.mjs --transport carrier --dialin');
});

test('a bot that throws: 7', async () => {
  writeFileSync(join(accounts.home, 'bot.mjs'), 'throw new Error("no model")\n');
  before = await everything(accounts);
  const { exitCode, named } = await findingsOf(runOn(accounts, doctorArgs('--json'), { transport: 'none' }));
  expect({ exitCode, ...named('bot') }).toMatchObject({
    exitCode: 7,
    status: 'failure',
    code: 'VB_BOT_LOAD_FAILED',
    message: expect.stringContaining('bot.mjs'),
  });
});

test('Ctrl-C while a bot does not finish loading leaves nothing of it', async () => {
  const code = 'await new Promise((resolve) => setTimeout(resolve, 1e9));\nexport async function bot() {}\n';
  writeFileSync(join(accounts.home, 'bot.mjs'), code);
  before = await everything(accounts);
  const visit = startOn(accounts, doctorArgs('--json'), { transport: 'none' });
  await until(() => bots().length > before.bots.length, 'it loads');
  process.emit('SIGINT', 'SIGINT');
  const { exitCode, events } = await visit.finished;
  expect(exitCode).toBe(130);
  expect(events.at(-1)).toMatchObject({ check: 'credentials' }); // nothing is said to have failed
});
