import { isOpenLocally, operatorOf, roomsBrowserOf } from '../../src/assembly/create-runner.js';
import { silentLogger } from '../../src/base/logger.js';
import { clientFor } from '../../src/bot/transports/room/join-room.js';
import { joinSandboxRoom } from '../../src/lab/kit/join-sandbox-room.js';
import { daily } from '../../src/providers/daily/provider.js';

const TOKEN = 'a-token-of-the-runner';

test.each([
  [true, 'nothing is set', {}],
  [false, 'VOICEBOT_TOKEN is set', { runnerToken: TOKEN }],
  [true, 'VOICEBOT_TOKEN is set, and the setting says so', { runnerToken: TOKEN, localAccess: 'open' as const }],
  [false, 'the setting says so', { localAccess: 'token' as const }],
])('programs on this machine need no token: %s, when %s', (isOpen, _when, config) => {
  expect(isOpenLocally(config)).toBe(isOpen);
});

test.each([
  [undefined, true, '+12025550101'],
  ['+4930123456', true, '+4930123456'],
  ['+4930123456', false, '+4930123456'],
  [undefined, false, undefined],
  ['+12025550101', false, undefined],
])('OPERATOR_NUMBER %s, on the sandbox: %s, makes the operator %s', (operatorNumber, isSandbox, operator) => {
  expect(operatorOf(operatorNumber ? { operatorNumber } : {}, isSandbox)).toBe(operator);
});

test.each([
  ['a real account', 'https://api.example.com/v1', {}, true],
  ['the sandbox', 'http://127.0.0.1:4000/v1', {}, false],
  ['a real account, with ROOMS_CLIENT', 'https://api.example.com/v1', { roomsClient: 'built-in' as const }, false],
  ['the sandbox, with ROOMS_CLIENT', 'http://127.0.0.1:4000/v1', { roomsClient: 'browser' as const }, true],
])('bots join rooms of %s through a browser: %#', (_, apiUrl, config, hasBrowser) => {
  const browser = roomsBrowserOf(
    { roomProvider: daily, credentials: { apiKey: 'key', apiUrl } },
    { browserPages: 7, ...config },
    {},
    silentLogger,
  );
  expect(browser?.maxPages).toBe(hasBrowser ? 7 : undefined);
});

test.each([
  ['https://api.example.com/v1', undefined, 'own'],
  ['https://api.example.com/v1', 'built-in', 'built-in'],
  ['http://127.0.0.1:4000/v1', undefined, 'built-in'],
  ['http://127.0.0.1:4000/v1', 'browser', 'own'],
])(
  'rooms at %s of a provider that brings a client are joined, with ROOMS_CLIENT %s, by the %s one, and no browser is kept',
  (apiUrl, setting, client) => {
    const own = { ...daily, loadClient: async () => joinSandboxRoom };
    expect(clientFor(own, apiUrl, setting)).toBe(client);
    const account = { roomProvider: own, credentials: { apiKey: 'key', apiUrl } };
    const config = { browserPages: 7, ...(setting && { roomsClient: setting as 'built-in' | 'browser' }) };
    expect(roomsBrowserOf(account, config, {}, silentLogger)).toBeUndefined();
  },
);
