import Telnyx from 'telnyx';

export const ACCOUNT_ID = '0b5d3f4e-2c1a-4e0b-9d3c-7a1f5e8b6c2d';
export const API_KEY = 'KEY0123456789ABCDEF0123456789ABCDEF_abcdefghijklmnopqrstuv';
export const CALL_ID = 'v3:MdI91X4lWFEs7IgbBEOT9M4AigoY08M0WWZFISt1Yw2axZ_IiE4pqg';

export const credentialsAt = (api: { readonly url: string }, authToken = API_KEY) => ({
  authId: '0123456789abcdef',
  authToken,
  apiUrl: `${new URL(api.url).origin}/v2`,
});

/** The vendor's client, which goes to `url` in place of the vendor's servers. */
export const vendorAt = (url: string, apiKey = API_KEY): Telnyx =>
  new Telnyx({ apiKey, baseURL: `${new URL(url).origin}/v2`, maxRetries: 0 });
