import { createRequire } from 'node:module';
import { isLoopbackHost } from '../../src/base/http/loopback-host.js';
import { COUNTRIES } from '../../src/config/countries.js';
import { SETTINGS } from '../../src/config/settings.js';

describe('port', () => {
  test.each([
    ['0', 0],
    ['65535', 65_535],
    [7860, 7860],
  ])('takes %j', (raw, port) => expect(SETTINGS.port.parse(raw)).toBe(port));

  test.each(['-1', '65536', '1.5', '0x10', '', ' 1', 'abc', 1.5, Number.NaN, null, true])('refuses %j', (raw) => {
    expect(() => SETTINGS.port.parse(raw)).toThrow('must be a whole number from 0 to 65535');
  });
});

describe('publicUrl', () => {
  test.each([
    'https://bot.example.com',
    'https://bot.example.com/',
    'https://bot.example.com:8443',
    'http://127.0.0.1:8080',
    'http://bot.localhost:8080',
  ])('takes %s', (raw) => {
    expect(SETTINGS.publicUrl.parse(raw)).toBe(raw.replace(/\/$/, ''));
  });

  test.each([
    'http://bot.example.com',
    'https://bot.example.com/path',
    'https://bot.example.com/?q=1',
    'https://user:password@bot.example.com',
    'bot.example.com',
    'wss://bot.example.com',
  ])('refuses %s', (raw) => {
    expect(() => SETTINGS.publicUrl.parse(raw)).toThrow('must be an https address without a path');
  });
});

describe('carrierApiUrl', () => {
  test.each(['https://api.example.com/v1', 'http://127.0.0.1:4000/v1', 'http://localhost/v1'])('takes %s', (raw) => {
    expect(SETTINGS.carrierApiUrl.parse(raw)).toBe(raw);
  });

  test('refuses to send credentials in the clear', () => {
    expect(() => SETTINGS.carrierApiUrl.parse('http://api.example.com/v1')).toThrow('must be an https address');
  });
});

describe('eventsUrl', () => {
  test.each(['https://app.example.com/voicebot?tenant=7', 'http://127.0.0.1:3000/', 'http://app.localhost:3000/hooks'])(
    'takes %s',
    (raw) => {
      expect(SETTINGS.eventsUrl.parse(raw)).toBe(raw);
    },
  );

  test.each([
    'http://app.example.com/',
    'http://10.0.0.7/',
    'http://app:3000/',
    'https://user:password@app.example.com/',
    'https://user@app.example.com/',
    'app.example.com',
    'ftp://app.example.com/',
    7,
  ])('refuses %s', (raw) => {
    expect(() => SETTINGS.eventsUrl.parse(raw)).toThrow('must be an https address without a user name');
  });
});

describe('eventsSecret', () => {
  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 255).toString('base64')}`;

  test.each([24, 25, 32, 64])('takes one of %d bytes', (bytes) => {
    expect(SETTINGS.eventsSecret.parse(secretOf(bytes))).toBe(secretOf(bytes));
  });

  test.each([
    secretOf(23),
    secretOf(65),
    secretOf(32).slice('whsec_'.length),
    secretOf(32).replace('=', ''),
    secretOf(24).replaceAll('/', '_'),
    `${secretOf(32)}\n`,
    'whsec_',
    '',
    7,
  ])('refuses %j', (raw) => {
    expect(() => SETTINGS.eventsSecret.parse(raw)).toThrow('must be whsec_ and base64 of 24 to 64 bytes');
  });
});

test.each(['', '..', 'MA/..', 'MA?x', 'MA 1', 'a'.repeat(65)])(
  'an account identifier cannot change an address: %j',
  (raw) => {
    expect(() => SETTINGS.carrierAuthId.parse(raw)).toThrow('must be letters, digits');
  },
);

describe('runnerToken', () => {
  test.each(['0123456789abcdef', '~!@#$%^&*()_+-={}', 'x'.repeat(256)])('takes %s', (raw) => {
    expect(SETTINGS.runnerToken.parse(raw)).toBe(raw);
  });

  test.each(['0123456789abcde', 'with a space in it', 'new\nline-0123456789', 'é'.repeat(16), 'x'.repeat(257), 1e16])(
    'refuses %j',
    (raw) => expect(() => SETTINGS.runnerToken.parse(raw)).toThrow('must be 16 to 256 letters, digits and signs'),
  );

  test('has no place in a file that is made to be committed', () => expect(SETTINGS.runnerToken.inFile).toBe(false));
});

describe('dialCountries', () => {
  test.each([
    ['US', ['US']],
    ['us, ca,US', ['US', 'CA']],
    [
      ['gb', 'DE'],
      ['GB', 'DE'],
    ],
  ])('takes %j', (raw, codes) => expect(SETTINGS.dialCountries.parse(raw)).toEqual(codes));

  test.each(['', ',', 'US,', 'USA', 'UK', 'EU', 'XX', '1', [], [1], ['US', ''], {}, true, null])(
    'refuses %j',
    (raw) => {
      expect(() => SETTINGS.dialCountries.parse(raw)).toThrow('must be country codes of ISO 3166 such as US,CA,GB');
    },
  );

  test('knows the countries that libphonenumber knows', () => {
    const { getCountries } = createRequire(import.meta.url)('libphonenumber-js/max');
    expect([...COUNTRIES].toSorted()).toEqual(getCountries().toSorted());
  });
});

test.each([
  ['dialSecondsPerNumber', 0, 86_400],
  ['dialPerMinute', 0, 10_000],
  ['dialMinutesPerDay', 1, 1_000_000],
  ['dialAtOnce', 0, 1_000],
  ['dialMaxSeconds', 10, 86_400],
  ['ringSeconds', 5, 120],
  ['maxCallSeconds', 10, 86_400],
] as const)('%s goes from %i to %i', (name, least, most) => {
  const { parse } = SETTINGS[name];
  expect([parse(String(least)), parse(most)]).toEqual([least, most]);
  for (const raw of [least - 1, most + 1, '', 'many', null]) {
    expect(() => parse(raw)).toThrow(`must be a whole number from ${least} to ${most}`);
  }
});

test('silenceSeconds goes from 10 to 3600, and 0 stands for never', () => {
  const { parse } = SETTINGS.silenceSeconds;
  expect(['0', 0, '10', 3_600].map(parse)).toEqual([0, 0, 10, 3_600]);
  for (const raw of ['1', 9, 3_601, '-0', '', false]) {
    expect(() => parse(raw)).toThrow('must be a whole number from 10 to 3600, or 0 for no limit');
  }
});

test('machineDetection is one of three words', () => {
  const { parse } = SETTINGS.machineDetection;
  for (const raw of ['off', 'report', 'hangup']) expect(parse(raw)).toBe(raw);
  for (const raw of ['on', 'OFF', '', true, undefined]) {
    expect(() => parse(raw)).toThrow('must be one of off, report, hangup');
  }
});

test('the operator has a telephone number', () => {
  expect(SETTINGS.operatorNumber.parse('+12025550101')).toBe('+12025550101');
  expect(() => SETTINGS.operatorNumber.parse('0101')).toThrow('must be a telephone number such as +14155550100');
});

test('only names that cannot leave this machine are loopback', () => {
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]', 'bot.localhost'])
    expect(isLoopbackHost(host)).toBe(true);
  for (const host of [
    '0.0.0.0',
    '::',
    'localhost.example.com',
    'localhost.',
    'evil-localhost',
    '127.0.0.1.nip.io',
    '128.0.0.1',
    '',
  ]) {
    expect(isLoopbackHost(host)).toBe(false);
  }
});
