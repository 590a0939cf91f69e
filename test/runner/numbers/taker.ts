/**
 * A process that takes numbers of the sandbox and can be killed: `<API> <state folder> <host of its addresses>
 * <numbers, with commas> <whole|hold>`. `whole` takes, moves and gives back each; `hold` waits for a line, takes, waits for
 * another, and gives back. The key is in the environment. Writes what became of it, a line each.
 */
import { createInterface } from 'node:readline/promises';
import { silentLogger } from '../../../src/base/logger.js';
import { daily } from '../../../src/providers/daily/provider.js';
import { LeaseJournal } from '../../../src/runner/numbers/lease-journal.js';
import { NumberLease } from '../../../src/runner/numbers/number-lease.js';
import { restoreOrphans } from '../../../src/runner/numbers/restore-leases.js';

export const TAKER_SECRET = Buffer.from('the secret of the taker').toString('base64');

const [apiUrl = '', state = '', host = '', numbers = '', how = ''] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
const urlsAt = (origin: string) => ({
  answerUrl: `${origin}/rooms-dialin-webhook`,
  hangupUrl: `${origin}/rooms-dialin-webhook`,
});

async function main(): Promise<void> {
  const routing = await daily.createNumberRouting({ apiKey: process.env.ROOMS_API_KEY ?? '', apiUrl });
  const account = { provider: daily.name, id: '0123456789abcdef', apiUrl: 'http://127.0.0.1:1/v1' };
  const journal = new LeaseJournal(state);
  const take = (number: string) =>
    NumberLease.take({
      routing,
      account,
      number,
      urls: urlsAt(`http://${host}:1`),
      secret: TAKER_SECRET,
      journal,
      isTaking: false,
      logger: silentLogger,
    });
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  for (const number of numbers.split(',')) {
    try {
      if (how === 'hold') {
        say('ready');
        await lines.next();
        for (const { outcome } of await restoreOrphans({ routing, account, journal })) say(`left: ${outcome}`);
      }
      const lease = await take(number);
      say('taken');
      if (how === 'hold') await lines.next();
      else await lease.move(urlsAt(`http://${host}:2`));
      say(await lease.giveBack());
    } catch (error) {
      say((error as { code?: string }).code ?? String(error));
    }
  }
  await routing.close();
  process.exit();
}

void main();
