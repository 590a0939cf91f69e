import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountOf, botEnvironmentOf, leaseAccountOf } from '../../src/assembly/account.js';
import { resolveConfig } from '../../src/config/config.js';
import type { CarrierName } from '../../src/providers/registry/carrier-names.js';
import { carriers } from '../../src/providers/registry/carriers.js';

const SID = `AC${'0123456789abcdef'.repeat(2)}`;
const KEY = { TWILIO_API_KEY: `SK${SID.slice(2)}`, TWILIO_API_SECRET: 'secret-of-the-key' };
const TWILIO = { TWILIO_ACCOUNT_SID: SID, TWILIO_AUTH_TOKEN: 'secret-token' };

const directory = mkdtempSync(join(tmpdir(), 'voicebot-account-'));
afterAll(() => rmSync(directory, { recursive: true }));

const account = async (environment: Record<string, string>, carrier?: CarrierName) =>
  accountOf(await resolveConfig({ flags: carrier ? { carrier } : {}, environment, directory }), 'carrier');
const refusal = async (...of: Parameters<typeof account>) => {
  const error = await account(...of).catch((thrown) => thrown);
  expect(JSON.stringify([error.message, error.hint])).not.toContain('secret-');
  return error as Error & { code: string; hint: string };
};

test("an account is its carrier's, under whichever names it is set", async () => {
  const expected = { kind: 'carrier', credentials: { authId: SID, authToken: 'secret-token' } };
  expect(await account(TWILIO)).toMatchObject({ ...expected, carrier: { name: 'twilio' } });
  const ours = { CARRIER: 'twilio', CARRIER_AUTH_ID: SID, CARRIER_AUTH_TOKEN: 'secret-token' };
  const same = await account(ours);
  expect(same).toMatchObject({ ...expected, carrier: { name: 'twilio' } });
  if (!same) return;
  const { apiUrl } = same.credentials;
  expect(apiUrl).toBe(carriers.twilio.defaultApiUrl);
  expect(leaseAccountOf(same)).toEqual({ provider: 'twilio', id: SID, apiUrl });
  expect(botEnvironmentOf(same, '+14155550100')).toEqual({
    ...ours,
    CARRIER_API_URL: apiUrl,
    CARRIER_PHONE_NUMBER: '+14155550100',
  });
});

test('a key of the REST API is part of the account, and no bot gets it', async () => {
  const found = await account({ ...TWILIO, ...KEY });
  expect(found).toMatchObject({ credentials: { apiKey: { id: KEY.TWILIO_API_KEY, secret: KEY.TWILIO_API_SECRET } } });
  expect(found && JSON.stringify(botEnvironmentOf(found, undefined))).not.toContain(KEY.TWILIO_API_SECRET);
});

test('no credentials, or none of the carrier that is named: no account', async () => {
  expect(await account({})).toBeUndefined();
  expect(await account(TWILIO, 'plivo')).toBeUndefined();
});

test('those of two carriers are refused with both names and the flag', async () => {
  const { code, message, hint } = await refusal({ ...TWILIO, PLIVO_AUTH_ID: 'MATEST', PLIVO_AUTH_TOKEN: 'secret-2' });
  expect(code).toBe('VB_CARRIER_AMBIGUOUS');
  expect(message).toContain('plivo (PLIVO_AUTH_ID and PLIVO_AUTH_TOKEN)');
  expect(message).toContain('twilio (TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN)');
  expect(hint).toContain('--carrier plivo');
});

test.each([
  [{ TWILIO_ACCOUNT_SID: SID }, 'TWILIO_ACCOUNT_SID is set but TWILIO_AUTH_TOKEN is not'],
  [{ TWILIO_AUTH_TOKEN: 'secret-token' }, 'TWILIO_AUTH_TOKEN is set but TWILIO_ACCOUNT_SID is not'],
  [{ CARRIER: 'twilio', CARRIER_AUTH_ID: SID }, 'CARRIER_AUTH_ID is set but CARRIER_AUTH_TOKEN is not'],
  [{ PLIVO_AUTH_ID: 'MATEST' }, 'PLIVO_AUTH_ID is set but PLIVO_AUTH_TOKEN is not'],
  [
    { ...TWILIO, TWILIO_API_KEY: KEY.TWILIO_API_KEY },
    'TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_API_KEY are set but TWILIO_API_SECRET is not',
  ],
  [{ TWILIO_ACCOUNT_SID: SID, ...KEY }, 'are set but TWILIO_AUTH_TOKEN is not'],
])('half of an account names the other half: %j', async (environment, message) => {
  const error = await refusal(environment);
  expect(error.code).toBe('VB_CREDENTIALS_MISSING');
  expect(error.message).toContain(message);
});

test('a key of the REST API without the token: says what the token is for', async () => {
  const { hint } = await refusal({ TWILIO_ACCOUNT_SID: SID, ...KEY });
  expect(hint).toContain('Set TWILIO_AUTH_TOKEN, with which webhooks are checked also where a key signs in');
});

test.each([
  [
    { TWILIO_ACCOUNT_SID: `SK${SID.slice(2)}`, TWILIO_AUTH_TOKEN: 'secret-token' },
    'holds the SID of an API key',
    'TWILIO_API_KEY',
  ],
  [{ TWILIO_ACCOUNT_SID: `SK${SID.slice(2)}` }, 'holds the SID of an API key', 'TWILIO_API_SECRET'],
  [{ TWILIO_ACCOUNT_SID: 'secret-token', TWILIO_AUTH_TOKEN: SID }, 'must be "AC" and 32', 'console.twilio.com'],
])('what is no account SID is refused as a setting, by its name: %j', async (environment, message, cure) => {
  const error = await refusal(environment);
  expect(error.code).toBe('VB_CONFIG_INVALID');
  expect(error.message).toContain(`TWILIO_ACCOUNT_SID ${message}`);
  expect(error.hint).toContain(cure);
  expect(error.message + error.hint).not.toContain('secret-token');
});

test("another carrier's form under our names is told at once", async () => {
  const { code, message, hint } = await refusal({ CARRIER_AUTH_ID: SID, CARRIER_AUTH_TOKEN: 'secret-token' });
  expect(code).toBe('VB_CONFIG_INVALID');
  expect(message).toContain('CARRIER_AUTH_ID is of no account at plivo');
  expect(hint).toContain('set CARRIER=twilio, or use the names TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN');
});
