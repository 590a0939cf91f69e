import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningRunner, RunningRunners } from '../../../src/runners/running-runners.js';
import { type Accounts, ROOM_NUMBERS, SHARED_NUMBER } from '../../e2e/accounts.js';
import { AUTH_ID, AUTH_TOKEN } from '../../sandbox/fake-caller.js';
import { DESK, FREE_NUMBER, openAccountsForEachTest, SERVER } from '../accounts-for-each-test.js';
import { FakeRunner } from '../fake-runner.js';
import { Keyboard } from '../keyboard.js';
import { pointAtRun } from '../left-numbers.js';
import { runOn, type StartOn, startOn } from '../on-account.js';
import { withoutPauses } from '../without-pauses.js';

let accounts: Accounts;
let before: string[];
openAccountsForEachTest((opened, stored) => {
  accounts = opened;
  before = stored;
});
afterEach(async () => {
  await using _ = accounts;
  expect(await accounts.stored()).toEqual(before); // each test leaves both accounts as they were
});

const configure = (args: string, options?: StartOn) =>
  runOn(accounts, `configure-number${args && ' '}${args}`, options);

/** Who answers a number now, as the command itself tells. */
async function answerer(number: string, options?: StartOn): Promise<Record<string, unknown>> {
  const { events } = await configure('--json', options);
  const numbers = events.flatMap((event) => event.numbers as Array<Record<string, unknown>>);
  return numbers.find((one) => one.number === number) ?? {};
}

/** Announces a runner of this process that takes calls. @returns the way back */
function announce({ port, url }: FakeRunner, webhooks: NonNullable<RunningRunner['webhooks']>) {
  return new RunningRunners(accounts.home).announce({
    version: 1,
    pid: process.pid,
    port,
    url,
    startedAt: 1,
    webhooks,
  });
}

describe('the list', () => {
  test('says of every number of each account who answers it, as a table on standard output', async () => {
    const { exitCode, stdout, stderr } = await configure('', { transport: 'both' });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head?.split(/ {2,}/)).toEqual(['NUMBER', 'ACCOUNT', 'ANSWERED BY']);
    expect(rows).toHaveLength(20);
    expect(rows).toContain(`${SHARED_NUMBER}  plivo    ${DESK} (application front-desk)`);
    expect(rows).toContain(`${FREE_NUMBER}  plivo    no server`);
    expect(rows).toContain(`${ROOM_NUMBERS.none}  rooms    no server`);
  });

  test('says who holds a number', async () => {
    await pointAtRun(accounts, 'carrier', SHARED_NUMBER);
    await configure(`${FREE_NUMBER} --url ${SERVER}`);
    const { stdout, stderr } = await configure('');
    expect(stdout.split('\n')[0]).toMatch(/ANSWERED BY +HELD BY$/);
    expect(stdout).toMatch(/\+12025550119 .* process 1073741824, which has ended\n/);
    expect(stderr).toContain(`The run that held ${SHARED_NUMBER} has ended without giving back`);
    expect(stderr).toContain('npx voicebot restore');
    expect(stdout).toMatch(/\+12025550118 .* configure-number\n/);
    await configure(`${FREE_NUMBER} --reset`);
    await runOn(accounts, 'restore');
  });

  test('is one event for each account with --json', async () => {
    const { events, stderr } = await configure('--json', { transport: 'both' });
    expect(stderr).toBe('');
    expect(events).toMatchObject([
      { version: 1, event: 'numbers', transport: 'carrier', sandbox: false },
      { version: 1, event: 'numbers', transport: 'rooms', sandbox: false },
    ]);
    expect((await configure('--json --transport rooms', { transport: 'both' })).events).toEqual([events[1]]);
    expect(events[0]?.numbers).toContainEqual({
      number: SHARED_NUMBER,
      webhookUrl: DESK,
      heldBy: 'application front-desk',
      isOurs: false,
      takesCalls: true,
      isUnanswered: false,
      isFallback: true,
    });
  });

  test('without an account is that of the sandbox of a running runner', async () => {
    await using runner = await FakeRunner.start();
    const { port, url } = runner;
    const account = {
      authId: AUTH_ID,
      authToken: AUTH_TOKEN,
      apiUrl: accounts.sandbox.apiUrl,
      roomsApiKey: accounts.environment().ROOMS_API_KEY as string,
      roomsApiUrl: accounts.sandbox.roomsApiUrl,
    };
    const withdraw = await new RunningRunners(accounts.home).announce({
      version: 1,
      pid: process.pid,
      port,
      url,
      startedAt: 1,
      sandbox: { url: accounts.sandbox.url, phoneToken: 'none', number: accounts.sandbox.number, account },
      webhooks: { transport: 'rooms', publicUrl: url },
    });
    const ofRunner = await configure('', { transport: 'none' });
    expect(ofRunner.exitCode).toBe(0);
    expect(ofRunner.stdout).toMatch(/\+12025550100 {2}rooms \(sandbox\) {2}/);
    const named = await configure('--transport carrier', { transport: 'none' });
    expect(named.stdout).toMatch(/\+12025550100 {2}plivo \(sandbox\) {2}/);
    await withdraw();
  });
});

