/** What the doctor says of an account and of the way to it. The bot's processes count as loaded: none is started. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BotPool } from '../../src/runner/bots/bot-pool.js';
import { type Accounts, SHARED_NUMBER } from '../e2e/accounts.js';
import { freePort } from '../free-port.js';
import { ReverseProxy } from '../runner/reverse-proxy.js';
import { openAccountsForEachTest } from './accounts-for-each-test.js';
import { doctorArgs, type Everything, everything, expectAsBefore, findingsOf } from './examination.js';
import { FakeRunner } from './fake-runner.js';
import { pointAtRun } from './left-numbers.js';
import { runOn, type StartOn, startOn } from './on-account.js';
import { ProviderProxy } from './provider-proxy.js';
import { withoutPauses } from './without-pauses.js';

/** Nobody listens at the discard port. */
const NOBODY = 'http://127.0.0.1:9';

jest.setTimeout(30_000);

let accounts: Accounts;
let before: Everything;
const servers: Server[] = [];
openAccountsForEachTest(async (opened) => {
  jest.spyOn(BotPool.prototype, 'start').mockResolvedValue();
  jest.spyOn(BotPool.prototype, 'replace').mockResolvedValue();
  accounts = opened;
  writeFileSync(join(accounts.home, 'bot.mjs'), 'export async function bot() {}\n');
  before = await everything(accounts);
});
afterEach(async () => {
  await using open = accounts;
  jest.restoreAllMocks();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  await expectAsBefore(open, before);
});

const findings = (more = '', options?: StartOn) => findingsOf(runOn(accounts, doctorArgs(`${more} --json`), options));

describe('all is well', () => {
  test('on a room account too, but for what nobody can see: a warning alone is exit 0', async () => {
    const { exitCode, checks, last } = await findings('', { transport: 'rooms' });
    expect(exitCode).toBe(0);
    expect(checks.filter(({ status }) => status !== 'ok')).toMatchObject([{ check: 'dial-out', status: 'warning' }]);
    expect(checks).toContainEqual(
      expect.objectContaining({ check: 'signature', message: expect.stringContaining('refused with 401') }),
    );
    const next = 'npx voicebot run bot.mjs --transport rooms --dialin';
    expect(last).toEqual({ version: 1, event: 'examined', failures: 0, warnings: 1, next });
  });

  test('for both accounts, one after the other, or the one that is named', async () => {
    const { checks } = await findings('', { transport: 'both' });
    expect(checks.filter(({ check }) => check === 'credentials')).toHaveLength(2);
    const { checks: fewer } = await findings('--transport rooms', { transport: 'both' });
    expect(fewer.filter(({ check }) => check === 'credentials')).toMatchObject([
      { message: expect.stringContaining('ROOMS_API_KEY') },
    ]);
  });

  test('without an account a tunnel is looked at when it is named', async () => {
    const { exitCode, named } = await findings('--tunnel localtunnel', { transport: 'none' });
    expect({ exitCode, tunnel: named('tunnel')?.message }).toEqual({
      exitCode: 0,
      tunnel: expect.stringContaining('leads here'),
    });
  });
});

describe('a failure decides the exit code, and the checks go on', () => {
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

  test("the tunnel's server is down: 5, with other ways", async () => {
    const { exitCode, failed, named, checks } = await findings('', { environment: { VOICEBOT_TUNNEL_SERVER: NOBODY } });
    expect({ exitCode, failed }).toEqual({ exitCode: 5, failed: ['tunnel'] });
    expect(named('tunnel')?.fix).toContain('--tunnel cloudflared or --tunnel ngrok instead, or --public-url');
    expect(checks).toHaveLength(11);
  });

  test('there is no tunnel and no public address: 3', async () => {
    const { exitCode, named } = await findings('--tunnel none');
    expect({ exitCode, ...named('tunnel') }).toMatchObject({ exitCode: 3, code: 'VB_CONFIG_INVALID' });
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
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringMatching(/2 of 11 checks failed\.\n$/) });
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
  expect({ exitCode, last: events.at(-1) }).toMatchObject({ exitCode: 143, last: { check: 'guesses', status: 'ok' } });
});
