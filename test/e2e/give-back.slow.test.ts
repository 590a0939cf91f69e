import { type AccountRuns, openAccountRuns, ready } from './account-runs.js';
import { callAndGiveBack, startedIn, WAYS } from './give-back.js';

/** Longer than from the start of a run to the end of its stop. */
const LONGEST_RUN_MS = 6_000;

let runs: AccountRuns;

openAccountRuns((opened) => {
  runs = opened;
});

test.each([WAYS.legacyArray, WAYS.noSettings])(
  '$transport, $how: run, call, Ctrl-C, and every byte is as before',
  (way) => callAndGiveBack(runs, way),
  90_000,
);

test.each(Object.values(WAYS))(
  '$transport, $how: killed at two random moments, each followed by a start, and every byte is as before',
  async (way) => {
    const told: string[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const afterMs = Math.round(Math.random() * LONGEST_RUN_MS);
      const killed = startedIn(runs, way);
      const timers = [
        setTimeout(() => killed.signal('SIGINT'), LONGEST_RUN_MS * 0.8),
        setTimeout(() => killed.signal('SIGKILL'), afterMs),
      ];
      await killed.exit;
      for (const timer of timers) clearTimeout(timer);
      told.push(`killed after ${afterMs} ms, with ${killed.events.all.map(({ event }) => event).join(' ')}`);
      await killed[Symbol.asyncDispose]();

      const next = startedIn(runs, way);
      await ready(next).catch((cause: unknown) => {
        throw new Error(told.join('\n'), { cause });
      });
      next.signal('SIGINT');
      expect([await next.exit, ...told]).toEqual([130, ...told]);
      expect([...told, ...(await runs.accounts.stored())]).toEqual([...told, ...runs.before]);
    }
  },
  120_000,
);