describe('a number is pointed', () => {
  test('at a voicebot by its origin, and --reset puts back what was there', async () => {
    const set = await configure(`${SHARED_NUMBER} --url ${SERVER} --yes`);
    expect(set.exitCode).toBe(0);
    expect(set.stderr).toBe(
      `${SHARED_NUMBER}  ${DESK} (application front-desk)\n              → ${SERVER}/answer\n` +
        `✔ ${SHARED_NUMBER} points there now. Put it back with: npx voicebot configure-number ${SHARED_NUMBER} --reset\n`,
    );
    expect(await answerer(SHARED_NUMBER)).toMatchObject({
      webhookUrl: `${SERVER}/answer`,
      held: 'configure-number',
    });
    const reset = await configure(`${SHARED_NUMBER} --reset`);
    expect(reset.exitCode).toBe(0);
    expect(reset.stderr).toContain(`${SHARED_NUMBER} was given back to ${DESK} (application front-desk)\n`);
  });

  test('at a voicebot in the server of an application by its path, with the slash', async () => {
    expect((await configure(`${FREE_NUMBER} --url ${SERVER}/voicebot/`)).exitCode).toBe(0);
    expect(await answerer(FREE_NUMBER)).toMatchObject({ webhookUrl: `${SERVER}/voicebot/answer` });
    await configure(`${FREE_NUMBER} --reset`);
  });

  test('at any webhook by its whole address', async () => {
    expect((await configure(`${FREE_NUMBER} --url http://127.0.0.1:9/shop?desk=3`)).exitCode).toBe(0);
    expect(await answerer(FREE_NUMBER)).toMatchObject({ webhookUrl: 'http://127.0.0.1:9/shop?desk=3' });
    await configure(`${FREE_NUMBER} --reset`);
  });

  test.each(Object.entries(ROOM_NUMBERS))('at a voicebot at the room provider: %s', async (_where, number) => {
    const rooms = { transport: 'rooms' } as const;
    const { exitCode, events } = await configure(`${number} --url ${SERVER} --yes --json`, rooms);
    expect(exitCode).toBe(0);
    const after = `${SERVER}/rooms-dialin-webhook`;
    expect(events).toEqual([
      {
        version: 1,
        event: 'configured',
        number,
        transport: 'rooms',
        before: expect.objectContaining({ number }),
        after,
        dryRun: false,
        changed: true,
      },
    ]);
    expect(await answerer(number, rooms)).toMatchObject({ webhookUrl: after });
    expect((await configure(`${number} --reset --json`, rooms)).events).toMatchObject([
      { event: 'restored', number, outcome: 'restored' },
    ]);
  });

  test('at the runner of this machine, which holds it from then on', async () => {
    await using runner = await FakeRunner.start();
    const withdraw = await announce(runner, { transport: 'carrier', publicUrl: SERVER });
    const { exitCode, stderr } = await configure(`${SHARED_NUMBER} --yes`);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`→ ${SERVER}/answer`) });
    expect(await answerer(SHARED_NUMBER)).toMatchObject({
      webhookUrl: `${SERVER}/answer`,
      held: `process ${process.pid}`,
    });
    await withdraw();
    await runOn(accounts, `restore ${SHARED_NUMBER} --force`);
  });

  test('twice, and the second time changes nothing', async () => {
    await configure(`${FREE_NUMBER} --url ${SERVER}`);
    const { exitCode, stderr } = await configure(`${FREE_NUMBER} --url ${SERVER}`);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('points there already'),
    });
    await configure(`${FREE_NUMBER} --reset`);
  });

  test('elsewhere, and --reset puts back what was there before the first time', async () => {
    await configure(`${SHARED_NUMBER} --url ${SERVER} --yes`);
    expect((await configure(`${SHARED_NUMBER} --url http://other.localhost:9`)).exitCode).toBe(0);
    expect((await configure(`${SHARED_NUMBER} --reset`)).exitCode).toBe(0);
  });
});

