import { TunnelServer } from '../tunnel/tunnel-server.js';
import { AccountRuns, ready, told } from './account-runs.js';
import { SHARED_NUMBER } from './accounts.js';
import { until } from './processes.js';
import { isWrite, type LineState, type SentRequest } from './provider-line.js';
import type { Voicebot } from './voicebot.js';

let runs: AccountRuns;

beforeAll(async () => {
  runs = await AccountRuns.open();
}, 30_000);

afterEach(() => runs.tidy(), 30_000);

afterAll(() => runs[Symbol.asyncDispose](), 30_000);

const BOTH = ['carrier', 'rooms'] as const;
const STUBBORN = `${import.meta.dirname}/bots/stubborn.mjs`;

/** `voicebot restore`, which has to succeed. */
async function restored(): Promise<Voicebot> {
  const restore = runs.command(['restore']);
  expect(await restore.exitWatched()).toBe(0);
  return restore;
}

test.each([
  ['carrier', 'SIGTERM', 143],
  ['carrier', 'SIGHUP', 129],
  ['rooms', 'SIGTERM', 143],
  ['rooms', 'SIGHUP', 129],
] as const)(
  '%s, %s: exit %i, and the number is given back',
  async (transport, signal, code) => {
    const run = runs.run({ transport });
    await ready(run);
    run.signal(signal);
    expect(await run.exit).toBe(code);
    expect(run.events.all).toContainEqual(expect.objectContaining({ event: 'given_back', outcome: 'restored' }));
    await runs.expectAsBefore(run);
  },
  120_000,
);

test('Ctrl-C while a bot does not end its call: the number is given back first, within five seconds', async () => {
  const run = runs.run({ args: [STUBBORN] });
  await ready(run);
  await using caller = await runs.accounts.call();
  await run.events.next(({ event, call }) => event === 'call' && call.state === 'connected', 20_000);
  const askedAt = performance.now();
  run.signal('SIGINT');
  await run.event('given_back', { outcome: 'restored' }, 20_000);
  const givenBackMs = performance.now() - askedAt;
  expect(await runs.accounts.stored()).toEqual(runs.before);
  expect(await run.exit).toBe(130);
  const ms = performance.now() - askedAt;
  process.stdout.write(`given back ${Math.round(givenBackMs)} ms after Ctrl-C, left after ${Math.round(ms)} ms\n`);
  await caller.ended();
  await runs.expectAsBefore(run);
}, 150_000);

describe('the provider is down when the number is given back: exit 5 with the command that does it later, which does', () => {
  test.each([
    ['carrier', 'broken'],
    ['carrier', 'silent'],
    ['rooms', 'broken'],
    ['rooms', 'silent'],
  ] as const)(
    '%s, %s',
    async (transport, state: LineState) => {
      const run = runs.run({ transport });
      await ready(run);
      runs.line.state = state;
      const askedAt = performance.now();
      run.signal('SIGINT');
      expect(await run.exit).toBe(5);
      const ms = Math.round(performance.now() - askedAt);
      process.stdout.write(`${transport}, ${state}: leaves ${ms} ms after Ctrl-C\n`);
      const [error, ...more] = run.events.all.filter(({ event }) => event === 'error');
      expect(error).toMatchObject({
        code: 'VB_RESTORE_FAILED',
        message: expect.stringContaining(SHARED_NUMBER),
        hint: expect.stringContaining('npx voicebot restore'),
      });
      expect(more).toEqual([]);
      expect(told(run)).toContain('npx voicebot restore');
      expect(runs.journal()).toHaveLength(1);

      // Nor can `restore` while it is down.
      if (state === 'broken') {
        expect(await runs.command(['restore']).exitWatched()).toBe(5);
        expect(runs.journal()).toHaveLength(1);
      }
      runs.line.state = 'up';
      const restore = await restored();
      await runs.expectAsBefore(run, restore);
    },
    150_000,
  );
});

