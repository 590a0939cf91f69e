import { leaseAccountOf, routingOf } from '../../../src/assembly/account.js';
import { silentLogger } from '../../../src/base/logger.js';
import { LeaseJournal } from '../../../src/runner/numbers/lease-journal.js';
import { NumberLease } from '../../../src/runner/numbers/number-lease.js';
import { accountAt } from '../../cli/left-numbers.js';
import { Accounts } from '../../e2e/accounts.js';

/** All three are in the one array that the room provider takes as a whole. */
const NUMBERS = ['+12025550116', '+12025550117', '+12025550118'];
const urlsOf = (number: string) => {
  const answerUrl = `http://run-${number.slice(1)}.localhost:9/rooms-dialin-webhook`;
  return { answerUrl, hangupUrl: answerUrl };
};

test('runs that take, and give back, numbers of one array at the same moment do not undo each other', async () => {
  await using accounts = await Accounts.open();
  const account = accountAt(accounts, 'rooms');
  const before = await accounts.stored();
  // Each run has a connection and a journal of its own, as if it were another process.
  const routings = await Promise.all(NUMBERS.map(() => routingOf(account)));
  const take = (number: string, index: number) =>
    NumberLease.take({
      routing: routings[index] as (typeof routings)[number],
      account: leaseAccountOf(account),
      number,
      urls: urlsOf(number),
      secret: Buffer.from('secret of the run, long enough').toString('base64'),
      journal: new LeaseJournal(accounts.home),
      isTaking: false,
      logger: silentLogger,
    });
  try {
    const leases = await Promise.all(NUMBERS.map(take));
    const during = (await accounts.stored()).join();
    for (const number of NUMBERS) expect(during).toContain(urlsOf(number).answerUrl);
    expect(await Promise.all(leases.map((lease) => lease.giveBack()))).toEqual(NUMBERS.map(() => 'restored'));
    expect(await accounts.stored()).toEqual(before);
  } finally {
    for (const routing of routings) await routing.close();
  }
}, 60_000);
