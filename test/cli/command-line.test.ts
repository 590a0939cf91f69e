import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorDocs } from '../../src/terminal/error-docs.js';
import { command } from './in-process.js';
import { COMMANDS, PACKAGE_ROOT, voicebot } from './voicebot.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-cli-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** In an empty folder and with an empty state directory, so that nothing of this machine takes part. */
const run = (args: string, environment: Record<string, string> = {}) =>
  command(args.split(' ').filter(Boolean), directory, { VOICEBOT_HOME: join(directory, 'home'), ...environment })
    .finished;

test('the real command prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(`${PACKAGE_ROOT}package.json`, 'utf8'));
  expect(await voicebot(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
});

test.each(['--help', ...COMMANDS.map((name) => `${name} --help`), 'help call'])(
  '%s explains itself on standard output',
  async (args) => {
    const { exitCode, stdout, stderr } = await run(args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('Usage: voicebot');
  },
);

test('without a command, in a folder without a bot: what to begin with, as an error', async () => {
  const { exitCode, stdout, stderr } = await run('');
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  for (const begin of ['npx voicebot init my-bot', 'npx voicebot run', 'npx voicebot --help']) {
    expect(stderr).toContain(begin);
  }
});

test.each([
  ['cal', "unknown command 'cal'\n(Did you mean call?)"],
  ['run --prot 1', "unknown option '--prot'\n(Did you mean --port?)"],
  ['call --secnds 1', '(Did you mean --seconds?)'],
  ['run --port abc', "option '--port <port>' argument 'abc' is invalid. It must be a whole number from 0 to 65535."],
  ['run --port 65536', "'65536' is invalid"],
  ['run --port', "option '--port <port>' argument missing"],
  ['run --calls-per-process 0', "'0' is invalid"],
  ['run --transport sip', 'Allowed choices are carrier, rooms'],
  ['run --public-url http://bot.example.com', 'must be an https address without a path'],
  [
    'run --insecure-webhooks --public-url https://bot.example.com',
    '--insecure-webhooks cannot be used together with a public URL',
  ],
  ['run --sandbox --number +12025550100', '--sandbox has a number of its own: leave --number out'],
  ['run one.ts two.ts', 'too many arguments'],
  ['call --wav nope.wav --seconds 0', '--wav nope.wav: there is no such file\n--seconds 0: must be above 0'],
  ['dialout', "missing required argument 'number'"],
  [
    'dialout 5551234567 --body []',
    'number 5551234567: must be a telephone number such as +14155550100: it must begin with "+" and the country code',
  ],
  ['call --answer-url https://example.com/', 'must be an http address on this machine'],
])('%s: exit 2, naming what is wrong', async (args, message) => {
  const { exitCode, stdout, stderr } = await run(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('    at ');
});

test('an invalid setting: exit 3', async () => {
  writeFileSync(join(directory, '.env'), 'VOICEBOT_PORT=high\nVOICEBOT_WARM=-1');
  const { exitCode, stderr } = await run('run');
  expect(exitCode).toBe(3);
  expect(stderr).toContain('VOICEBOT_PORT in .env must be a whole number from 0 to 65535');
  expect(stderr).toContain('VOICEBOT_WARM in .env must be a whole number from 1 to 100');
  expect(stderr).toContain('VB_CONFIG_INVALID');
});

test('events without a secret to sign them: exit 3, and what makes one', async () => {
  const url = 'https://app.example.com/hooks?key=hidden';
  const { exitCode, stderr } = await run('run', { VOICEBOT_EVENTS_URL: url });
  expect(exitCode).toBe(3);
  expect(stderr).toContain('VOICEBOT_EVENTS_SECRET');
  expect(stderr).toContain('openssl rand -base64 32');
  expect(stderr).not.toContain('hidden');
});

test('credentials without a tunnel or a public address: exit 3, and the way on', async () => {
  const { exitCode, stderr } = await run('run --tunnel none', {
    CARRIER_AUTH_ID: 'MA000000000000000000',
    CARRIER_AUTH_TOKEN: 'secret',
  });
  expect(exitCode).toBe(3);
  expect(stderr).toContain('--public-url');
  expect(stderr).toContain('--sandbox');
  expect(stderr).not.toContain('secret');
});

test('half of a pair of credentials: exit 3, naming the other half', async () => {
  const { exitCode, stderr } = await run('run', { CARRIER_AUTH_TOKEN: 'secret' });
  expect(exitCode).toBe(3);
  expect(stderr).toContain('CARRIER_AUTH_TOKEN is set but CARRIER_AUTH_ID is not');
  expect(stderr).toContain('VB_CREDENTIALS_MISSING');
});

describe('credentials of two carriers', () => {
  const BOTH = {
    PLIVO_AUTH_ID: 'MATESTTESTTESTTEST00',
    PLIVO_AUTH_TOKEN: 'secret-1',
    TWILIO_ACCOUNT_SID: `AC${'0123456789abcdef'.repeat(2)}`,
    TWILIO_AUTH_TOKEN: 'secret-2',
  };

  test.each(['run', 'run --dialin', 'configure-number', 'doctor --tunnel none --port 0'])(
    '%s: exit 2, naming both and --carrier',
    async (line) => {
      const { exitCode, stderr } = await run(line, BOTH);
      expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('--carrier plivo') });
      expect(stderr).toContain('PLIVO_AUTH_ID and PLIVO_AUTH_TOKEN');
      expect(stderr).toContain('TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN');
      expect(stderr).not.toContain('secret');
    },
  );

  test('are no matter where no account is needed, or each is used for its own numbers', async () => {
    expect((await run('restore', BOTH)).exitCode).toBe(0);
    const { exitCode, stderr } = await run('sandbox', BOTH);
    expect({ exitCode, stderr }).toEqual({ exitCode: 5, stderr: expect.not.stringContaining('AMBIGUOUS') });
  });
});

test.each([
  ['run --carrier vonage', 'Allowed choices are plivo, twilio'],
  ['run --carrier twilio --transport rooms', '--carrier is about carriers'],
  ['configure-number --carrier twilio --transport rooms', '--carrier is about carriers'],
  ['doctor --carrier twilio --transport rooms', '--carrier is about carriers'],
])('%s: exit 2', async (line, message) => {
  const { exitCode, stderr } = await run(line);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) });
});

