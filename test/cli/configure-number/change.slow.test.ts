import { Accounts, SHARED_NUMBER } from '../../e2e/accounts.js';
import { until } from '../../e2e/processes.js';
import { Voicebot } from '../../e2e/voicebot.js';
import { TunnelServer } from '../../runner/tunnel/tunnel-server.js';
import { runOn } from '../on-account.js';

let accounts: Accounts;
let before: string[];
beforeEach(async () => {
  accounts = await Accounts.open();
  before = await accounts.stored();
}, 30_000);
afterEach(async () => {
  await using _ = accounts;
  expect(await accounts.stored()).toEqual(before);
}, 30_000);

/** Who answers the number now, as the command itself tells. */
async function answerer(): Promise<Record<string, unknown>> {
  const { events } = await runOn(accounts, 'configure-number --json');
  const numbers = events.flatMap((event) => event.numbers as Array<Record<string, unknown>>);
  return numbers.find(({ number }) => number === SHARED_NUMBER) ?? {};
}

test('a number is pointed at a run, follows it to another name, and goes back when it ends', async () => {
  await using run = new Voicebot(['run', '--transport', 'carrier', '--port', '0'], {
    home: accounts.home,
    cwd: accounts.home,
    environment: accounts.environment(),
  });
  const { publicUrl } = await run.event('ready', { tunnel: 'localtunnel' }, 30_000);
  const { exitCode, stderr } = await runOn(accounts, `configure-number ${SHARED_NUMBER} --yes`);
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining(`→ ${publicUrl}/answer`),
  });
  expect(await answerer()).toMatchObject({
    webhookUrl: `${publicUrl}/answer`,
    held: `process ${run.pid}`,
  });

  const { port } = accounts.tunnels;
  await accounts.tunnels.stop();
  accounts.tunnels = await TunnelServer.start({ port, baseName: 'other.localhost' });
  const { publicUrl: moved } = await run.event('tunnel_back', { moved: true }, 40_000);
  expect(moved).not.toBe(publicUrl);
  await until(async () => (await answerer()).webhookUrl === `${moved}/answer`, 'the number follows', 20_000);

  run.signal('SIGINT');
  expect(await run.exit).toBe(130);
  expect(run.events.all).toContainEqual(
    expect.objectContaining({ event: 'given_back', number: SHARED_NUMBER, outcome: 'restored' }),
  );
  expect(await accounts.stored()).toEqual(before);
}, 120_000);

test('a room provider that cannot be reached: exit 5', async () => {
  const environment = { ROOMS_API_URL: 'http://127.0.0.1:9/v1' };
  const { exitCode, stderr } = await runOn(accounts, 'configure-number', { transport: 'rooms', environment });
  expect(exitCode).toBe(5);
  expect(stderr).toContain('127.0.0.1:9');
}, 60_000);
