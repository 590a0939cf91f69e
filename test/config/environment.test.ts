import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { allowsColour, basicEnvironment, stateDirectory } from '../../src/config/environment.js';

test('state lives in VOICEBOT_HOME, or in the home directory', () => {
  expect(stateDirectory({ VOICEBOT_HOME: 'somewhere' })).toBe(resolve('somewhere'));
  expect(stateDirectory({ VOICEBOT_HOME: '' })).toBe(join(homedir(), '.voicebot'));
});

test('NO_COLOR turns colour off unless it is empty', () => {
  expect(allowsColour({})).toBe(true);
  expect(allowsColour({ NO_COLOR: '' })).toBe(true);
  expect(allowsColour({ NO_COLOR: '0' })).toBe(false);
});

test('child processes get no secret in their environment', () => {
  const environment = { PATH: '/bin', HOME: '/home/me', CARRIER_AUTH_TOKEN: 'secret', OPENAI_API_KEY: 'secret' };
  expect(basicEnvironment(environment)).toEqual({ PATH: '/bin', HOME: '/home/me' });
});
