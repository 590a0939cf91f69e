import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { BotPool } from '../../src/runner/bots/bot-pool.js';
import { type AccountRuns, openAccountRuns, ready, told } from './account-runs.js';
import { SHARED_NUMBER } from './accounts.js';
import { originOf, unusedAddress } from './addresses.js';

let runs: AccountRuns;

openAccountRuns(
  (opened) => {
    runs = opened;
  },
  () => runs.expectAsBefore(),
);

afterEach(() => {
  jest.restoreAllMocks();
});

async function serverThat(answers: RequestListener) {
  const server = createServer(answers).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: originOf(server), [Symbol.dispose]: close };
}

test.each(['carrier', 'rooms'] as const)(
  '%s: the tunnel server is down: exit 5 with the other ways, and the number is untouched',
  async (transport) => {
    const environment = { VOICEBOT_TUNNEL_SERVER: await unusedAddress() };
    const { exitCode, error, told } = await runs.refused({ transport, environment });
    expect({ exitCode, code: error.code }).toEqual({ exitCode: 5, code: 'VB_TUNNEL_FAILED' });
    for (const way of ['--tunnel cloudflared', '--tunnel ngrok', '--public-url']) expect(told).toContain(way);
  },
  40_000,
);

test('nobody can be reached from outside: exit 5, and the number is untouched', async () => {
  jest.spyOn(BotPool.prototype, 'start').mockResolvedValue(); // the bot counts as loaded
  using silent = await serverThat(() => {});
  using foreign = await serverThat((_request, response) => response.end('{"ok":true}'));
  // Each takes its time, so all are tried at once.
  const [unanswered, elsewhere, nowhere] = await Promise.all([
    runs.refused({ environment: { VOICEBOT_TUNNEL_SERVER: silent.origin } }),
    runs.refused({ args: ['--public-url', foreign.origin] }),
    runs.refused({ args: ['--public-url', await unusedAddress()] }),
  ]);
  for (const { exitCode, error } of [unanswered, elsewhere, nowhere]) {
    expect({ exitCode, code: error.code }).toEqual({ exitCode: 5, code: 'VB_TUNNEL_FAILED' });
  }
  expect(unanswered.error.message).toContain('does not answer');
  expect(elsewhere.error.message).toContain(foreign.origin);
  expect(elsewhere.told).toContain('--tunnel');
}, 90_000);

test('a number that another run holds: exit 6 naming that process and --take; who takes it gives the original back', async () => {
  const first = runs.run();
  const { was } = await ready(first);
  const held = await runs.accounts.stored();

  const { exitCode, error } = await runs.refused();
  expect({ exitCode, code: error.code }).toEqual({ exitCode: 6, code: 'VB_NUMBER_HELD' });
  expect(error.message).toContain(`process ${first.pid} `);
  expect(error.hint).toContain('--take');
  expect(await runs.accounts.stored()).toEqual(held);

  const second = runs.run({ args: ['--take'] });
  expect((await ready(second)).was).toEqual(was);
  const taken = await runs.accounts.stored();
  first.signal('SIGINT');
  expect(await first.exit).toBe(130);
  expect(told(first)).not.toContain('npx voicebot restore');
  expect(await runs.accounts.stored()).toEqual(taken);

  second.signal('SIGINT');
  expect(await second.exit).toBe(130);
  await runs.expectAsBefore(first, second);
}, 90_000);

test('rooms: a number that another run holds: exit 6, and with --take it changes hands', async () => {
  const first = runs.run({ transport: 'rooms' });
  const { was } = await ready(first);
  const { exitCode, error } = await runs.refused({ transport: 'rooms' });
  expect({ exitCode, code: error.code }).toEqual({ exitCode: 6, code: 'VB_NUMBER_HELD' });

  const second = runs.runHere({ transport: 'rooms', args: ['--take'] });
  await second.ready();
  const taken = await runs.accounts.stored();
  first.signal('SIGINT');
  expect(await first.exit).toBe(130);
  expect(await runs.accounts.stored()).toEqual(taken);

  second.signal('SIGINT');
  const { exitCode: last, events } = await second.ended;
  expect(last).toBe(130);
  expect(events.find(({ event }) => event === 'ready')?.was).toEqual(was);
  await runs.expectAsBefore(first);
}, 90_000);

test('entries of the journal that cannot be read are kept aside, which is said, and the run goes on and gives back', async () => {
  const spoilt = (account: string) => `plivo-${account}-${SHARED_NUMBER.slice(1)}.json`;
  const garbage = new Map([
    [spoilt('0123456789ab'), randomBytes(300)],
    [spoilt('0123456789ac'), Buffer.from('')],
    [spoilt('0123456789ad'), Buffer.from('{"version":1,"leaseId":"abcdefgh","account":{"provider":"plivo"')],
    [spoilt('0123456789ae'), Buffer.from('[null]')],
  ]);
  mkdirSync(runs.leases, { recursive: true });
  for (const [name, bytes] of garbage) writeFileSync(join(runs.leases, name), bytes);

  const run = runs.runHere();
  await run.ready();
  run.signal('SIGINT');
  const { exitCode, events } = await run.ended;
  expect(exitCode).toBe(130);
  const problems = events.filter(({ event }) => event === 'problem').map(({ message }) => message);
  for (const [name, bytes] of garbage) {
    const aside = readdirSync(runs.leases).filter((other) => other.startsWith(`${name}.corrupt-`));
    expect(aside).toHaveLength(1);
    const path = join(runs.leases, aside[0] ?? '');
    expect(readFileSync(path)).toEqual(bytes);
    expect(problems.filter((message) => message.includes(path))).toHaveLength(1);
  }
  await runs.expectAsBefore();
}, 60_000);
