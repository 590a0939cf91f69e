import type { Carrier, CarrierCredentials } from '../../../src/providers/carrier.js';
import { carriers } from '../../../src/providers/registry/carriers.js';
import type { SandboxCarrier } from '../../../src/sandbox/faces.js';
import { newAccount } from '../../../src/sandbox/new-account.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';

/** What the stories have to know of a carrier: its account in the sandbox. */
export interface PlayedCarrier {
  readonly name: SandboxCarrier;
  readonly carrier: Carrier;
  readonly account: Pick<SandboxOptions, 'carrier' | 'authId' | 'authToken' | 'privateKey'>;
  readonly credentials: (apiUrl: string) => CarrierCredentials;
}

const played = (
  name: PlayedCarrier['name'],
  { publicKey, ...account }: Omit<PlayedCarrier['account'], 'carrier'> & { publicKey?: string },
): PlayedCarrier => ({
  name,
  carrier: carriers[name],
  account: { carrier: name, ...account },
  credentials: (apiUrl) => ({
    authId: account.authId,
    authToken: account.authToken,
    apiUrl,
    ...(publicKey !== undefined && { publicKey }),
  }),
});

/** Every carrier that there is, as the sandbox plays it. */
export const CARRIERS: readonly PlayedCarrier[] = [
  played('plivo', { authId: 'MACONFORMANCE0000000', authToken: 'token-of-the-sandbox' }),
  played('twilio', { authId: `AC${'c0'.repeat(16)}`, authToken: 'token-of-the-sandbox' }),
  played('telnyx', newAccount('telnyx')),
];
