import { TunnelServer } from '../runner/tunnel/tunnel-server.js';
import { type AccountRuns, openAccountRuns, ready } from './account-runs.js';
import { isWrite, type SentRequest } from './provider-line.js';

let runs: AccountRuns;

openAccountRuns((opened) => {
  runs = opened;
});

describe('killed while its tunnel moves to another name, then `voicebot restore`', () => {
  test.each([
    ['carrier', 'after'],
    ['rooms', 'before'],
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
      expect(await runs.restore()).toBe(0);
      await runs.expectAsBefore(run);
    },
    180_000,
  );
});
