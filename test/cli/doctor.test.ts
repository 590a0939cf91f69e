import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stop } from 'esbuild';
import { Accounts, SHARED_NUMBER } from '../e2e/accounts.js';
import { childrenOf, until } from '../e2e/processes.js';
import { ReverseProxy } from '../runner/reverse-proxy.js';
import { FakeRunner } from './fake-runner.js';
import { pointAtRun } from './left-numbers.js';
import { runOn, type StartOn, startOn } from './on-account.js';
import { ProviderProxy } from './provider-proxy.js';

jest.setTimeout(60_000);

const DESK = 'http://127.0.0.1:9/front-desk (application front-desk)';

let accounts: Accounts;
let before: { stored: string[]; files: Record<string, string>; children: number[] };
beforeEach(async () => {
  accounts = await Accounts.open();
  writeFileSync(join(accounts.home, 'bot.mjs'), 'export async function bot() {}\n'); // loads faster than the demo
  await remember();
}, 30_000);
afterEach(async () => {
  await using open = accounts;
  const left = () => childrenOf(process.pid).filter((pid) => !before.children.includes(pid));
  await until(() => left().length === 0, 'the bots of the examination end');
  expect({ stored: await open.stored(), files: files(), children: before.children }).toEqual(before);
}, 30_000);

const remember = async () => {
  before = { stored: await accounts.stored(), files: files(), children: childrenOf(process.pid) };
};

