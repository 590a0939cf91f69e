import { type AccountRuns, openAccountRuns, told } from './account-runs.js';
import { until } from './processes.js';

let runs: AccountRuns;

openAccountRuns((opened) => {
  runs = opened;
});

test.each(['carrier', 'rooms'] as const)(
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
