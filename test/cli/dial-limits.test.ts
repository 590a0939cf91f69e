import { dialLimitsOf } from '../../src/assembly/dial-limits-of.js';
import { type Config, resolveConfig } from '../../src/config/config.js';

const configOf = (environment: Record<string, string> = {}): Promise<Config> =>
  resolveConfig({ flags: {}, environment, directory: '/nowhere' });

test('a number may be called again at once on the sandbox, and after a minute on a real network', async () => {
  const config = await configOf();
  expect(dialLimitsOf(config, true)).toMatchObject({ secondsPerNumber: 0, perMinute: 10, atOnce: 5 });
  expect(dialLimitsOf(config, false)).toMatchObject({ secondsPerNumber: 60, perMinute: 10, atOnce: 5 });
});

test('who sets the time between two calls means the sandbox too', async () => {
  const config = await configOf({ VOICEBOT_DIAL_SECONDS_PER_NUMBER: '7' });
  for (const isSandbox of [true, false]) expect(dialLimitsOf(config, isSandbox).secondsPerNumber).toBe(7);
});

test('minutes in a day are not limited unless it is set, and never those of the sandbox', async () => {
  expect(dialLimitsOf(await configOf(), false).minutesPerDay).toBeUndefined();
  const config = await configOf({ VOICEBOT_DIAL_MINUTES_PER_DAY: '15' });
  expect(dialLimitsOf(config, false).minutesPerDay).toBe(15);
  expect(dialLimitsOf(config, true).minutesPerDay).toBeUndefined();
});

test('a day too short for one call is refused, naming both settings', async () => {
  const config = await configOf({ VOICEBOT_DIAL_MINUTES_PER_DAY: '14' });
  expect(() => dialLimitsOf(config, false)).toThrow(
    expect.objectContaining({
      code: 'VB_CONFIG_INVALID',
      message: expect.stringContaining('one may take 900 s'),
      hint: expect.stringContaining('VOICEBOT_DIAL_MAX_SECONDS'),
    }),
  );
});
