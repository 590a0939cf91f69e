import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Accounts } from './accounts.js';
import { Voicebot } from './voicebot.js';

test.each([
  ['was removed', false],
  ['cannot be written any more', true],
])(
  'the number goes back though the journal %s while the bot ran',
  async (_what, isInTheWay) => {
    await using accounts = await Accounts.open();
    const before = await accounts.stored();
    const home = join(accounts.home, 'state');
    const environment = accounts.environment();
    const args = ['run', '--transport', 'carrier', '--dialin', '--port', '0'];
    await using run = new Voicebot(args, { home, cwd: accounts.home, environment });
    await run.event('ready', {}, 30_000);
    rmSync(home, { recursive: true });
    if (isInTheWay) writeFileSync(home, '');
    run.signal('SIGINT');
    expect(await run.exit).toBe(130);
    expect(run.events.all).toContainEqual(expect.objectContaining({ event: 'given_back', outcome: 'restored' }));
    expect(run.lines.all.join('\n')).not.toContain('restore');
    expect(await accounts.stored()).toEqual(before);
  },
  60_000,
);
