/**
 * A runner of campaigns that can be killed: `<state folder> <log of calls> <address of the Redis or -> <rows> <calls at once>`.
 * Each call takes a while to be placed and talks for ever. Writes the identifier of its campaign.
 */
import { pause } from '../../../src/base/async/pause.js';
import { FakePhones } from './fake-phones.js';
import { openRunner } from './runner-of-campaigns.js';

/** How long the provider takes to answer a request, in milliseconds. */
const PLACING_MS = 200;

class SlowPhones extends FakePhones {
  override readonly dial = async (call: Parameters<FakePhones['dial']>[0]): Promise<void> => {
    this.place(call);
    await pause(PLACING_MS);
  };
}

const [stateDirectory = '', log = '', url = '-', rows = '10', atOnce = '3', id = ''] = process.argv.slice(2);
const phones = new SlowPhones(() => 'talks', log);
const runner = await openRunner(phones, stateDirectory, url === '-' ? undefined : url, id, new Set());
const campaign = await runner.begin(Number(rows), { atOnce: Number(atOnce) });
process.stdout.write(`${campaign}\n`);
