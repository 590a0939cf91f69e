import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountRuns, openAccountRuns, ready } from './account-runs.js';
import { SHARED_NUMBER } from './accounts.js';
import { until } from './processes.js';
import type { LineState } from './provider-line.js';

jest.setTimeout(60_000);

const STUBBORN = `${import.meta.dirname}/bots/stubborn.mjs`;

let runs: AccountRuns;

openAccountRuns((opened) => {
  runs = opened;
});

test.each([
  ['carrier', 'SIGTERM', 143],
  ['rooms', 'SIGHUP', 129],
] as const)('%s, %s: exit %i, and the number is given back', async (transport, signal, code) => {
  const run = runs.runHere({ transport });
  await run.ready();
  run.signal(signal);
  const { exitCode, events } = await run.ended;
  expect(exitCode).toBe(code);
  expect(events).toContainEqual(expect.objectContaining({ event: 'given_back', outcome: 'restored' }));
  await runs.expectAsBefore();
});

test('Ctrl-C while a bot does not end its call: the number is given back before the call has ended', async () => {
  const run = runs.run({ args: [STUBBORN] });
  await ready(run);
  await using caller = await runs.accounts.call();
  await run.events.next(({ event, call }) => event === 'call' && call.state === 'connected', 20_000);
  run.signal('SIGINT');
  expect(await run.exit).toBe(130);
  const news = run.events.all.map(({ event, call }) => call?.state ?? event);
  expect(news).toContain('ended');
  expect(news.slice(0, news.indexOf('ended'))).toContain('given_back');
  await caller.ended();
  await runs.expectAsBefore(run);
}, 90_000);

describe('the provider is down when the number is given back: exit 5 with the command that does it later', () => {
  test.each([
    ['carrier', 'silent'],
    ['rooms', 'broken'],
  ] as const)('%s, %s', async (transport, state: LineState) => {
    const run = runs.runHere({ transport });
    await run.ready();
    runs.line.state = state;
    run.signal('SIGINT');
    const { exitCode, events, told } = await run.ended;
    expect(exitCode).toBe(5);
    const [error, ...more] = events.filter(({ event }) => event === 'error');
    expect(error).toMatchObject({
      code: 'VB_RESTORE_FAILED',
      message: expect.stringContaining(SHARED_NUMBER),
      hint: expect.stringContaining('npx voicebot restore'),
    });
    expect(more).toEqual([]);
    expect(told).toContain('npx voicebot restore');
    expect(runs.journal()).toHaveLength(1);

    // Nor can `restore` while it is down.
    if (state === 'broken') {
      expect(await runs.restore(SHARED_NUMBER, '--force')).toBe(5);
      expect(runs.journal()).toHaveLength(1);
    }
    runs.line.state = 'up';
    expect(await runs.restore(SHARED_NUMBER, '--force')).toBe(0);
    await runs.expectAsBefore();
  });
});

test.each([
  ['was removed', false],
  ['cannot be written any more', true],
])('the number goes back though the journal %s', async (_what, isInTheWay) => {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-journal-'));
  const run = runs.runHere({ home });
  await run.ready();
  rmSync(home, { recursive: true });
  if (isInTheWay) writeFileSync(home, '');
  run.signal('SIGINT');
  const { exitCode, events, told } = await run.ended;
  expect(exitCode).toBe(130);
  expect(events).toContainEqual(expect.objectContaining({ event: 'given_back', outcome: 'restored' }));
  expect(told).not.toContain('restore');
  await runs.expectAsBefore();
  rmSync(home, { recursive: true, force: true });
});

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
