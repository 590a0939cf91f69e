/**
 * A process that holds a number with others, and can be stopped and killed: `<provider> <redis> <state folder> <its
 * identifier> <host of its address>`. The credentials are in the environment. Each line it is told is `take`, until the
 * number is free, or `give back`; it writes what came of it. It ends when it is told nothing more.
 */
import { createInterface } from 'node:readline';
import { pause } from '../../../src/base/async/pause.js';
import { silentLogger } from '../../../src/base/logger.js';
import { ClusterLeases } from '../../../src/cluster/numbers/cluster-leases.js';
import { RedisLink } from '../../../src/cluster/redis/redis-link.js';
import { LeaseJournal } from '../../../src/runner/numbers/lease-journal.js';
import { LocalCopies } from '../../../src/runner/numbers/local-copies.js';
import { NumberLease } from '../../../src/runner/numbers/number-lease.js';
import { NumberWatch } from '../../../src/runner/numbers/number-watch.js';
import { BeatingMembers } from './beating-members.js';
import { NUMBER, routingAt, secretAt, urlsOf } from './provider-access.js';

/** How long a process is taken to be there that says nothing, in milliseconds; its locks last as long. */
const LEASE_MS = 1_000;
const LOOK_EVERY_MS = 100;

const [name = '', url = '', state = '', id = '', host = ''] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const routing = await routingAt(name, JSON.parse(process.env.CREDENTIALS ?? '{}'));
  const redis = await RedisLink.connect({ url, name: 'test', logger: silentLogger });
  const members = await BeatingMembers.open(redis, id, LEASE_MS);
  const copies = new LocalCopies(new LeaseJournal(state), silentLogger);
  const leases = new ClusterLeases({ redis, members }, copies, silentLogger, { lockMs: LEASE_MS });
  const take = () =>
    NumberLease.take({
      routing,
      account: { provider: name, id: '0123456789abcdef', apiUrl: 'http://127.0.0.1:1/v1' },
      number: NUMBER,
      urls: urlsOf(name, host),
      secret: secretAt(name),
      journal: leases,
      isTaking: false,
      isLive: async () => false,
      logger: silentLogger,
    });
  let lease: NumberLease | undefined;
  let watch: NumberWatch | undefined;
  say('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      if (line === 'take') {
        lease = await untilFree(take);
        watch = new NumberWatch(lease, silentLogger, LOOK_EVERY_MS);
        say('taken');
      } else {
        const held = lease;
        lease = undefined;
        await watch?.stop();
        say((await held?.giveBack()) ?? 'nothing held');
      }
    } catch (error) {
      say((error as { code?: string }).code ?? String(error));
    }
  }
  leases.close();
  await members.close();
  redis.close();
  await routing.close();
  process.exit();
}

async function untilFree<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (id === 'first' || (error as { code?: string }).code !== 'VB_NUMBER_HELD') throw error;
      await pause(LOOK_EVERY_MS);
    }
  }
}

void main();