describe('--dry-run', () => {
  test('shows the difference and changes nothing', async () => {
    const { exitCode, stderr } = await configure(`${SHARED_NUMBER} --url ${SERVER} --dry-run`);
    expect(exitCode).toBe(0);
    expect(stderr).toBe(
      `${SHARED_NUMBER}  ${DESK} (application front-desk)\n              → ${SERVER}/answer\nNothing was changed (--dry-run).\n`,
    );
    const { events } = await configure(`${SHARED_NUMBER} --url ${SERVER} --dry-run --json`);
    expect(events).toMatchObject([
      { event: 'configured', before: { webhookUrl: DESK }, after: `${SERVER}/answer`, dryRun: true, changed: false },
    ]);
  });

  test('of --reset too', async () => {
    await configure(`${SHARED_NUMBER} --url ${SERVER} --yes`);
    const { exitCode, events } = await configure(`${SHARED_NUMBER} --reset --dry-run --json`);
    expect(exitCode).toBe(0);
    expect(events).toMatchObject([
      { event: 'configured', before: { webhookUrl: `${SERVER}/answer` }, after: DESK, dryRun: true, changed: false },
    ]);
    expect(await answerer(SHARED_NUMBER)).toMatchObject({ webhookUrl: `${SERVER}/answer` });
    await configure(`${SHARED_NUMBER} --reset`);
  });
});

describe("before somebody else's webhook is replaced", () => {
  test.each(['y', 'Yes'])('the person at the terminal is asked, and says %s', async (answer) => {
    const keyboard = new Keyboard();
    const asked = startOn(accounts, `configure-number ${SHARED_NUMBER} --url ${SERVER}`, { keyboard });
    await asked.shown('Replace it? [y/N]');
    await keyboard.type(`${answer}\n`);
    expect((await asked.finished).exitCode).toBe(0);
    expect(await answerer(SHARED_NUMBER)).toMatchObject({ webhookUrl: `${SERVER}/answer` });
    await configure(`${SHARED_NUMBER} --reset`);
  });

  test.each(['', 'n', 'yellow'])('anything else leaves it: %j', async (answer) => {
    const keyboard = new Keyboard();
    const asked = startOn(accounts, `configure-number ${SHARED_NUMBER} --url ${SERVER}`, { keyboard });
    await asked.shown('Replace it? [y/N]');
    await keyboard.type(`${answer}\n`);
    const { exitCode, stderr } = await asked.finished;
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/Nothing was changed\.\n$/);
  });

  test('Ctrl-C leaves it: exit 130', async () => {
    const keyboard = new Keyboard();
    const asked = startOn(accounts, `configure-number ${SHARED_NUMBER} --url ${SERVER}`, { keyboard });
    await asked.shown('Replace it? [y/N]');
    keyboard.end();
    expect((await asked.finished).exitCode).toBe(130);
  });

  test('a program must say --yes: exit 2', async () => {
    const { exitCode, stderr } = await configure(`${SHARED_NUMBER} --url ${SERVER}`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      `✖ ${SHARED_NUMBER} is answered by ${DESK} (application front-desk): replace it with --yes`,
    );
  });

  test('nobody is asked about a number that nobody answers', async () => {
    expect((await configure(`${FREE_NUMBER} --url ${SERVER}`)).exitCode).toBe(0);
    await configure(`${FREE_NUMBER} --reset`);
  });
});

