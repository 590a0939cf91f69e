import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Accounts, ROOM_NUMBERS, SHARED_NUMBER } from '../e2e/accounts.js';
import { DESK, FREE_NUMBER, openAccountsForEachTest, SERVER } from './accounts-for-each-test.js';
import { pointAtRun } from './left-numbers.js';
import { runOn, type StartOn } from './on-account.js';
import { ProviderProxy } from './provider-proxy.js';
import { withoutPauses } from './without-pauses.js';

let accounts: Accounts;
let before: string[];
openAccountsForEachTest((opened, stored) => {
  accounts = opened;
  before = stored;
});
afterEach(() => accounts[Symbol.asyncDispose]());

const restore = (args = '', options?: StartOn) => runOn(accounts, `restore${args && ' '}${args}`, options);
const records = () => readdirSync(join(accounts.home, 'leases')).filter((name) => name.endsWith('.json'));

test('says so when there is nothing to do', async () => {
  const { exitCode, stdout, stderr } = await restore();
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  expect(stderr).toContain('There is no number to give back.\n');
  expect((await restore(SHARED_NUMBER)).stderr).toContain(`No run has left ${SHARED_NUMBER} to be given back.\n`);
  expect((await restore('--json')).events).toEqual([]);
});

test('gives back what runs of both accounts have left, byte for byte', async () => {
  await pointAtRun(accounts, 'carrier', SHARED_NUMBER);
  for (const number of Object.values(ROOM_NUMBERS)) await pointAtRun(accounts, 'rooms', number);
  expect(await accounts.stored()).not.toEqual(before);
  const { exitCode, stderr } = await restore('', { transport: 'both' });
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`${SHARED_NUMBER} was given back to ${DESK} (application front-desk)\n`);
  expect(stderr).toContain(`${ROOM_NUMBERS.none} was given back: no server answers it, as before\n`);
  expect(await accounts.stored()).toEqual(before);
  expect(records()).toEqual([]);
});

test('gives back the one number that is named, and leaves the others', async () => {
  await pointAtRun(accounts, 'carrier', SHARED_NUMBER);
  await pointAtRun(accounts, 'carrier', FREE_NUMBER);
  const { events } = await restore(`${SHARED_NUMBER} --json`);
  expect(events).toEqual([
    {
      version: 1,
      event: 'restored',
      provider: expect.any(String),
      number: SHARED_NUMBER,
      outcome: 'restored',
      route: expect.objectContaining({ webhookUrl: DESK }),
    },
  ]);
  expect((await restore('--json')).events).toMatchObject([{ number: FREE_NUMBER, outcome: 'restored' }]);
  expect(await accounts.stored()).toEqual(before);
});

test('leaves a number that somebody else has set meanwhile', async () => {
  await pointAtRun(accounts, 'carrier', SHARED_NUMBER);
  const [record = ''] = records();
  const path = join(accounts.home, 'leases', record);
  const written = readFileSync(path);
  await restore();
  writeFileSync(path, written); // as though the front desk had been set by hand
  const { exitCode, stderr } = await restore();
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`${SHARED_NUMBER} needed no change, it is answered as before: ${DESK}`);
  expect(await accounts.stored()).toEqual(before);
});

test.each([
  ['a run that lives holds', 'held', '--force'],
  ['configure-number has set', 'kept', '--reset'],
] as const)(
  'leaves a number that %s, says what to type, and gives it back with --force',
  async (_who, outcome, way) => {
    if (outcome === 'held') await pointAtRun(accounts, 'carrier', SHARED_NUMBER, 'alive');
    else await runOn(accounts, `configure-number ${SHARED_NUMBER} --url ${SERVER} --yes`);
    const set = await accounts.stored();
    for (const args of ['', SHARED_NUMBER]) {
      const { exitCode, stderr } = await restore(args);
      expect({ args, exitCode, stderr }).toEqual({ args, exitCode: 0, stderr: expect.stringContaining(way) });
    }
    expect((await restore('--json')).events).toMatchObject([{ event: 'restored', number: SHARED_NUMBER, outcome }]);
    expect(await accounts.stored()).toEqual(set);
    const { exitCode, stderr } = await restore(`${SHARED_NUMBER} --force`);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('was given back to') });
    expect(await accounts.stored()).toEqual(before);
  },
);

