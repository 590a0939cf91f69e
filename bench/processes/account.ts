import type { CarrierName } from '../../src/providers/registry/carrier-names.js';
import type { NewAccount } from '../../src/sandbox/new-account.js';

/** An account that both ends of the bench know. */
export interface BenchAccount extends NewAccount {
  readonly carrier: CarrierName;
}

export const plivoAccount: BenchAccount = {
  carrier: 'plivo',
  authId: 'MABENCHBENCHBENCHBEN',
  authToken: 'bench-auth-token',
};

/** Where nothing is asked of the carrier. */
export const NO_API = 'http://127.0.0.1:1/v1';

/** As a process of the bench is told it. */
export const accountIn = (argument: string | undefined): BenchAccount =>
  argument === undefined ? plivoAccount : JSON.parse(argument);
