/** What the doctor says of this machine, without an account. The bot's processes count as loaded: none is started. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VoicebotError } from '../../src/base/errors.js';
import { BotPool } from '../../src/runner/bots/bot-pool.js';
import { doctorArgs, findingsOf } from './examination.js';
import { FakeRunner } from './fake-runner.js';
import { command } from './in-process.js';
import { withoutPauses } from './without-pauses.js';

/** Nobody listens at the discard port. */
const NOBODY = 'http://127.0.0.1:9/v1';

let directory: string;
const servers: Server[] = [];
beforeEach(() => {
  jest.spyOn(BotPool.prototype, 'start').mockResolvedValue();
  jest.spyOn(BotPool.prototype, 'replace').mockResolvedValue();
  directory = mkdtempSync(join(tmpdir(), 'voicebot-doctor-'));
  writeFileSync(join(directory, 'bot.mjs'), 'export async function bot() {}\n');
});
afterEach(() => {
  jest.restoreAllMocks();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  rmSync(directory, { recursive: true });
});

const run = (args: string, environment: Record<string, string> = {}, nodeVersion?: string) =>
  command(args.split(' '), directory, { VOICEBOT_HOME: directory, ...environment }, '', undefined, nodeVersion)
    .finished;
const doctor = (more: string) => run(`doctor ${more}`);
const findings = (more = '', environment?: Record<string, string>) =>
  findingsOf(run(doctorArgs(`${more} --json`), environment));

/** Answers everything in the same way. */
async function stranger(): Promise<number> {
  const server = createServer((_request, response) => response.end('hello'));
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

test('without an account: a warning with what to set, and no tunnel is opened', async () => {
  const { exitCode, stderr } = await doctor('bot.mjs --port 0');
  expect(exitCode).toBe(0);
  expect(stderr).toContain('! credentials  no account, so no telephone reaches the bot: runs use the sandbox');
  expect(stderr).toMatch(
    /For a real number set PLIVO_AUTH_ID and PLIVO_AUTH_TOKEN \(plivo\), .*or ROOMS_API_KEY \(room provider\)/,
  );
  expect(stderr).toContain('✔ tunnel       not needed');
  expect(stderr).not.toContain('All is well');
  expect(stderr).toContain('one warning. Next, on the offline phone network: npx voicebot run bot.mjs\n');
});

test('a Node.js without the security fixes there are: a warning with what to install, and exit code 0', async () => {
  const { exitCode, stderr } = await run('doctor bot.mjs --port 0', {}, '20.20.2');
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^! Node\.js +20\.20\.2 gets no security fixes any more\n +Install .+\n/);
  expect(stderr).toContain('2 warnings.');
  const { named, exitCode: ofPrograms } = await findingsOf(run(doctorArgs('--json'), {}, '20.20.2'));
  expect({ exitCode: ofPrograms, ...named('Node.js') }).toMatchObject({
    exitCode: 0,
    status: 'warning',
    message: '20.20.2 gets no security fixes any more',
    fix: expect.stringContaining('https://nodejs.org/en/download'),
  });
});

test('a Node.js with them, or one that is newer than what is known here, is fine', async () => {
  const { named } = await findingsOf(run(doctorArgs('--json'), {}, '99.0.0'));
  expect(named('Node.js')).toMatchObject({ status: 'ok', message: '99.0.0' });
});

test('without the account that was asked for: 3', async () => {
  const { exitCode, failed, named } = await findings('--transport rooms', { CARRIER_AUTH_ID: 'MATESTTESTTESTTEST00' });
  expect({ exitCode, failed }).toEqual({ exitCode: 3, failed: ['credentials'] });
  expect(named('credentials')).toMatchObject({ code: 'VB_CREDENTIALS_MISSING', fix: 'Set ROOMS_API_KEY' });
});

test('credentials under the names of other tools are named, with ours', async () => {
  const environment = { VONAGE_API_KEY: 'x', PLIVO_NUMBER: 'x', CARRIER_AUTHID: 'x' };
  const { exitCode, named } = await findings('', environment);
  expect({ exitCode, ...named('credentials') }).toMatchObject({
    exitCode: 0,
    status: 'warning',
    message: expect.stringContaining(
      'voicebot does not read VONAGE_API_KEY, PLIVO_NUMBER (did you mean PLIVO_PHONE_NUMBER?) and CARRIER_AUTHID (did you mean CARRIER_AUTH_ID?)',
    ),
    fix: expect.stringContaining('PLIVO_AUTH_ID and PLIVO_AUTH_TOKEN'),
  });
});

