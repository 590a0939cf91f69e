import { RateLimits } from '../../src/sandbox/rooms/rate-limits.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { CARRIERS } from '../carriers/conformance/carriers.js';
import { ROOMS_KEY, testSandbox } from '../runner/runner-on-sandbox.js';

/** A provider whose calls are handed over, as the sandbox plays it. */
export interface HandoverProvider {
  readonly name: string;
  readonly transport: 'carrier' | 'rooms';
  sandbox(): Promise<Sandbox>;
  /** The account of the sandbox, as settings of a run. */
  settings(sandbox: Sandbox): Record<string, string>;
}

const ROOMS: HandoverProvider = {
  name: 'rooms',
  transport: 'rooms',
  sandbox: () => testSandbox({ rooms: { apiKey: ROOMS_KEY, rateLimits: new RateLimits() } }),
  settings: ({ roomsApiUrl, number }) => ({
    ROOMS_API_KEY: ROOMS_KEY,
    ROOMS_API_URL: roomsApiUrl,
    ROOMS_PHONE_NUMBER: number,
  }),
};

/** All that there are. */
export const HANDOVER_PROVIDERS: readonly HandoverProvider[] = [
  ...CARRIERS.map(
    ({ name, account, credentials }): HandoverProvider => ({
      name,
      transport: 'carrier',
      sandbox: () => testSandbox(account),
      settings: ({ apiUrl, number }) => {
        const { authId, authToken, publicKey } = credentials(apiUrl);
        return {
          CARRIER: name,
          CARRIER_AUTH_ID: authId,
          CARRIER_AUTH_TOKEN: authToken,
          ...(publicKey && { CARRIER_PUBLIC_KEY: publicKey }),
          CARRIER_API_URL: apiUrl,
          CARRIER_PHONE_NUMBER: number,
        };
      },
    }),
  ),
  ROOMS,
];
