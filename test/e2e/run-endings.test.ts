import { AccountRuns, ready, told } from './account-runs.js';
import { SHARED_NUMBER } from './accounts.js';
import { until } from './processes.js';

let runs: AccountRuns;

beforeAll(async () => {
  runs = await AccountRuns.open();
}, 30_000);

afterEach(() => runs.tidy(), 30_000);

afterAll(() => runs[Symbol.asyncDispose](), 30_000);

test('the provider is down when the number is given back: exit 5 with the command that does it later, which does', async () => {
  const run = runs.run();
  await ready(run);
  runs.line.state = 'broken';
  run.signal('SIGINT');
  expect(await run.exit).toBe(5);
  const [error, ...more] = run.events.all.filter(({ event }) => event === 'error');
  expect(error).toMatchObject({
    code: 'VB_RESTORE_FAILED',
    message: expect.stringContaining(SHARED_NUMBER),
    hint: expect.stringContaining('npx voicebot restore'),
  });
  expect(more).toEqual([]);
  expect(told(run)).toContain('npx voicebot restore');
  expect(runs.journal()).toHaveLength(1);

  runs.line.state = 'up';
  expect(await runs.restore()).toBe(0);
  await runs.expectAsBefore(run);
}, 90_000);

test('the second Ctrl-C leaves without an answer of the provider, and says how to restore', async () => {
  const run = runs.run({ transport: 'rooms' });
  await ready(run);
  runs.line.state = 'silent';
  const { length } = runs.line.requests;
  run.signal('SIGINT');
  await until(() => runs.line.requests.length > length, 'the provider is asked', 20_000);
  run.signal('SIGINT');
  expect(await run.exit).toBe(130);
  const problems = run.events.all.filter(({ event }) => event === 'problem').map(({ message }) => message);
  expect(problems).toContainEqual(expect.stringMatching(/still points at this runner.*npx voicebot restore/));

  runs.line.state = 'up';
  expect(await runs.restore()).toBe(0);
  await runs.expectAsBefore(run);
}, 90_000);
