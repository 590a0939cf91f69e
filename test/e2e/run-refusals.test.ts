import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountRuns, ready, told } from './account-runs.js';
import { ROOM_NUMBERS, SHARED_NUMBER } from './accounts.js';

let runs: AccountRuns;

beforeAll(async () => {
  runs = await AccountRuns.open();
}, 30_000);

afterEach(() => runs.tidy(), 30_000);

afterAll(() => runs[Symbol.asyncDispose](), 30_000);

const BOTH = ['carrier', 'rooms'] as const;

describe('nobody can be reached from outside: exit 5, and the number is untouched', () => {
  test.each(BOTH)(
    '%s: the tunnel server is down',
    async (transport) => {
      const startedAt = performance.now();
      const run = runs.run({ transport, environment: { VOICEBOT_TUNNEL_SERVER: await nobody() } });
      const { exitCode, error, told } = await runs.refused(run);
      const ms = performance.now() - startedAt;
      process.stdout.write(`${transport}: a tunnel server that is down is reported after ${Math.round(ms)} ms\n`);
      expect(ms).toBeLessThan(60_000);
      expect(exitCode).toBe(5);
      expect(error).toMatchObject({ code: 'VB_TUNNEL_FAILED', hint: expect.stringContaining('--tunnel cloudflared') });
      for (const way of ['--tunnel cloudflared', '--tunnel ngrok', '--public-url']) expect(told).toContain(way);
    },
    40_000,
  );

  test('the tunnel server takes connections and says nothing', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const startedAt = performance.now();
    const run = runs.run({ environment: { VOICEBOT_TUNNEL_SERVER: originOf(silent.address()) } });
    const { exitCode, error } = await runs.refused(run);
    process.stdout.write(
      `a tunnel server that says nothing is reported after ${Math.round(performance.now() - startedAt)} ms\n`,
    );
    expect(exitCode).toBe(5);
    expect(error).toMatchObject({ code: 'VB_TUNNEL_FAILED', message: expect.stringContaining('does not answer') });
    silent.closeAllConnections();
    silent.close();
  }, 90_000);

  test.each(BOTH)(
    '%s: the public address leads to another server',
    async (transport) => {
      const foreign = createServer((_request, response) => response.end('{"ok":true}')).listen(0, '127.0.0.1');
      await once(foreign, 'listening');
      const origin = originOf(foreign.address());
      const { exitCode, error, told } = await runs.refused(runs.run({ transport, args: ['--public-url', origin] }));
      expect(exitCode).toBe(5);
      expect(error).toMatchObject({ code: 'VB_TUNNEL_FAILED', message: expect.stringContaining(origin) });
      expect(told).toContain('--tunnel');
      foreign.closeAllConnections();
      foreign.close();
    },
    40_000,
  );

  test('the public address leads nowhere', async () => {
    const { exitCode, error } = await runs.refused(runs.run({ args: ['--public-url', await nobody()] }));
    expect({ exitCode, code: error.code }).toEqual({ exitCode: 5, code: 'VB_TUNNEL_FAILED' });
  }, 90_000);
});

describe('the provider refuses the credentials: exit 4, naming where they come from, and no bot is started', () => {
  test.each([
    ['carrier', 'token', { CARRIER_AUTH_TOKEN: 'not-the-token' }, ['CARRIER_AUTH_ID', 'CARRIER_AUTH_TOKEN']],
    ['carrier', 'account', { CARRIER_AUTH_ID: 'MASOMEBODYELSE000000' }, ['CARRIER_AUTH_ID', 'CARRIER_AUTH_TOKEN']],
    ['rooms', 'key', { ROOMS_API_KEY: 'not-the-key' }, ['ROOMS_API_KEY']],
  ] as const)(
    '%s: a wrong %s',
    async (transport, _what, environment, variables) => {
      const run = runs.run({ transport, environment });
      const { exitCode, error, told } = await runs.refused(run);
      expect({ exitCode, code: error.code }).toEqual({ exitCode: 4, code: 'VB_CREDENTIALS_REFUSED' });
      for (const variable of variables) expect(`${error.message} ${error.hint}`).toContain(variable);
      for (const wrong of Object.values(environment).filter((value) => value.startsWith('not-'))) {
        expect(told).not.toContain(wrong);
      }
      expect(run.children()).toEqual([]);
    },
    40_000,
  );
});

