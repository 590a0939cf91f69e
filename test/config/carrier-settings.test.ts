import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, type ConfigSources, resolveConfig } from '../../src/config/config.js';
import { carriers } from '../../src/providers/registry/carriers.js';

const SID = `AC${'0123456789abcdef'.repeat(2)}`;
const PLIVO = { PLIVO_AUTH_ID: 'MATESTTESTTESTTEST00', PLIVO_AUTH_TOKEN: 'plivo-token' };
const TWILIO = { TWILIO_ACCOUNT_SID: SID, TWILIO_AUTH_TOKEN: 'twilio-token' };
const OURS = { CARRIER_AUTH_ID: 'MAOURS', CARRIER_AUTH_TOKEN: 'our-token' };

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-carriers-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const resolve = (environment: Record<string, string> = {}, flags: ConfigSources['flags'] = {}): Promise<Config> =>
  resolveConfig({ flags, environment, directory });
const chosen = async (...of: Parameters<typeof resolve>) => {
  const { carrier, why, accounts } = (await resolve(...of)).carriers;
  return { carrier, why, account: accounts.find((one) => one.carrier === carrier) };
};

test.each([
  [{}, 'plivo', 'no credentials are set'],
  [PLIVO, 'plivo', 'PLIVO_AUTH_ID is set'],
  [TWILIO, 'twilio', 'TWILIO_ACCOUNT_SID is set'],
  [OURS, 'plivo', 'CARRIER_AUTH_ID is set, and CARRIER is not'],
  [{ ...OURS, CARRIER: 'twilio' }, 'twilio', 'CARRIER in the environment'],
  [{ ...TWILIO, ...PLIVO, CARRIER: 'twilio' }, 'twilio', 'CARRIER in the environment'],
  [{ TWILIO_PHONE_NUMBER: '+14155550100', ...PLIVO }, 'plivo', 'PLIVO_AUTH_ID is set'],
])('the carrier follows from what is set: %j', async (environment, carrier, why) => {
  expect(await chosen(environment)).toMatchObject({ carrier, why });
});

test.each([
  ['two carriers', { ...TWILIO, ...PLIVO }],
  ['ours and those of another carrier', { ...OURS, ...TWILIO }],
  ['half of the second', { ...PLIVO, TWILIO_AUTH_TOKEN: 'twilio-token' }],
])('credentials of %s leave it open', async (_, environment) => {
  const { carrier, isNamed, accounts } = (await resolve(environment)).carriers;
  expect({ carrier, isNamed }).toEqual({ carrier: undefined, isNamed: false });
  expect(accounts.map((one) => one.carrier)).toEqual(['plivo', 'twilio']);
});

test('the flag wins over CARRIER, that over the file, and each decides where several are', async () => {
  writeFileSync(join(directory, 'voicebot.config.json'), '{ "carrier": "twilio" }');
  const both = { ...TWILIO, ...PLIVO };
  expect(await chosen(both)).toMatchObject({ carrier: 'twilio', why: 'carrier in voicebot.config.json' });
  expect(await chosen({ ...both, CARRIER: 'plivo' })).toMatchObject({ carrier: 'plivo' });
  expect(await chosen({ ...both, CARRIER: 'plivo' }, { carrier: 'twilio' })).toMatchObject({
    carrier: 'twilio',
    why: '--carrier',
    account: { authId: SID },
  });
});

describe('whose are those under our names', () => {
  test('of the carrier that CARRIER names, before its own names', async () => {
    expect(await chosen({ ...OURS, ...TWILIO, CARRIER: 'twilio' })).toMatchObject({
      account: { authId: 'MAOURS', authToken: 'our-token' },
    });
  });

  test('of the carrier of the flag, unless it has some of its own', async () => {
    expect((await chosen(OURS, { carrier: 'twilio' })).account).toMatchObject({ authId: 'MAOURS' });
    expect((await chosen({ ...OURS, ...TWILIO }, { carrier: 'twilio' })).account).toMatchObject({ authId: SID });
    expect((await chosen({ ...OURS, ...TWILIO }, { carrier: 'plivo' })).account).toMatchObject({ authId: 'MAOURS' });
  });

  test('the address of the API and the number go with the credentials, or with the carrier in use', async () => {
    const rest = { CARRIER_API_URL: 'http://127.0.0.1:9/v1', CARRIER_PHONE_NUMBER: '+14155550100' };
    const there = { apiUrl: rest.CARRIER_API_URL, phoneNumber: rest.CARRIER_PHONE_NUMBER };
    expect((await chosen({ ...TWILIO, ...rest })).account).toMatchObject(there);
    expect((await chosen({ ...TWILIO, ...OURS, ...rest }, { carrier: 'twilio' })).account?.apiUrl).toBeUndefined();
    const number = { carrier: 'twilio', carrierPhoneNumber: '+14155550111' } as const;
    expect((await chosen({ ...TWILIO, ...OURS, ...rest }, number)).account?.phoneNumber).toBe('+14155550111');
  });
});

test('what cannot be used is told for the carrier in use, by the name that it has, and never its value', async () => {
  const environment = { ...TWILIO, TWILIO_PHONE_NUMBER: 'secret-number' };
  await expect(resolve(environment)).rejects.toThrow(
    /TWILIO_PHONE_NUMBER in the environment must be a telephone number/,
  );
  await expect(resolve(environment)).rejects.not.toThrow(/secret-number/);
  expect(await chosen({ ...environment, ...PLIVO, CARRIER: 'plivo' })).toMatchObject({ carrier: 'plivo' });
});

test.each(['vonage', 'Twilio', '__proto__', 'twilio '])('refuses the carrier %j', async (name) => {
  await expect(resolve({ CARRIER: name })).rejects.toThrow('CARRIER in the environment must be one of plivo, twilio');
});

test.each(['stereo', '16000'])('refuses the audio %j', async (audio) => {
  await expect(resolve({ VOICEBOT_AUDIO: audio })).rejects.toThrow('must be one of telephone, wideband');
});

test.each(['secret', Buffer.alloc(31).toString('base64'), `${Buffer.alloc(32).toString('base64')}\n`])(
  'refuses the public key %j',
  async (key) => {
    await expect(resolve({ CARRIER_PUBLIC_KEY: key })).rejects.toThrow('must be the base64 of a public key');
  },
);

test('bots get no secret of an API key, and everything else of the account', async () => {
  const key = { TWILIO_API_KEY: `SK${SID.slice(2)}`, TWILIO_API_SECRET: 'secret-of-the-key' };
  const { environment, carriers: read } = await resolve({ ...TWILIO, ...key });
  expect(environment).toEqual({ ...TWILIO, TWILIO_API_KEY: key.TWILIO_API_KEY });
  expect(read.accounts).toEqual([
    expect.objectContaining({ apiKeyId: key.TWILIO_API_KEY, apiKeySecret: key.TWILIO_API_SECRET }),
  ]);
});

test('no two carriers have a variable in common', () => {
  const names = Object.values(carriers).flatMap(({ variables }) => Object.values(variables).filter((one) => one));
  expect(new Set(names).size).toBe(names.length);
});