test("half of a pair in the provider's own names: names those", async () => {
  const { exitCode, stderr } = await run('restore', { PLIVO_AUTH_TOKEN: 'secret' });
  expect(exitCode).toBe(3);
  expect(stderr).toContain('PLIVO_AUTH_TOKEN is set but PLIVO_AUTH_ID is not');
  expect(stderr).toContain('Set PLIVO_AUTH_ID, or use the offline phone network: npx voicebot run --sandbox');
});

test.each([
  ['--number +12025550100', '--number'],
  ['--tunnel localtunnel', '--tunnel'],
  ['--tunnel-server https://tunnel.example.com --take', '--tunnel-server and --take'],
  ['--public-url https://bot.example.com', '--public-url'],
])('run --dialin %s without an account: exit 3, and not the sandbox', async (more, options) => {
  const { exitCode, stderr } = await run(`run --dialin ${more}`);
  expect(exitCode).toBe(3);
  expect(stderr).toContain(`${options} without an account at a carrier`);
  expect(stderr).toContain('Set CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN');
});

test('run --dialin without an account begins with a warning', async () => {
  const { stderr } = await run('run nothing.ts --dialin --port 0');
  expect(stderr).toMatch(/^\S+Z warn {2}! NO REAL NUMBER IS ANSWERED/);
}, 30_000);

test('insecure webhooks are refused for a public URL from the environment too', async () => {
  const { exitCode } = await run('run --insecure-webhooks', { VOICEBOT_PUBLIC_URL: 'https://bot.example.com' });
  expect(exitCode).toBe(2);
});

test('a call without a runner: exit 5, and the command that starts one', async () => {
  const { exitCode, stderr } = await run('call');
  expect(exitCode).toBe(5);
  expect(stderr).toContain('voicebot run --sandbox');
  expect(stderr).toContain('VB_RUNNER_NOT_FOUND');
});

test('with --json a failure is one event, with the same text for people', async () => {
  const { exitCode, events, stderr } = await run('call --json --port 1');
  expect(exitCode).toBe(5);
  expect(events).toEqual([
    {
      version: 1,
      event: 'error',
      code: 'VB_RUNNER_NOT_FOUND',
      message: 'No running runner was found: none of your runners answers at port 1',
      hint: expect.any(String),
      next: 'npx voicebot run --sandbox',
      docs: errorDocs('VB_RUNNER_NOT_FOUND'),
    },
  ]);
  expect(stderr).toContain('none of your runners answers at port 1');
});

test('--verbose shows where it happened', async () => {
  expect((await run('call --verbose')).stderr).toMatch(/\n +at /);
});

test.each([
  ['off the terminal colours nothing', ['call'], {}, false],
  ['colours where it is forced to', ['call'], { FORCE_COLOR: '1' }, true],
  ['colours nothing after --no-color', ['call', '--no-color'], { FORCE_COLOR: '1' }, false],
  ['colours nothing after --no-color before the command', ['--no-color', 'call'], { FORCE_COLOR: '1' }, false],
])('the real command %s', async (_what, args, environment, isColoured) => {
  const { exitCode, stderr } = await voicebot(args, {
    cwd: directory,
    env: { VOICEBOT_HOME: join(directory, 'home'), ...environment },
  });
  expect(exitCode).toBe(5);
  expect(stderr.includes('\u001b')).toBe(isColoured);
});

test('a port that is taken is found before anything is started, and the next free one is offered', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { exitCode, stderr } = await run(`run --sandbox --port ${port}`);
  other.close();
  expect(exitCode).toBe(6);
  expect(stderr).toMatch(/or use the next free one: --port \d+\n/);
  expect(stderr).not.toContain('Starting');
});
