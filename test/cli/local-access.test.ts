import { isOpenLocally } from '../../src/cli/create-runner.js';

const TOKEN = 'a-token-of-the-runner';

test.each([
  [true, 'nothing is set', {}],
  [false, 'VOICEBOT_TOKEN is set', { runnerToken: TOKEN }],
  [true, 'VOICEBOT_TOKEN is set, and the setting says so', { runnerToken: TOKEN, localAccess: 'open' as const }],
  [false, 'the setting says so', { localAccess: 'token' as const }],
])('programs on this machine need no token: %s, when %s', (isOpen, _when, config) => {
  expect(isOpenLocally(config)).toBe(isOpen);
});