test('events that could not be signed: 3, with what makes a secret', async () => {
  const url = 'https://app.example.com/hooks?key=hidden';
  const { exitCode, failed, named, stderr } = await findings('', { VOICEBOT_EVENTS_URL: url });
  expect({ exitCode, failed }).toEqual({ exitCode: 3, failed: ['events'] });
  expect(named('events')).toMatchObject({
    code: 'VB_CONFIG_INVALID',
    message: expect.stringContaining('VOICEBOT_EVENTS_SECRET'),
    fix: expect.stringContaining('openssl rand -base64 32'),
  });
  expect(stderr).not.toContain('hidden');
});

test('where events go is said without what may be secret of the address; a secret alone is a warning', async () => {
  const VOICEBOT_EVENTS_SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`;
  const url = 'https://app.example.com/hooks?key=hidden';
  const { named, exitCode } = await findings('', { VOICEBOT_EVENTS_URL: url, VOICEBOT_EVENTS_SECRET });
  expect({ exitCode, ...named('events') }).toMatchObject({
    exitCode: 0,
    status: 'ok',
    message: 'sent to https://app.example.com, signed',
  });
  expect((await findings('', { VOICEBOT_EVENTS_SECRET })).named('events')).toMatchObject({ status: 'warning' });
});

test('rules of calling hours that cannot be read are a failure, and the other checks go on', async () => {
  writeFileSync(
    join(directory, 'rules.yaml'),
    'rules: [{ country: DE, hours: [mon-fri 9-18] }, { country: FR, off: by consent }]',
  );
  const environment = { VOICEBOT_CALLING_RULES: 'rules.yaml' };
  const { named } = await findings('', environment);
  expect(named('hours')).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/^calling hours hold for US, .*DE, and are off for FR: /),
  });
  writeFileSync(join(directory, 'rules.yaml'), 'rules: [{ country: DE }]');
  const damaged = await findings('', environment);
  expect([damaged.exitCode, damaged.failed]).toEqual([3, ['hours']]);
  expect(damaged.named('hours')).toMatchObject({
    code: 'VB_CONFIG_INVALID',
    message: expect.stringContaining('rules[0] needs hours'),
  });
});

test('a file of prices that cannot be used is a failure, and the other checks go on', async () => {
  const path = join(directory, 'voicebot.prices.json');
  writeFileSync(path, '{ "currency": "euro", "items": [] }');
  const damaged = await findings('', { VOICEBOT_DIAL_MONEY_PER_DAY: '5' });
  expect([damaged.exitCode, damaged.failed]).toEqual([3, ['prices']]);
  expect(damaged.named('prices')).toMatchObject({ code: 'VB_PRICES_INVALID', message: expect.stringContaining(path) });
  expect(damaged.named('bot')?.status).toBe('ok');
  expect(damaged.last).toMatchObject({ failures: 1 });

  const minute = { provider: 'plivo', service: 'carrier', unit: 'minute', amount: '1', rounding: 60 };
  writeFileSync(path, JSON.stringify({ currency: 'EUR', items: [{ ...minute, source: 'EXAMPLE' }] }));
  const { exitCode, named } = await findings();
  expect({ exitCode, ...named('prices') }).toMatchObject({
    exitCode: 0,
    status: 'warning',
    message: `1 of 1 items in ${path} are examples`,
  });
  writeFileSync(path, JSON.stringify({ currency: 'EUR', items: [minute] }));
  expect((await findings()).named('prices')?.status).toBe('ok');
});

test.each([
  ['money', { VOICEBOT_DIAL_MONEY_PER_DAY: '5' }, 'there is no file of prices'],
  ['minutes', { VOICEBOT_DIAL_MINUTES_PER_DAY: '5' }, 'no call fits into a day'],
])(
  'a limit in %s that allows no call is a failure where there is an account, and no limit of the sandbox',
  async (_what, limit, message) => {
    const { failed, exitCode } = await findings('', limit);
    expect({ failed, exitCode }).toEqual({ failed: [], exitCode: 0 });
    const account = { PLIVO_AUTH_ID: 'MATESTTESTTESTTEST00', PLIVO_AUTH_TOKEN: 'a-token', CARRIER_API_URL: NOBODY };
    const { named } = await withoutPauses(() => findings('--tunnel none', { ...account, ...limit }));
    expect(named('limits')).toMatchObject({ status: 'failure', message: expect.stringContaining(message) });
    expect(named('bot')?.status).toBe('ok');
  },
);

test('the port of the own runner is no failure', async () => {
  await using runner = await FakeRunner.start();
  await runner.announce(directory);
  const { exitCode, named } = await findings(`--port ${runner.port}`);
  expect({ exitCode, ...named('port') }).toMatchObject({
    exitCode: 0,
    message: `${runner.port} is used by your own runner (process ${process.pid})`,
  });
});

test('names the files that settings come from, and the names of what is in them', async () => {
  writeFileSync(join(directory, '.env'), 'A_KEY=a-value-that-is-secret\nOPERATOR_NUMBER=+12025550101\n');
  const { named, stderr } = await findings();
  expect(named('settings')?.message).toBe('.env: A_KEY, OPERATOR_NUMBER');
  expect(stderr).not.toContain('a-value-that-is-secret');
});

test('an account is known by the names that other tools have for it, and it is said which were read', async () => {
  const environment = { PLIVO_AUTH_ID: 'MATESTTESTTESTTEST00', PLIVO_AUTH_TOKEN: 'a-token', CARRIER_API_URL: NOBODY };
  const { named, stderr } = await withoutPauses(() => findings('--tunnel none', environment));
  expect(named('settings')?.message).toContain('PLIVO_AUTH_ID in the environment is read as CARRIER_AUTH_ID');
  expect(named('credentials')).toMatchObject({ status: 'failure', code: 'VB_CARRIER_UNREACHABLE' });
  expect(stderr).not.toContain('a-token');
});

test('the port is in use by another program: 6', async () => {
  const port = await stranger();
  const { exitCode, failed, named, last } = await findings(`--port ${port}`);
  expect({ exitCode, failed }).toEqual({ exitCode: 6, failed: ['port'] });
  expect(named('port')).toMatchObject({
    code: 'VB_PORT_IN_USE',
    message: expect.stringContaining(`127.0.0.1:${port}`),
    fix: expect.stringMatching(/^Stop that program, or use the next free one: --port \d+$/),
  });
  expect(named('tunnel')?.status).toBe('ok');
  expect(last).toEqual({ version: 1, event: 'examined', failures: 1, warnings: 1 }); // and no account
});

test('the host is not of this machine: 3', async () => {
  const { exitCode, named } = await findings('', { VOICEBOT_HOST: '192.0.2.1' });
  expect(exitCode).toBe(3);
  expect(named('port')).toMatchObject({ code: 'VB_CONFIG_INVALID', fix: expect.stringContaining('VOICEBOT_HOST') });
});

test('.env holds what cannot be: 3, with every problem, and nothing else is looked at', async () => {
  writeFileSync(join(directory, '.env'), 'VOICEBOT_WARM=none\nVOICEBOT_DRAIN_SECONDS=never\n');
  const { exitCode, checks, named } = await findings();
  expect(exitCode).toBe(3);
  expect(checks.map(({ check }) => check)).toEqual(['Node.js', 'settings']);
  for (const name of ['VOICEBOT_WARM in .env', 'VOICEBOT_DRAIN_SECONDS in .env']) {
    expect(named('settings')?.message).toContain(name);
  }
});

test('half of the credentials: 3', async () => {
  const environment = { CARRIER_AUTH_ID: 'MATESTTESTTESTTEST00', CARRIER_TOKEN: 'x' };
  const { exitCode, checks, named } = await findings('', environment);
  expect({ exitCode, message: named('names')?.message }).toEqual({
    exitCode: 3,
    message: 'voicebot does not read CARRIER_TOKEN (did you mean CARRIER_AUTH_TOKEN?)',
  });
  expect(checks.filter(({ check }) => check === 'credentials')).toEqual([
    expect.objectContaining({ message: expect.stringContaining('is set but CARRIER_AUTH_TOKEN is not') }),
  ]);
  expect(named('tunnel')).toBeUndefined(); // nothing would run on the sandbox
});

test.each([
  ['is not there', undefined],
  ['cannot be read', 'export async function bot( {}\n'],
])('the bot file %s: 7', async (_what, code) => {
  if (code) writeFileSync(join(directory, 'other.mjs'), code);
  const { exitCode, events } = await doctor('other.mjs --port 0 --json');
  expect(exitCode).toBe(7);
  expect(events.find(({ status }) => status === 'failure')).toMatchObject({
    check: 'bot',
    status: 'failure',
    code: 'VB_BOT_LOAD_FAILED',
    message: expect.stringContaining('other.mjs'),
  });
});

test('a second process of the bot does not load: 7', async () => {
  jest.spyOn(BotPool.prototype, 'replace').mockRejectedValue(new VoicebotError('VB_BOT_LOAD_FAILED', 'not twice'));
  const { exitCode, failed } = await findings();
  expect({ exitCode, failed }).toEqual({ exitCode: 7, failed: ['bot'] });
});

test('the public address leads elsewhere: 5', async () => {
  const more = `--public-url http://127.0.0.1:${await stranger()}`;
  const { exitCode, failed, named } = await withoutPauses(() => findings(more));
  expect({ exitCode, failed }).toEqual({ exitCode: 5, failed: ['tunnel'] });
  expect(named('tunnel')?.message).toContain('something else is at this address');
});

test.each(['--port 65536', '--tunnel string', '--public-url ftp://bot.example.com'])(
  'what is wrong with the command line is told before anything is looked at: %s',
  async (more) => {
    const { exitCode, stdout, stderr } = await doctor(more);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(more.split(' ')[0]);
  },
);
