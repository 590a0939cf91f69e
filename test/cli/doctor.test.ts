/** What the doctor says of everything but the bot, whose processes count as loaded: none is started. See doctor-bot.test.ts. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { VoicebotError } from '../../src/errors.js';
import { BotPool } from '../../src/runner/bot-pool.js';
import { Accounts, SHARED_NUMBER } from '../e2e/accounts.js';
import { ReverseProxy } from '../runner/reverse-proxy.js';
import { TunnelServer } from '../tunnel/tunnel-server.js';
import { doctorArgs, type Everything, everything, expectAsBefore, findingsOn } from './examination.js';
import { FakeRunner } from './fake-runner.js';
import { pointAtRun } from './left-numbers.js';
import { runOn, type StartOn, startOn } from './on-account.js';
import { ProviderProxy } from './provider-proxy.js';
import { withoutPauses } from './without-pauses.js';

/** Nobody listens at the discard port. */
const NOBODY = 'http://127.0.0.1:9';

let tunnels: TunnelServer;
let accounts: Accounts;
let before: Everything;
const servers: Server[] = [];
beforeAll(async () => {
  tunnels = await TunnelServer.start();
});
afterAll(() => tunnels.stop());
beforeEach(async () => {
  jest.spyOn(BotPool.prototype, 'start').mockResolvedValue();
  jest.spyOn(BotPool.prototype, 'replace').mockResolvedValue();
  accounts = await Accounts.open(tunnels);
  writeFileSync(join(accounts.home, 'bot.mjs'), 'export async function bot() {}\n');
  before = await everything(accounts);
});
afterEach(async () => {
  await using open = accounts;
  jest.restoreAllMocks();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  await expectAsBefore(open, before);
});

const findings = (more?: string, options?: StartOn) => findingsOn(accounts, more, options);

/** Answers everything in the same way. */
async function stranger(): Promise<number> {
  const server = createServer((_request, response) => response.end('hello'));
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

describe('all is well', () => {
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
    const { exitCode, stderr } = await runOn(accounts, doctorArgs(''), { transport: 'none' });
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
    before = await everything(accounts);
    const { exitCode, named } = await findings(`--port ${runner.port}`);
    expect({ exitCode, ...named('port') }).toMatchObject({
      exitCode: 0,
      message: `${runner.port} is used by your own runner (process ${process.pid})`,
    });
  });

  test('names the files that settings come from, and the names of what is in them', async () => {
    writeFileSync(join(accounts.home, '.env'), 'A_KEY=a-value-that-is-secret\nOPERATOR_NUMBER=+12025550101\n');
    before = await everything(accounts);
    const { named, stderr } = await findings();
    expect(named('settings')?.message).toBe('.env: A_KEY, OPERATOR_NUMBER');
    expect(stderr).not.toContain('a-value-that-is-secret');
  });
});

describe('a failure decides the exit code, and the checks go on', () => {
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
    before = await everything(accounts);
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
    const environment = { CARRIER_API_URL: `${NOBODY}/v1` };
    const { exitCode, failed, named } = await withoutPauses(() => findings('--tunnel none', { environment }));
    expect({ exitCode, failed }).toEqual({ exitCode: 5, failed: ['credentials', 'tunnel'] });
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
  ])('the bot file %s: 7', async (_what, code) => {
    if (code) writeFileSync(join(accounts.home, 'other.mjs'), code);
    before = await everything(accounts);
    const { exitCode, events } = await runOn(accounts, 'doctor other.mjs --port 0 --json', { transport: 'none' });
    expect(exitCode).toBe(7);
    expect(events.at(-2)).toMatchObject({
      check: 'bot',
      status: 'failure',
      code: 'VB_BOT_LOAD_FAILED',
      message: expect.stringContaining('other.mjs'),
    });
  });

  test('a second process of the bot does not load: 7', async () => {
    jest.spyOn(BotPool.prototype, 'replace').mockRejectedValue(new VoicebotError('VB_BOT_LOAD_FAILED', 'not twice'));
    const { exitCode, failed } = await findings('', { transport: 'none' });
    expect({ exitCode, failed }).toEqual({ exitCode: 7, failed: ['bot'] });
  });

  test("the tunnel's server is down: 5, with other ways", async () => {
    const { exitCode, failed, named, checks } = await findings('', { environment: { VOICEBOT_TUNNEL_SERVER: NOBODY } });
    expect({ exitCode, failed }).toEqual({ exitCode: 5, failed: ['tunnel'] });
    expect(named('tunnel')?.fix).toContain('--tunnel cloudflared or --tunnel ngrok instead, or --public-url');
    expect(checks).toHaveLength(9);
  });

  test('there is no tunnel and no public address: 3', async () => {
    const { exitCode, named } = await findings('--tunnel none');
    expect({ exitCode, ...named('tunnel') }).toMatchObject({ exitCode: 3, code: 'VB_CONFIG_INVALID' });
  });

  test('the public address leads elsewhere: 5', async () => {
    const more = `--public-url http://127.0.0.1:${await stranger()}`;
    const { exitCode, failed, named } = await withoutPauses(() => findings(more, { transport: 'none' }));
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
    const environment = { CARRIER_PHONE_NUMBER: '+12025550199' };
    const { exitCode, stderr } = await runOn(accounts, doctorArgs('--tunnel none'), { environment });
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringMatching(/2 of 9 checks failed\.\n$/) });
    const { failed, last } = await findings('--tunnel none', { environment });
    expect({ failed, last }).toMatchObject({ failed: ['number', 'tunnel'], last: { failures: 2 } });
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
  before = await everything(accounts);
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
  before = await everything(accounts);
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

test('Ctrl-C ends it while the tunnel says nothing', async () => {
  const silent = createServer(() => {});
  servers.push(silent);
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const visit = startOn(accounts, doctorArgs('--json'), {
    environment: { VOICEBOT_TUNNEL_SERVER: `http://127.0.0.1:${port}` },
  });
  await once(silent, 'request');
  process.emit('SIGTERM', 'SIGTERM');
  const { exitCode, events } = await visit.finished;
  expect({ exitCode, last: events.at(-1) }).toMatchObject({ exitCode: 143, last: { check: 'bot', status: 'ok' } });
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