/** Everything in the state directory, which is the working directory too. */
const files = () =>
  Object.fromEntries(
    readdirSync(accounts.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );

const args = (more: string) => `doctor bot.mjs ${/--port/.test(more) ? '' : '--port 0 '}${more}`.trim();
const doctor = (more = '', options?: StartOn) => runOn(accounts, args(more), options);

interface Check {
  check: string;
  status: 'ok' | 'warning' | 'failure';
  message: string;
  fix?: string;
  code?: string;
}

/** What it found, by the name of the check. */
async function findings(more = '', options?: StartOn) {
  const { exitCode, events, stderr } = await doctor(`${more} --json`.trim(), options);
  const checks = events.filter(({ event }) => event === 'check') as unknown as Check[];
  const named = (name: string) => checks.find(({ check }) => check === name);
  const failed = checks.filter(({ status }) => status === 'failure').map(({ check }) => check);
  return { exitCode, stderr, checks, named, failed, last: events.at(-1) };
}

describe('all is well', () => {
  test('on a carrier account, with every check in its line and the next command', async () => {
    const { exitCode, stdout, stderr } = await doctor();
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    const lines = stderr.trimEnd().split('\n');
    expect(lines.map((line) => line.slice(0, 15).trimEnd())).toEqual([
      ...['Node.js', 'settings', 'port', 'credentials', 'number', 'dial-out', 'clock', 'bot', 'tunnel'].map(
        (name) => `✔ ${name}`,
      ),
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

  test('on a room account too, but for what nobody can see: a warning alone is exit 0', async () => {
    const { exitCode, checks, last } = await findings('', { transport: 'rooms' });
    expect(exitCode).toBe(0);
    expect(checks.filter(({ status }) => status !== 'ok')).toMatchObject([{ check: 'dial-out', status: 'warning' }]);
    expect(checks).toContainEqual(
      expect.objectContaining({ check: 'signature', message: expect.stringContaining('refused with 401') }),
    );
    expect(last).toEqual({ version: 1, event: 'examined', failures: 0, warnings: 1 });
  });

  test('for both accounts, one after the other, or the one that is named', async () => {
    const { checks } = await findings('', { transport: 'both' });
    expect(checks.filter(({ check }) => check === 'credentials')).toHaveLength(2);
    const { checks: fewer } = await findings('--transport rooms', { transport: 'both' });
    expect(fewer.filter(({ check }) => check === 'credentials')).toMatchObject([
      { message: expect.stringContaining('ROOMS_API_KEY') },
    ]);
  });

  test('without an account: no tunnel is needed, and none is opened', async () => {
    const { exitCode, stderr } = await doctor('', { transport: 'none' });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('runs use the sandbox');
    expect(stderr).toContain('✔ tunnel       not needed');
    expect(stderr).toContain('All is well. Next: npx voicebot run bot.mjs\n');
  });

  test('without an account a tunnel is looked at when it is named', async () => {
    const { exitCode, named } = await findings('--tunnel localtunnel', { transport: 'none' });
    expect({ exitCode, tunnel: named('tunnel')?.message }).toEqual({
      exitCode: 0,
      tunnel: expect.stringContaining('leads here'),
    });
  });

  test('the port of the own runner is no failure', async () => {
    await using runner = await FakeRunner.start();
    await runner.announce(accounts.home);
    await remember();
    const { exitCode, named } = await findings(`--port ${runner.port}`);
    expect({ exitCode, ...named('port') }).toMatchObject({
      exitCode: 0,
      message: `${runner.port} is used by your own runner (process ${process.pid})`,
    });
  });

  test('names the files that settings come from, and the names of what is in them', async () => {
    writeFileSync(join(accounts.home, '.env'), 'A_KEY=a-value-that-is-secret\nOPERATOR_NUMBER=+12025550101\n');
    await remember();
    const { named, stderr } = await findings();
    expect(named('settings')?.message).toBe('.env: A_KEY, OPERATOR_NUMBER');
    expect(stderr).not.toContain('a-value-that-is-secret');
  });
});

describe('a failure decides the exit code, and the checks go on', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  /** Answers everything in the same way. */
  async function stranger(): Promise<number> {
    const server = createServer((_request, response) => response.end('hello'));
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  test('the port is in use by another program: 6', async () => {
    const port = await stranger();
    const { exitCode, failed, named, last } = await findings(`--port ${port}`);
    expect({ exitCode, failed }).toEqual({ exitCode: 6, failed: ['port'] });
    expect(named('port')).toMatchObject({
      code: 'VB_PORT_IN_USE',
      message: expect.stringContaining(`127.0.0.1:${port}`),
      fix: 'Stop the other program, or choose another port: --port 7861',
    });
    expect(named('signature')?.status).toBe('ok');
    expect(last).toEqual({ version: 1, event: 'examined', failures: 1, warnings: 0 });
  });

  test('the host is not of this machine: 3', async () => {
    const { exitCode, named } = await findings('', {
      transport: 'none',
      environment: { VOICEBOT_HOST: '192.0.2.1' },
    });
    expect(exitCode).toBe(3);
    expect(named('port')).toMatchObject({ code: 'VB_CONFIG_INVALID', fix: expect.stringContaining('VOICEBOT_HOST') });
  });

  test('.env holds what cannot be: 3, with every problem, and nothing else is looked at', async () => {
    writeFileSync(join(accounts.home, '.env'), 'VOICEBOT_WARM=none\nVOICEBOT_DRAIN_SECONDS=never\n');
    await remember();
    const { exitCode, checks, named } = await findings();
    expect(exitCode).toBe(3);
    expect(checks.map(({ check }) => check)).toEqual(['Node.js', 'settings']);
    for (const name of ['VOICEBOT_WARM in .env', 'VOICEBOT_DRAIN_SECONDS in .env']) {
      expect(named('settings')?.message).toContain(name);
    }
  });

  test('half of the credentials: 3', async () => {
    const { exitCode, named } = await findings('', { environment: { CARRIER_AUTH_TOKEN: '' } });
    expect({ exitCode, message: named('credentials')?.message }).toEqual({
      exitCode: 3,
      message: expect.stringContaining('CARRIER_AUTH_ID is set but CARRIER_AUTH_TOKEN is not'),
    });
  });

  test.each([
    ['carrier', 'CARRIER_AUTH_TOKEN', /CARRIER_AUTH_ID.*CARRIER_AUTH_TOKEN/],
    ['rooms', 'ROOMS_API_KEY', /ROOMS_API_KEY/],
  ] as const)('the provider refuses the credentials (%s): 4, naming the variables', async (transport, name, fix) => {
    const environment = { [name]: 'wrong-but-long-enough-to-be-one' };
    const { exitCode, failed, named } = await findings('', { transport, environment });
    expect({ exitCode, failed }).toEqual({ exitCode: 4, failed: ['credentials'] });
    expect(named('credentials')?.fix).toMatch(fix);
    expect(named('WebSocket')?.status).toBe('ok');
  });

  test('the provider cannot be reached: 5, and its clock is a warning', async () => {
    const { exitCode, failed, named } = await findings('', {
      environment: { CARRIER_API_URL: 'http://127.0.0.1:9/v1' },
    });
    expect({ exitCode, failed }).toEqual({ exitCode: 5, failed: ['credentials'] });
    expect(named('clock')).toMatchObject({ status: 'warning' });
  });

  test("the number is not the account's: 3, with those that are", async () => {
    const { exitCode, failed, named } = await findings('', {
      environment: { CARRIER_PHONE_NUMBER: '+12025550199' },
    });
    expect({ exitCode, failed }).toEqual({ exitCode: 3, failed: ['number'] });
    expect(named('number')?.message).toContain('which has +12025550100, +12025550111');
  });

  test('no number is chosen: 3', async () => {
    const { exitCode, named } = await findings('', { environment: { CARRIER_PHONE_NUMBER: '' } });
    expect({ exitCode, ...named('number') }).toMatchObject({
      exitCode: 3,
      fix: expect.stringContaining('CARRIER_PHONE_NUMBER='),
    });
  });

  test.each([
    ['is not there', undefined],
    ['cannot be read', 'export async function bot( {}\n'],
    ['throws', 'throw new Error("no model")\n'],
    ['has no bot', 'export const answer = 42;\n'],
  ])('the bot file %s: 7', async (_what, code) => {
    if (code) writeFileSync(join(accounts.home, 'other.mjs'), code);
    await remember();
    const { exitCode, events } = await runOn(accounts, 'doctor other.mjs --port 0 --json');
    expect(exitCode).toBe(7);
    expect(events.at(-2)).toMatchObject({
      check: 'bot',
      status: 'failure',
      code: 'VB_BOT_LOAD_FAILED',
      message: expect.stringContaining('other.mjs'),
    });
  });

  test("the tunnel's server is down: 5 within 10 s, with other ways", async () => {
    await accounts.tunnels.stop();
    const visit = startOn(accounts, args(''));
    await visit.shown('✔ bot');
    const askedAt = performance.now();
    const { exitCode, stderr } = await visit.finished;
    expect(performance.now() - askedAt).toBeLessThan(10_000);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('--tunnel cloudflared or --tunnel ngrok instead, or --public-url');
    expect(stderr).toMatch(/1 of 9 checks failed\.\n$/);
  });

  test('there is no tunnel and no public address: 3', async () => {
    const { exitCode, named } = await findings('--tunnel none');
    expect({ exitCode, ...named('tunnel') }).toMatchObject({ exitCode: 3, code: 'VB_CONFIG_INVALID' });
  });

  test('the public address leads elsewhere: 5', async () => {
    const { exitCode, failed, named } = await findings(`--public-url http://127.0.0.1:${await stranger()}`);
    expect({ exitCode, failed }).toEqual({ exitCode: 5, failed: ['tunnel'] });
    expect(named('tunnel')?.message).toContain('something else is at this address');
  });

  test('the proxy at the public address takes the signature away: 5', async () => {
    const port = await freePort();
    await using proxy = await ReverseProxy.start({
      upstream: `http://127.0.0.1:${port}`,
      client: '192.0.2.7',
      drops: 'x-pinless-signature',
    });
    const more = `--port ${port} --public-url ${proxy.url}`;
    const { exitCode, failed, named } = await findings(more, { transport: 'rooms' });
    expect({ exitCode, failed }).toEqual({ exitCode: 5, failed: ['signature'] });
    expect(named('signature')?.fix).toContain('on the way');
  });

  test('several: the first one decides, and all are counted', async () => {
    await accounts.tunnels.stop();
    const environment = { CARRIER_PHONE_NUMBER: '+12025550199' };
    const { exitCode, failed, last } = await findings('', { environment });
    expect({ exitCode, failed, last }).toMatchObject({
      exitCode: 3,
      failed: ['number', 'tunnel'],
      last: { failures: 2 },
    });
  });
});

describe("the provider's clock", () => {
  test.each([
    ['rooms', 10, 'ok', 0],
    ['rooms', 60, 'warning', 0],
    ['rooms', -900, 'failure', 3],
    ['carrier', 900, 'warning', 0],
  ] as const)('%s, ahead of ours by %i s: %s, exit %i', async (transport, seconds, status, exit) => {
    const [name, url] =
      transport === 'rooms'
        ? ['ROOMS_API_URL', accounts.sandbox.roomsApiUrl]
        : ['CARRIER_API_URL', accounts.sandbox.apiUrl];
    await using provider = await ProviderProxy.start(url);
    provider.aheadMs = seconds * 1_000;
    const { exitCode, named } = await findings('', { transport, environment: { [name]: provider.url } });
    expect({ exitCode, ...named('clock') }).toMatchObject({ exitCode: exit, status });
    expect(named('clock')?.message).toMatch(
      seconds < 0 ? /\d+ s ahead of the provider's/ : /\d+ s behind the provider's/,
    );
  });
});

test('warns of a number that points at a voicebot which does not answer, with the command that gives it back', async () => {
  await pointAtRun(accounts, 'carrier', SHARED_NUMBER);
  await remember();
  const { exitCode, named } = await findings();
  expect({ exitCode, ...named('number') }).toMatchObject({
    exitCode: 0,
    status: 'warning',
    message: expect.stringContaining('does not answer'),
    fix: expect.stringContaining('npx voicebot restore'),
  });
});

test('warns that an address cannot be tried while the own runner has the port', async () => {
  await using runner = await FakeRunner.start();
  await runner.announce(accounts.home);
  await remember();
  const { exitCode, named } = await findings(`--port ${runner.port} --public-url http://127.0.0.1:9`);
  expect({ exitCode, ...named('tunnel') }).toMatchObject({ exitCode: 0, status: 'warning' });
});

test.each(['--port 65536', '--tunnel string', '--public-url ftp://bot.example.com'])(
  'what is wrong with the command line is told before anything is looked at: %s',
  async (more) => {
    const { exitCode, stdout, stderr } = await runOn(accounts, `doctor ${more}`);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(more.split(' ')[0]);
  },
);

describe('Ctrl-C ends it, with nothing left', () => {
  test.each([
    ['is compiled', /esbuild/],
    ['does not finish loading', /bot-main/],
  ])('while a bot %s', async (_what, command) => {
    const code = 'await new Promise((resolve) => setTimeout(resolve, 1e9));\nexport async function bot() {}\n';
    writeFileSync(join(accounts.home, 'slow.mjs'), code);
    await stop(); // the compiler of the tunnel server, which would be taken for that of the bot
    await remember();
    const visit = startOn(accounts, 'doctor slow.mjs --port 0 --json');
    const isThere = () => childrenOf(process.pid, command).some((pid) => !before.children.includes(pid));
    await until(isThere, 'it has come to that', 30_000);
    const askedAt = performance.now();
    process.emit('SIGINT', 'SIGINT');
    const { exitCode, events } = await visit.finished;
    expect(exitCode).toBe(130);
    expect(events.at(-1)).toMatchObject({ check: 'clock' }); // nothing is said to have failed
    expect(performance.now() - askedAt).toBeLessThan(10_000); // a bot has 20 s to load
  });

  test('while the tunnel says nothing', async () => {
    accounts.tunnels.freeze();
    const visit = startOn(accounts, args('--json'));
    await visit.shown('"check":"bot"');
    process.emit('SIGTERM', 'SIGTERM');
    const { exitCode, events } = await visit.finished;
    expect({ exitCode, last: events.at(-1) }).toMatchObject({ exitCode: 143, last: { check: 'bot', status: 'ok' } });
  });
});

/** Free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
