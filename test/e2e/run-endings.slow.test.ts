import { TunnelServer } from '../tunnel/tunnel-server.js';
import { AccountRuns, ready } from './account-runs.js';
import { isWrite, type LineState, type SentRequest } from './provider-line.js';
import type { Voicebot } from './voicebot.js';

const STUBBORN = `${import.meta.dirname}/bots/stubborn.mjs`;

let runs: AccountRuns;

beforeAll(async () => {
  runs = await AccountRuns.open();
}, 30_000);

afterEach(() => runs.tidy(), 30_000);

afterAll(() => runs[Symbol.asyncDispose](), 30_000);

/** `voicebot restore`, which has to succeed. */
async function restored(): Promise<Voicebot> {
  const restore = runs.command(['restore']);
  expect(await restore.exitWatched()).toBe(0);
  return restore;
}

test('Ctrl-C while a bot does not end its call: the number is given back before the call has ended', async () => {
  const run = runs.run({ args: [STUBBORN] });
  await ready(run);
  await using caller = await runs.accounts.call();
  await run.events.next(({ event, call }) => event === 'call' && call.state === 'connected', 20_000);
  run.signal('SIGINT');
  expect(await run.exit).toBe(130);
  const told = run.events.all.map(({ event, call }) => call?.state ?? event);
  expect(told).toContain('ended');
  expect(told.slice(0, told.indexOf('ended'))).toContain('given_back');
  await caller.ended();
  await runs.expectAsBefore(run);
}, 90_000);

describe('the provider is down when the number is given back: exit 5, and `restore` does it later', () => {
  test.each([
    ['carrier', 'silent'],
    ['rooms', 'broken'],
    ['rooms', 'silent'],
  ] as const)(
    '%s, %s',
    async (transport, state: LineState) => {
      const run = runs.run({ transport });
      await ready(run);
      runs.line.state = state;
      run.signal('SIGINT');
      expect(await run.exit).toBe(5);
      expect(run.events.all).toContainEqual(expect.objectContaining({ event: 'error', code: 'VB_RESTORE_FAILED' }));
      expect(runs.journal()).toHaveLength(1);

      // Nor can `restore` while it is down.
      if (state === 'broken') {
        expect(await runs.command(['restore']).exitWatched()).toBe(5);
        expect(runs.journal()).toHaveLength(1);
      }
      runs.line.state = 'up';
      await runs.expectAsBefore(run, await restored());
    },
    150_000,
  );
});

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