describe('refused, with nothing changed', () => {
  test("a number that is not the account's: exit 3 with those that are", async () => {
    const { exitCode, stderr } = await configure(`+12025550199 --url ${SERVER}`);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('+12025550199 is not on this account: it has +12025550100, +12025550111');
    expect(stderr).toContain('npx voicebot configure-number\n  VB_NUMBER_UNKNOWN');
  });

  test.each([
    ['carrier', 'CARRIER_AUTH_TOKEN', 'CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN'],
    ['rooms', 'ROOMS_API_KEY', 'ROOMS_API_KEY'],
  ] as const)('credentials of the %s account that the provider refuses: exit 4', async (transport, variable, named) => {
    const environment = { [variable]: 'wrong-but-long-enough-to-be-one' };
    const { exitCode, stderr } = await configure(`${SHARED_NUMBER} --url ${SERVER}`, { transport, environment });
    expect(exitCode).toBe(4);
    expect(stderr).toContain(named);
    expect(stderr).not.toContain(environment[variable]);
  });

  test('a provider that cannot be reached: exit 5', async () => {
    const environment = { CARRIER_API_URL: 'http://127.0.0.1:9/v1' };
    const { exitCode, stderr } = await withoutPauses(() => configure('', { environment }));
    expect(exitCode).toBe(5);
    expect(stderr).toContain('127.0.0.1:9');
  });

  test('a number that a run holds: exit 6, naming the run; --take takes it', async () => {
    await pointAtRun(accounts, 'carrier', SHARED_NUMBER, 'alive');
    const refused = await configure(`${SHARED_NUMBER} --url ${SERVER}`);
    expect(refused.exitCode).toBe(6);
    expect(refused.stderr).toContain(`process ${process.pid}`);
    expect(refused.stderr).toContain('--take');
    const reset = await configure(`${SHARED_NUMBER} --reset`);
    expect({ exitCode: reset.exitCode, stderr: reset.stderr }).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('--take'),
    });
    expect((await configure(`${SHARED_NUMBER} --url ${SERVER} --take`)).exitCode).toBe(0);
    expect((await configure(`${SHARED_NUMBER} --reset`)).exitCode).toBe(0);
  });

  test('--reset of a number of which nothing is written down: exit 2, with who answers it', async () => {
    const { exitCode, stderr } = await configure(`${SHARED_NUMBER} --reset`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`It is answered by ${DESK} (application front-desk)`);
  });

  test('without --url and without a runner: exit 5, and the command that starts one', async () => {
    const { exitCode, stderr } = await configure(SHARED_NUMBER);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('npx voicebot run');
  });

  test('a runner of another provider: exit 5', async () => {
    await using runner = await FakeRunner.start();
    const withdraw = await announce(runner, { transport: 'rooms', publicUrl: 'https://bot.example.com' });
    const { exitCode, stderr } = await configure(SHARED_NUMBER);
    await withdraw();
    expect(exitCode).toBe(5);
    expect(stderr).toContain('npx voicebot run --transport carrier');
  });
});

test('--reset gives back what a run has left that is gone', async () => {
  await pointAtRun(accounts, 'carrier', SHARED_NUMBER);
  const { exitCode, stderr } = await configure(`${SHARED_NUMBER} --reset`);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('was given back to') });
});

test('a record that cannot be read is put aside and said, also when the command fails', async () => {
  await pointAtRun(accounts, 'carrier', SHARED_NUMBER);
  const [name = ''] = readdirSync(join(accounts.home, 'leases')).filter((one) => one.endsWith('.json'));
  const path = join(accounts.home, 'leases', name);
  await runOn(accounts, 'restore');
  for (const [args, exit] of [
    ['', 0],
    [`${SHARED_NUMBER} --reset`, 2],
  ] as const) {
    writeFileSync(path, '{"version":1,');
    const { exitCode, stderr } = await configure(args);
    expect({ args, exitCode }).toEqual({ args, exitCode: exit });
    expect(stderr).toContain(`could not be read and was put aside: ${path}.corrupt-`);
  }
});
