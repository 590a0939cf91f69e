import { dialLimitsOf } from '../../src/assembly/dial-limits-of.js';
import { type Config, resolveConfig } from '../../src/config/config.js';
import { parsePrices } from '../../src/runner/costs/prices.js';

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

describe('with a limit in money', () => {
  const minute = { provider: 'twilio', service: 'carrier', unit: 'minute', amount: '0.01', rounding: 60 };
  const priced = (...items: object[]) => ({
    prices: parsePrices({ currency: 'USD', items }, 'prices.json'),
    provider: 'twilio',
  });
  const money = (perDay: string) => configOf({ VOICEBOT_DIAL_MONEY_PER_DAY: perDay });

  test('the amount is taken as it is written, and none counts on the sandbox', async () => {
    expect(dialLimitsOf(await money('12.50'), false, priced(minute)).moneyPerDay).toBe(12_500_000);
    expect(dialLimitsOf(await money('12.50'), true).moneyPerDay).toBeUndefined();
    expect(dialLimitsOf(await configOf(), false, priced(minute)).moneyPerDay).toBeUndefined();
    expect(dialLimitsOf(await money('999999999'), false, priced(minute)).moneyPerDay).toBe(999_999_999_000_000);
    for (const wrong of ['0', '-1', '1,5', 'ten', '1000000000']) {
      await expect(money(wrong)).rejects.toMatchObject({
        code: 'VB_CONFIG_INVALID',
        message: expect.stringContaining('VOICEBOT_DIAL_MONEY_PER_DAY in the environment must be an amount'),
      });
    }
  });

  test('nothing starts without prices of the outgoing minutes, with examples, or with less than one call costs', async () => {
    const config = await money('0.14');
    const problem = (...of: Parameters<typeof priced>) => {
      try {
        dialLimitsOf(config, false, of.length === 0 ? undefined : priced(...of));
      } catch (error) {
        expect(error).toMatchObject({ code: 'VB_CONFIG_INVALID', hint: expect.any(String) });
        return (error as Error).message;
      }
      return 'none';
    };
    expect(problem()).toContain('there is no file of prices');
    expect(problem({ ...minute, provider: 'plivo' })).toContain('no minutes of twilio for outgoing calls');
    expect(problem({ ...minute, direction: 'inbound' })).toContain('no minutes of twilio for outgoing calls');
    expect(problem({ ...minute, source: 'EXAMPLE, no price' })).toContain('are an example');
    expect(problem(minute)).toContain('no call fits into a day of $0.14, since one may cost $0.15');
    expect(problem({ ...minute, amount: '0.009' })).toBe('none');
  });
});
