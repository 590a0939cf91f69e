import { type AccountRuns, openAccountRuns } from './account-runs.js';
import { callAndGiveBack, environmentOf, startedIn, WAYS } from './give-back.js';

/** Longer than from the start of a run to the end of its stop. */
const LONGEST_RUN_MS = 6_000;

let runs: AccountRuns;

openAccountRuns((opened) => {
  runs = opened;
});

test.each([WAYS.ownApplication, WAYS.ownSettings])(
  '$transport, $how: run, call, Ctrl-C, and every byte is as before',
  (way) => callAndGiveBack(runs, way),
  60_000,
);

test.each([WAYS.legacyArray, WAYS.noSettings])(
  '$transport, $how: run, call, Ctrl-C, and every byte is as before',
  async (way) => {
    const run = runs.runHere({ transport: way.transport, environment: environmentOf(way) });
    await run.ready();
    expect(await runs.accounts.stored()).not.toEqual(runs.before);
    await using _caller = await runs.accounts.call(way.number);
    await run.shown('"event":"call"');
    run.signal('SIGINT');
    const { exitCode, events } = await run.ended;
    expect(exitCode).toBe(130);
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'given_back', number: way.number, outcome: 'restored' }),
    );
    const ends = events.filter(({ event, call }) => event === 'call' && call.state === 'ended');
    expect(ends).toMatchObject([{ call: { endReason: 'runner_stopped' } }]);
    await runs.expectAsBefore();
  },
  60_000,
);

test.each(Object.values(WAYS))(
  '$transport, $how: killed at a random moment and started again, every byte is as before',
  async (way) => {
    const afterMs = Math.round(Math.random() * LONGEST_RUN_MS);
    const killed = startedIn(runs, way);
    const timers = [
      setTimeout(() => killed.signal('SIGINT'), LONGEST_RUN_MS * 0.8),
      setTimeout(() => killed.signal('SIGKILL'), afterMs),
    ];
    await killed.exit;
    for (const timer of timers) clearTimeout(timer);
    const told = `killed after ${afterMs} ms, with ${killed.events.all.map(({ event }) => event).join(' ')}`;

    const next = runs.runHere({ transport: way.transport, environment: environmentOf(way) });
    await next.ready().catch((cause: unknown) => {
      throw new Error(told, { cause });
    });
    next.signal('SIGINT');
    expect([told, (await next.ended).exitCode]).toEqual([told, 130]);
    expect([told, ...(await runs.accounts.stored())]).toEqual([told, ...runs.before]);
  },
  60_000,
);
