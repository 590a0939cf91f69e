import { isLoopbackHost, SETTINGS } from '../../src/config/settings.js';

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
  test.each(['https://bot.example.com', 'https://bot.example.com/', 'https://bot.example.com:8443'])(
    'takes %s',
    (raw) => {
      expect(SETTINGS.publicUrl.parse(raw)).toBe(raw.replace(/\/$/, ''));
    },
  );

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

test.each(['', '..', 'MA/..', 'MA?x', 'MA 1', 'a'.repeat(65)])(
  'an account identifier cannot change an address: %j',
  (raw) => {
    expect(() => SETTINGS.carrierAuthId.parse(raw)).toThrow('must be letters, digits');
  },
);

test('only names that cannot leave this machine are loopback', () => {
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]']) expect(isLoopbackHost(host)).toBe(true);
  for (const host of ['0.0.0.0', '::', 'localhost.example.com', '127.0.0.1.nip.io', '128.0.0.1', '']) {
    expect(isLoopbackHost(host)).toBe(false);
  }
});