describe('no number to answer: exit 3 with the numbers of the account', () => {
  test.each(BOTH)(
    '%s: the one that is named is not on it',
    async (transport) => {
      const { exitCode, error } = await runs.refused(runs.run({ transport, args: ['--number', '+12025550142'] }));
      expect({ exitCode, code: error.code }).toEqual({ exitCode: 3, code: 'VB_NUMBER_UNKNOWN' });
      expect(error.message).toContain('+12025550142');
      for (const number of Object.values(ROOM_NUMBERS)) expect(error.message).toContain(number);
    },
    40_000,
  );

  test.each(BOTH)(
    '%s: none is named and there are several',
    async (transport) => {
      const environment = { CARRIER_PHONE_NUMBER: '', ROOMS_PHONE_NUMBER: '' };
      const { exitCode, error } = await runs.refused(runs.run({ transport, environment }));
      expect({ exitCode, code: error.code }).toEqual({ exitCode: 3, code: 'VB_NUMBER_UNKNOWN' });
      for (const number of Object.values(ROOM_NUMBERS)) expect(error.message).toContain(number);
      expect(error.hint).toContain('--number');
    },
    40_000,
  );
});

describe('a journal that cannot be written: exit 3, and the number is untouched', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'voicebot-journal-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  test.each([
    ['the state directory is a file', () => writeFileSync(join(home, 'state'), '')],
    [
      'the folder of the journal is a file',
      () => {
        mkdirSync(join(home, 'state'));
        writeFileSync(join(home, 'state', 'leases'), '');
      },
    ],
  ])(
    '%s',
    async (_how, spoil) => {
      spoil();
      const { exitCode, error } = await runs.refused(runs.run({ home: join(home, 'state') }));
      expect({ exitCode, code: error.code }).toEqual({ exitCode: 3, code: 'VB_CONFIG_INVALID' });
      expect(error.message).toContain(join(home, 'state'));
      expect(error.hint).toContain('VOICEBOT_HOME');
    },
    40_000,
  );
});

describe('a journal with entries that cannot be read', () => {
  const spoilt = (account: string) => `plivo-${account}-${SHARED_NUMBER.slice(1)}.json`;

  test('they are kept aside as they are, which is said, and the run goes on and gives back', async () => {
    const garbage = new Map([
      [spoilt('0123456789ab'), randomBytes(300)],
      [spoilt('0123456789ac'), Buffer.from('')],
      [spoilt('0123456789ad'), Buffer.from('{"version":1,"leaseId":"abcdefgh","account":{"provider":"plivo"')],
      [spoilt('0123456789ae'), Buffer.from('[null]')],
    ]);
    mkdirSync(runs.leases, { recursive: true });
    for (const [name, bytes] of garbage) writeFileSync(join(runs.leases, name), bytes);

    const run = runs.run();
    await ready(run);
    const problems = run.events.all.filter(({ event }) => event === 'problem').map(({ message }) => message);
    for (const [name, bytes] of garbage) {
      const aside = readdirSync(runs.leases).filter((other) => other.startsWith(`${name}.corrupt-`));
      expect(aside).toHaveLength(1);
      const path = join(runs.leases, aside[0] ?? '');
      expect(readFileSync(path)).toEqual(bytes);
      expect(problems.filter((message) => message.includes(path))).toHaveLength(1);
    }
    run.signal('SIGINT');
    expect(await run.exit).toBe(130);
    await runs.expectAsBefore(run);
  }, 120_000);
});

describe('a number that another run holds', () => {
  test.each(BOTH)(
    '%s: exit 6 naming that process and --take, and it goes on',
    async (transport) => {
      const first = runs.run({ transport });
      await ready(first);
      const held = await runs.accounts.stored();

      const second = runs.run({ transport });
      expect(await second.exitWatched()).toBe(6);
      const [error] = second.events.all.filter(({ event }) => event === 'error');
      expect(error).toMatchObject({
        code: 'VB_NUMBER_HELD',
        message: expect.stringContaining(`process ${first.pid} `),
        hint: expect.stringContaining('--take'),
      });
      expect(await runs.accounts.stored()).toEqual(held);

      first.signal('SIGINT');
      expect(await first.exit).toBe(130);
      await runs.expectAsBefore(first, second);
    },
    60_000,
  );

  test.each(BOTH)(
    '%s: with --take the other one has it, and the last gives the original back',
    async (transport) => {
      const first = runs.run({ transport });
      const { was } = await ready(first);
      const second = runs.run({ transport, args: ['--take'] });
      expect((await ready(second)).was).toEqual(was);
      const held = await runs.accounts.stored();

      first.signal('SIGINT');
      expect(await first.exit).toBe(130);
      expect(told(first)).not.toContain('npx voicebot restore');
      expect(await runs.accounts.stored()).toEqual(held);

      second.signal('SIGINT');
      expect(await second.exit).toBe(130);
      await runs.expectAsBefore(first, second);
    },
    90_000,
  );
});

/** An address on this machine where nobody listens. */
async function nobody(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = originOf(server.address());
  await new Promise((resolve) => server.close(resolve));
  return origin;
}

const originOf = (address: ReturnType<ReturnType<typeof createServer>['address']>) =>
  `http://127.0.0.1:${(address as AddressInfo).port}`;