test('without the credentials of its account: exit 3, and the number waits; the others have their turn', async () => {
  await pointAtRun(accounts, 'carrier', SHARED_NUMBER);
  await pointAtRun(accounts, 'rooms', ROOM_NUMBERS.own);
  const { exitCode, stderr } = await restore();
  expect(exitCode).toBe(3);
  expect(stderr).toContain(`${SHARED_NUMBER} was given back`);
  expect(stderr).toContain(`✖ Credentials are missing: those of the account that has ${ROOM_NUMBERS.own}\n`);
  expect(stderr).toContain('  Set ROOMS_API_KEY as in that run');
  expect(records()).toHaveLength(1);
  expect((await restore('', { transport: 'rooms' })).exitCode).toBe(0);
  expect(await accounts.stored()).toEqual(before);
});

test('credentials of another account are not used: exit 3', async () => {
  await pointAtRun(accounts, 'rooms', ROOM_NUMBERS.own);
  const environment = { ROOMS_API_KEY: 'the-key-of-quite-another-account' };
  const { exitCode, stderr } = await restore('', { transport: 'rooms', environment });
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('Set ROOMS_API_KEY') });
  expect(records()).toHaveLength(1);
});

test('a provider that fails: exit 5 with the next command, and the number waits', async () => {
  await using broken = await ProviderProxy.start(accounts.sandbox.apiUrl);
  // The account is known by its address too: the run has met the provider there.
  const behind = { environment: { CARRIER_API_URL: broken.url } };
  expect((await runOn(accounts, `configure-number ${FREE_NUMBER} --url ${SERVER}`, behind)).exitCode).toBe(0);
  broken.isFailing = true;
  const { exitCode, stderr } = await withoutPauses(() => restore(`${FREE_NUMBER} --force`, behind));
  expect(exitCode).toBe(5);
  expect(stderr).toContain(`${FREE_NUMBER} could not be given back: `);
  expect(stderr).toContain('npx voicebot restore');
  expect(stderr).toContain('VB_RESTORE_FAILED');
  expect(records()).toHaveLength(1);
  const failed = await withoutPauses(() => restore(`${FREE_NUMBER} --force --json`, behind));
  expect(failed.events).toMatchObject([
    { event: 'restored', outcome: 'failed', problem: expect.any(String) },
    { event: 'error', code: 'VB_RESTORE_FAILED' },
  ]);
  broken.isFailing = false;
  expect((await restore(`${FREE_NUMBER} --force`, behind)).exitCode).toBe(0);
  expect(await accounts.stored()).toEqual(before);
});

test('credentials that are refused: exit 4, naming the variables, and the number waits', async () => {
  await pointAtRun(accounts, 'carrier', SHARED_NUMBER);
  const environment = { CARRIER_AUTH_TOKEN: 'wrong-but-long-enough-to-be-one' };
  const { exitCode, stderr } = await restore('', { environment });
  expect(exitCode).toBe(4);
  expect(stderr).toContain('Check CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN');
  expect(records()).toHaveLength(1);
});

test('what cannot be read is put aside and said, never guessed at', async () => {
  await pointAtRun(accounts, 'carrier', SHARED_NUMBER);
  await pointAtRun(accounts, 'carrier', FREE_NUMBER);
  const [broken = ''] = records();
  const path = join(accounts.home, 'leases', broken);
  const half = readFileSync(path, 'utf8').slice(0, 200);
  writeFileSync(path, half);
  const { exitCode, stderr } = await restore();
  expect(exitCode).toBe(0);
  const [aside = ''] = readdirSync(join(accounts.home, 'leases')).filter((name) => name.includes('.corrupt-'));
  expect(stderr).toContain(`put aside: ${join(accounts.home, 'leases', aside)}`);
  expect(stderr).toContain('npx voicebot configure-number');
  expect(readFileSync(join(accounts.home, 'leases', aside), 'utf8')).toBe(half);
  expect(stderr.match(/was given back/g)).toHaveLength(1);
  expect((await restore('--json')).events).toEqual([]);
});

test('everything that is wrong with the command line, at once: exit 2', async () => {
  const bad = await restore('5551234567');
  expect({ exitCode: bad.exitCode, stderr: bad.stderr }).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('number 5551234567: '),
  });
  const forced = await restore('--force');
  expect({ exitCode: forced.exitCode, stderr: forced.stderr }).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--force needs a number'),
  });
});
