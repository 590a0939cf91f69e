/**
 * A process that takes a number of a carrier, moves it to another address and gives it back, and that can be killed
 * meanwhile: `<carrier> <state folder> <number>`. The credentials are in the environment. Writes what became of it.
 */
import { silentLogger } from '../../../src/base/logger.js';
import { carrierByName } from '../../../src/providers/registry/carriers.js';
import { LeaseJournal } from '../../../src/runner/numbers/lease-journal.js';
import { NumberLease } from '../../../src/runner/numbers/number-lease.js';

const [name = '', state = '', number = ''] = process.argv.slice(2);
const urlsAt = (origin: string) => ({ answerUrl: `${origin}/answer`, hangupUrl: `${origin}/hangup` });

async function main(): Promise<void> {
  const routing = await carrierByName(name).createNumberRouting(JSON.parse(process.env.CREDENTIALS ?? '{}'));
  const lease = await NumberLease.take({
    routing,
    account: { provider: name, id: '0123456789abcdef', apiUrl: 'http://127.0.0.1:1/v1' },
    number,
    urls: urlsAt('http://127.0.0.1:1'),
    journal: new LeaseJournal(state),
    isTaking: false,
    logger: silentLogger,
  });
  await lease.move(urlsAt('http://127.0.0.1:2'));
  process.stdout.write(`${await lease.giveBack()}\n`);
  await routing.close();
  process.exit();
}

void main();
