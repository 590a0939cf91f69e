import { PassThrough } from 'node:stream';
import { tellNoAccount, type WithoutAccount } from '../../src/assembly/no-account.js';
import type { CarrierChoice } from '../../src/config/carrier-settings.js';
import { Output } from '../../src/terminal/output.js';
import { readAll } from '../terminal/read-all.js';

type Told = Omit<Partial<WithoutAccount>, 'config'> & Partial<WithoutAccount['config']> & { json?: boolean };

function told({ transport = 'carrier', isDialin = false, accountOptions = [], json = false, ...config }: Told = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const carriers: CarrierChoice = { carrier: 'plivo', isNamed: false, why: '', accounts: [] };
  const all = { transport, isDialin, accountOptions, config: { environment: {}, carriers, ...config } };
  tellNoAccount(new Output({ stdout, stderr, json }), all);
  return readAll(json ? stdout : stderr);
}

const ACCOUNT: CarrierChoice = {
  carrier: 'plivo',
  isNamed: false,
  why: 'PLIVO_AUTH_ID is set',
  accounts: [
    {
      carrier: 'plivo',
      authId: 'a',
      authToken: 'secret',
      variables: { authId: 'PLIVO_AUTH_ID' },
      names: { signIn: 'PLIVO_AUTH_ID', webhookKey: 'PLIVO_AUTH_TOKEN', phoneNumber: 'PLIVO_PHONE_NUMBER' },
    },
  ],
};

test('a run without an account says that it uses the sandbox', () => {
  expect(told()).toBe('No carrier credentials found: using the sandbox, the offline phone network.\n');
});

test.each([
  ['carrier', 'CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN'],
  ['rooms', 'ROOMS_API_KEY'],
] as const)('with --dialin it says loudly that no real number is answered: %s', (transport, variables) => {
  const text = told({ transport, isDialin: true });
  expect(text).toMatch(/^! NO REAL NUMBER IS ANSWERED: /);
  expect(text).toContain(variables);
  expect(told({ transport, isDialin: true, json: true })).toContain('"event":"problem"');
});

test('names credentials that it does not read', () => {
  const text = told({ environment: { VONAGE_API_KEY: 'secret' } });
  expect(text).toContain('! voicebot does not read VONAGE_API_KEY. For an account set CARRIER_AUTH_ID');
  expect(text).not.toContain('secret');
});

test('tells of an account at the provider of the other transport', () => {
  expect(told({ isDialin: true, roomsApiKey: 'secret' })).toContain(
    '! there is an account at a room provider: use it with --transport rooms\n',
  );
  expect(told({ transport: 'rooms', carriers: ACCOUNT })).toContain(
    '! there is an account at a carrier: use it with --transport carrier\n',
  );
  expect(() => told({ accountOptions: ['--number'], roomsApiKey: 'secret' })).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/; there is an account .* --transport rooms$/) }),
  );
});

test('refuses what only an account has', () => {
  const environment = { CARRIER_AUTHID: 'MATEST' };
  expect(() => told({ isDialin: true, accountOptions: ['--number', '--tunnel'], environment })).toThrow(
    expect.objectContaining({
      code: 'VB_CREDENTIALS_MISSING',
      message: expect.stringMatching(
        /--number and --tunnel without an account.*CARRIER_AUTHID \(did you mean CARRIER_AUTH_ID\?\)/,
      ),
      hint: expect.stringContaining('CARRIER_AUTH_TOKEN'),
    }),
  );
});
