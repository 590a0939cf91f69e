import { leaseAccountOf, routingOf } from '../../../src/assembly/account.js';
import { silentLogger } from '../../../src/base/logger.js';
import { LeaseJournal } from '../../../src/runner/numbers/lease-journal.js';
import type { LeaseRequest } from '../../../src/runner/numbers/lease-plan.js';
import { NumberLease } from '../../../src/runner/numbers/number-lease.js';
import { accountAt } from '../../cli/left-numbers.js';
import { Accounts, SHARED_NUMBER } from '../../e2e/accounts.js';

/** It shares its application with the other. */
const SIBLING = '+12025550111';
const urlsOf = (host: string) => ({
  answerUrl: `http://${host}.localhost:9/answer`,
  hangupUrl: `http://${host}.localhost:9/hangup`,
});

test('an application that a run has changed in place is not changed by another for its other numbers', async () => {
  await using accounts = await Accounts.open();
  const account = accountAt(accounts, 'carrier');
  const routing = await routingOf(account);
  const before = await accounts.stored();
  const take = (number: string, host: string, changes: Partial<LeaseRequest> = {}) =>
    NumberLease.take({
      routing,
      account: leaseAccountOf(account),
      number,
      urls: urlsOf(host),
      isInPlace: true,
      journal: new LeaseJournal(accounts.home),
      isTaking: true,
      logger: silentLogger,
      ...changes,
    });
  try {
    const first = await take(SHARED_NUMBER, 'first');
    const after = await accounts.stored();
    for (const isKept of [false, true]) {
      await expect(take(SIBLING, 'second', { isKept })).rejects.toMatchObject({
        code: 'VB_NUMBER_HELD',
        message: expect.stringContaining(`${SIBLING}, with ${SHARED_NUMBER} by process ${process.pid} on `),
      });
    }
    expect(await accounts.stored()).toEqual(after);
    const own = await take(SIBLING, 'second', { isInPlace: false }); // which the other one does not touch
    await own.giveBack();
    expect(await accounts.stored()).toEqual(after);
    expect(await first.giveBack()).toBe('restored');
    expect(await accounts.stored()).toEqual(before);
  } finally {
    await routing.close();
  }
}, 30_000);
