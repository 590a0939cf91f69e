import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { basicEnvironment } from '../../src/base/process/basic-environment.js';
import { processEnvironment, stateDirectory, wantsColour } from '../../src/config/environment.js';

test('state lives in VOICEBOT_HOME, or in the home directory', () => {
  expect(stateDirectory({ VOICEBOT_HOME: 'somewhere' })).toBe(resolve('somewhere'));
  expect(stateDirectory({ VOICEBOT_HOME: '' })).toBe(join(homedir(), '.voicebot'));
});

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '' }, true, true],
  [{ NO_COLOR: '0' }, true, false],
  [{ TERM: 'dumb' }, true, false],
  [{ TERM: 'xterm' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ FORCE_COLOR: 'false' }, true, false],
  [{ FORCE_COLOR: '' }, false, false],
])('with %j and a terminal: %s, output is coloured: %s', (environment, isTerminal, isColoured) => {
  expect(wantsColour(environment, isTerminal)).toBe(isColoured);
});

test('on Windows names of variables are found whatever their case', () => {
  const windows = { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows', carrier_auth_id: 'AC1' };
  expect(processEnvironment(windows, 'win32')).toEqual({
    PATH: 'C:\\Windows',
    SYSTEMROOT: 'C:\\Windows',
    CARRIER_AUTH_ID: 'AC1',
  });
  expect(basicEnvironment(processEnvironment(windows, 'win32'))).toEqual({
    PATH: 'C:\\Windows',
    SYSTEMROOT: 'C:\\Windows',
  });
});

test.each<NodeJS.Platform>(['linux', 'darwin'])('on %s they are what they are', (platform) => {
  const environment = { Path: 'one', PATH: 'other' };
  expect(processEnvironment(environment, platform)).toEqual(environment);
});
