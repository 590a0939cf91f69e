import { hostname } from 'node:os';
import { type Account, leaseAccountOf, routingOf } from '../../src/assembly/account.js';
import { silentLogger } from '../../src/base/logger.js';
import { type ProcessIdentity, thisProcess } from '../../src/base/process/process-identity.js';
import type { NumberRouting } from '../../src/call/number-routing.js';
import { daily } from '../../src/providers/daily/provider.js';
import { carriers } from '../../src/providers/registry/carriers.js';
import { LeaseJournal } from '../../src/runner/numbers/lease-journal.js';
import { NumberLease } from '../../src/runner/numbers/number-lease.js';
import type { Accounts } from '../e2e/accounts.js';

/** A run that has ended: its number is above the largest process id of any system. */
const GONE: ProcessIdentity = { pid: 2 ** 30, startTime: 'long ago', host: hostname() };
/** Nobody listens at the discard port. */
const URLS = {
  carrier: { answerUrl: 'http://run.localhost:9/answer', hangupUrl: 'http://run.localhost:9/hangup' },
  rooms: {
    answerUrl: 'http://run.localhost:9/rooms-dialin-webhook',
    hangupUrl: 'http://run.localhost:9/rooms-dialin-webhook',
  },
};

export function accountAt(accounts: Accounts, kind: Account['kind']): Account {
  const environment = accounts.environment();
  const of = (name: string) => environment[name] as string;
  return kind === 'carrier'
    ? {
        kind,
        carrier: carriers.plivo,
        credentials: {
          authId: of('CARRIER_AUTH_ID'),
          authToken: of('CARRIER_AUTH_TOKEN'),
          apiUrl: of('CARRIER_API_URL'),
        },
      }
    : { kind, roomProvider: daily, credentials: { apiKey: of('ROOMS_API_KEY'), apiUrl: of('ROOMS_API_URL') } };
}

/**
 * Points a number at a run, as the run itself does.
 * @param run `gone` has ended without giving it back; `alive` is this process
 */
export async function pointAtRun(
  accounts: Accounts,
  kind: Account['kind'],
  number: string,
  run: 'gone' | 'alive' = 'gone',
): Promise<void> {
  const account = accountAt(accounts, kind);
  const routing: NumberRouting = await routingOf(account);
  await NumberLease.take({
    routing,
    account: leaseAccountOf(account),
    number,
    urls: URLS[kind],
    secret: kind === 'rooms' ? Buffer.from('secret of the run, long enough').toString('base64') : undefined,
    journal: new LeaseJournal(accounts.home),
    isTaking: false,
    owner: run === 'gone' ? GONE : thisProcess(),
    logger: silentLogger,
  });
  await routing.close();
}
