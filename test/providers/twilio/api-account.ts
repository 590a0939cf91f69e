import type { RestOptions } from '../../../src/base/http/rest-client.js';
import type { CarrierRestClient } from '../../../src/providers/carrier.js';
import { createTwilioRestClient } from '../../../src/providers/twilio/rest.js';
import type { ScriptedApi } from '../plivo/scripted-api.js';

export const ACCOUNT_SID = 'AC0123456789abcdef0123456789abcdef';
export const AUTH_TOKEN = '9f2c4e6a8b0d1f3a5c7e9b1d3f5a7c9e';
export const CALL_SID = 'CA5d41402abc4b2a76b9719d911017c592';

export const credentialsAt = (api: { readonly url: string }) => ({
  authId: ACCOUNT_SID,
  authToken: AUTH_TOKEN,
  apiUrl: `${new URL(api.url).origin}/2010-04-01`,
});

/** Runs `use` with a client of `api`, and closes both. */
export async function withClient<T>(
  api: ScriptedApi,
  use: (client: CarrierRestClient) => Promise<T>,
  options: RestOptions = {},
): Promise<T> {
  const client = await createTwilioRestClient(credentialsAt(api), { repeats: { firstWaitMs: 1 }, ...options });
  try {
    return await use(client);
  } finally {
    await client.close();
    await api[Symbol.asyncDispose]();
  }
}