test.each(BOTH)(
  '%s: the second Ctrl-C leaves at once and says how to restore',
  async (transport) => {
    const run = runs.run({ transport });
    await ready(run);
    runs.line.state = 'silent';
    run.signal('SIGINT');
    const { length } = runs.line.requests;
    await until(() => runs.line.requests.length > length, 'the provider is asked', 20_000);
    const askedAt = performance.now();
    run.signal('SIGINT');
    expect(await run.exit).toBe(130);
    const ms = performance.now() - askedAt;
    process.stdout.write(`${transport}: the second Ctrl-C leaves after ${Math.round(ms)} ms\n`);
    const problems = run.events.all.filter(({ event }) => event === 'problem').map(({ message }) => message);
    expect(problems).toContainEqual(expect.stringMatching(/still points at this runner.*npx voicebot restore/));

    runs.line.state = 'up';
    await runs.expectAsBefore(await restored(), run);
  },
  120_000,
);

test.each(BOTH)(
  '%s: Ctrl-C at every request of the start leaves nothing changed',
  async (transport) => {
    let isReady = false;
    for (let n = 1; !isReady; n += 1) {
      const run = runs.run({ transport });
      runs.line.requests.length = 0;
      const interrupt = () => runs.line.requests.length === n && run.signal('SIGINT');
      // Now before the provider has heard of it, now after.
      if (n % 2 === 0) runs.line.afterProvider = interrupt;
      else runs.line.beforeProvider = interrupt;
      const ended = run.exitWatched();
      let isOver = false;
      void ended.then(() => {
        isOver = true;
      });
      const hasStarted = () => run.events.all.some(({ event }) => event === 'ready');
      await until(() => isOver || hasStarted(), 'it is ready, or over', 60_000);
      isReady = hasStarted();
      if (isReady) run.signal('SIGINT');
      const exitCode = await ended;
      expect([n, exitCode, exitCode === 130 ? '' : told(run)]).toEqual([n, 130, '']);
      await runs.expectAsBefore(run);
      runs.line.repair();
      expect(n).toBeLessThan(30);
    }
  },
  400_000,
);

test('Ctrl-C at random moments of the start leaves nothing changed', async () => {
  for (let time = 1; time <= 5; time += 1) {
    const run = runs.run({ transport: time % 2 === 0 ? 'rooms' : 'carrier' });
    const afterMs = Math.round(Math.random() * 2_500);
    const timer = setTimeout(() => run.signal('SIGINT'), afterMs);
    // Before there is anything to tidy up the signal ends the process itself.
    const exitCode = await run.exitWatched();
    expect([afterMs, exitCode ?? 130]).toEqual([afterMs, 130]);
    clearTimeout(timer);
    await runs.expectAsBefore(run);
  }
}, 240_000);

describe('killed while its tunnel moves to another name, then `voicebot restore`', () => {
  test.each([
    ['carrier', 'before'],
    ['carrier', 'after'],
    ['rooms', 'before'],
    ['rooms', 'after'],
  ] as const)(
    '%s, %s the provider is told of the new name',
    async (transport, when) => {
      const run = runs.run({ transport });
      await ready(run);
      const { port } = runs.accounts.tunnels;
      await runs.accounts.tunnels.stop();
      await run.event('tunnel_lost', {}, 30_000);
      const kill = (sent: SentRequest) => {
        if (!isWrite(sent)) return;
        if (when === 'before') runs.line.state = 'broken';
        run.signal('SIGKILL');
      };
      runs.line[when === 'before' ? 'beforeProvider' : 'afterProvider'] = kill;
      const baseName = `moved-${transport}-${when}.localhost`;
      runs.accounts.tunnels = await TunnelServer.start({ port, baseName });
      expect(await run.exitWatched()).toBe(null);
      expect(run.events.all.map(({ event }) => event)).not.toContain('tunnel_back');
      expect(await runs.accounts.stored()).not.toEqual(runs.before);

      runs.line.repair();
      await runs.expectAsBefore(run, await restored());
    },
    180_000,
  );
});
