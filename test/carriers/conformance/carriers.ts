import type { Carrier, CarrierCredentials } from '../../../src/providers/carrier.js';
import { carriers } from '../../../src/providers/registry/carriers.js';
import { FACES, type SandboxCarrier } from '../../../src/sandbox/faces.js';
import { type NewAccount, newAccount } from '../../../src/sandbox/new-account.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';

/** A carrier with an account in the sandbox. */
export interface PlayedCarrier {
  readonly name: SandboxCarrier;
  readonly carrier: Carrier;
  readonly account: NewAccount & Pick<SandboxOptions, 'carrier' | 'faults'>;
  credentials(apiUrl: string): CarrierCredentials;
}

function played(name: SandboxCarrier): PlayedCarrier {
  const account = newAccount(name);
  const { authId, authToken, publicKey } = account;
  return {
    name,
    carrier: carriers[name],
    account: { carrier: name, ...account },
    credentials: (apiUrl) => ({ authId, authToken, apiUrl, ...(publicKey !== undefined && { publicKey }) }),
  };
}

/** Every carrier that the sandbox plays. */
export const CARRIERS: readonly PlayedCarrier[] = (Object.keys(FACES) as SandboxCarrier[]).map(played);
