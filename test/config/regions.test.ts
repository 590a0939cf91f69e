import { resolveConfig } from '../../src/config/config.js';
import { regionalUrl } from '../../src/providers/twilio/region.js';

const { BaseTwilio } = await import('twilio/lib/base/BaseTwilio.js').then(({ default: made }) => ({
  BaseTwilio: made,
}));
const BASE = 'https://api.twilio.com/2010-04-01';
const ACCOUNT = { TWILIO_ACCOUNT_SID: 'AC0123456789abcdef0123456789abcdef', TWILIO_AUTH_TOKEN: 'secret-token' };

const accountIn = async (environment: Record<string, string>) =>
  (await resolveConfig({ flags: {}, environment: { ...ACCOUNT, ...environment }, directory: '/nowhere' })).carriers
    .accounts[0];

test.each([
  [{ region: 'ie1', edge: undefined }, 'api.ie1.twilio.com'],
  [{ region: 'au1', edge: 'sydney' }, 'api.sydney.au1.twilio.com'],
  [{ region: undefined, edge: 'dublin' }, 'api.dublin.us1.twilio.com'],
  [{ region: undefined, edge: undefined }, 'api.twilio.com'],
])("makes the host name that the carrier's own package makes: %j", (place, host) => {
  expect(new URL(regionalUrl(BASE, place)).hostname).toBe(host);
  const theirs = BaseTwilio.Client.prototype.getHostname.call(undefined, 'api.twilio.com', place.edge, place.region);
  expect(theirs).toBe(host);
});

test('a region of the environment decides where the API is, and hints speak of it', async () => {
  expect(await accountIn({ TWILIO_REGION: 'ie1', TWILIO_EDGE: 'dublin' })).toMatchObject({
    apiUrl: 'https://api.dublin.ie1.twilio.com/2010-04-01',
    names: { apiUrl: 'TWILIO_REGION and TWILIO_EDGE' },
  });
  expect(await accountIn({})).toMatchObject({ apiUrl: undefined, names: { apiUrl: undefined } });
  const own = { TWILIO_REGION: 'ie1', CARRIER_API_URL: 'https://api.example.com' };
  expect(await accountIn(own)).toMatchObject({ apiUrl: own.CARRIER_API_URL, names: { apiUrl: 'CARRIER_API_URL' } });
});

test.each(['evil.example.com/', 'ie1.evil', 'ie1@evil', 'IE1', '-ie1', 'ie1#', 'a:1', '1e', `a${'b'.repeat(60)}`])(
  'what cannot be a part of a host name is refused, and not shown: %s',
  async (value) => {
    const error = await accountIn({ TWILIO_EDGE: value }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'VB_CONFIG_INVALID' });
    expect((error as Error).message).toContain('TWILIO_EDGE in the environment must be small letters');
    expect((error as Error).message).not.toContain(value);
  },
);
