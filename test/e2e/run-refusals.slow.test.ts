import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { type AccountRuns, openAccountRuns, ready } from './account-runs.js';
import { SHARED_NUMBER } from './accounts.js';
import { originOf, unusedAddress } from './addresses.js';

let runs: AccountRuns;

openAccountRuns(
  (opened) => {
    runs = opened;
  },
  () => runs.expectAsBefore(),
);

async function serverThat(answers: RequestListener) {
  const server = createServer(answers).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: originOf(server), [Symbol.dispose]: close };
}

describe('nobody can be reached from outside: exit 5, and the number is untouched', () => {
  test('the tunnel server takes connections and says nothing', async () => {
    using silent = await serverThat(() => {});
    const { exitCode, error } = await runs.refused({ environment: { VOICEBOT_TUNNEL_SERVER: silent.origin } });
    expect(exitCode).toBe(5);
    expect(error).toMatchObject({ code: 'VB_TUNNEL_FAILED', message: expect.stringContaining('does not answer') });
  }, 90_000);

  test('the public address leads to another server', async () => {
    using foreign = await serverThat((_request, response) => response.end('{"ok":true}'));
    const { exitCode, error, told } = await runs.refused({ args: ['--public-url', foreign.origin] });
    expect(exitCode).toBe(5);
    expect(error).toMatchObject({ code: 'VB_TUNNEL_FAILED', message: expect.stringContaining(foreign.origin) });
    expect(told).toContain('--tunnel');
  }, 90_000);

  test('the public address leads nowhere', async () => {
    const { exitCode, error } = await runs.refused({ args: ['--public-url', await unusedAddress()] });
    expect({ exitCode, code: error.code }).toEqual({ exitCode: 5, code: 'VB_TUNNEL_FAILED' });
  }, 90_000);
});

test('rooms: a number that another run holds: exit 6, and with --take it changes hands', async () => {
  const first = runs.run({ transport: 'rooms' });
  const { was } = await ready(first);
  const { exitCode, error } = await runs.refused({ transport: 'rooms' });
  expect({ exitCode, code: error.code }).toEqual({ exitCode: 6, code: 'VB_NUMBER_HELD' });

  const second = runs.run({ transport: 'rooms', args: ['--take'] });
  expect((await ready(second)).was).toEqual(was);
  const taken = await runs.accounts.stored();
  first.signal('SIGINT');
  expect(await first.exit).toBe(130);
  expect(await runs.accounts.stored()).toEqual(taken);

  second.signal('SIGINT');
  expect(await second.exit).toBe(130);
  await runs.expectAsBefore(first, second);
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
