import { type AccountRuns, openAccountRuns, type Transport, told } from './account-runs.js';
import { isWrite, type SentRequest } from './provider-line.js';

const TRANSPORTS = ['carrier', 'rooms'] as const;

let runs: AccountRuns;

openAccountRuns((opened) => {
  runs = opened;
});

test.each(TRANSPORTS)(
  '%s: Ctrl-C at every request of the start leaves nothing changed',
  async (transport) => {
    let isReady = false;
    for (let n = 1; !isReady; n += 1) {
      runs.line.requests.length = 0;
      const run = runs.runHere({ transport });
      const interrupt = () => runs.line.requests.length === n && run.signal('SIGINT');
      // Now before the provider has heard of it, now after.
      if (n % 2 === 0) runs.line.afterProvider = interrupt;
      else runs.line.beforeProvider = interrupt;
      isReady = await run.ready().then(
        () => true,
        () => false, // it has ended
      );
      if (isReady) run.signal('SIGINT');
      const { exitCode, told: said } = await run.ended;
      expect([n, exitCode, exitCode === 130 ? '' : said]).toEqual([n, 130, '']);
      await runs.expectAsBefore();
      runs.line.repair();
      expect(n).toBeLessThan(30);
    }
  },
  120_000,
);

/** Whether it points the number at the run. */
const isPointing: Record<Transport, (sent: SentRequest) => boolean> = {
  carrier: isWrite,
  rooms: (sent) => isWrite(sent) && sent.path.includes('dialin'),
};

test.each(TRANSPORTS)(
  '%s: a process that gets SIGINT while it points the number at itself leaves nothing changed, and no process',
  async (transport) => {
    const run = runs.run({ transport });
    runs.line.afterProvider = (sent) => isPointing[transport](sent) && run.signal('SIGINT');
    expect([await run.exitWatched(), told(run)]).toEqual([130, '']);
    expect(run.events.all.map(({ event }) => event)).not.toContain('ready');
    await runs.expectAsBefore(run);
  },
  60_000,
);

test('SIGINT at random moments of the start of a process leaves nothing changed', async () => {
  for (const transport of TRANSPORTS) {
    const run = runs.run({ transport });
    const afterMs = Math.round(Math.random() * 2_500);
    const timer = setTimeout(() => run.signal('SIGINT'), afterMs);
    // Before there is anything to tidy up the signal ends the process itself.
    const exitCode = await run.exitWatched();
    expect([afterMs, exitCode ?? 130]).toEqual([afterMs, 130]);
    clearTimeout(timer);
    await runs.expectAsBefore(run);
  }
}, 120_000);
