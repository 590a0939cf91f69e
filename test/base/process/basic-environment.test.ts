import { basicEnvironment } from '../../../src/base/process/basic-environment.js';

test('child processes get no secret in their environment', () => {
  const environment = { PATH: '/bin', HOME: '/home/me', CARRIER_AUTH_TOKEN: 'secret', OPENAI_API_KEY: 'secret' };
  expect(basicEnvironment(environment)).toEqual({ PATH: '/bin', HOME: '/home/me' });
});
