import { asCallId } from '../../../src/call/call-id.js';
import { DialLimits } from '../../../src/runner/dialing/dial-limits.js';
import { loadNumberingPlans } from '../../../src/runner/dialing/dial-target.js';
import { parseStartRequest } from '../../../src/runner/dialing/start-request.js';
import { targetCheck } from '../../../src/runner/dialing/target-check.js';
import { DISGUISES } from '../../call/disguises.js';

const OWN = '+12025550100';
const check = targetCheck({ phoneNumber: OWN, operatorNumber: '+442079460000' });

beforeAll(loadNumberingPlans);

describe.each(DISGUISES)('with %s', (_, write) => {
  test.each([
    ['a premium number', '+19005550123', 'premium-rate'],
    ['a service code', '+19115550123', 'emergency'],
    ['a satellite telephone', '+881631234567', 'satellite'],
    ['a number of another country', '+4915222222222', 'not among the allowed countries'],
    ["the bot's own number", OWN, "the bot's own number"],
    ["the bot's own number with a national prefix", '+112025550100', "the bot's own number"],
  ])('%s is refused as such', async (_what, number, reason) => {
    for (const field of ['phone_number', 'toEndPoint', 'the number'])
      await expect(check(write(number), field)).rejects.toMatchObject({
        code: 'VB_TARGET_REFUSED',
        message: expect.stringContaining(reason),
      });
  });

  test('the number that is checked is the one that is dialled', async () => {
    expect(await check(write('+12025550101'), 'phone_number')).toBe('+12025550101');
    expect(await check(write('+442079460000'), 'phone_number')).toBe('+442079460000');
  });

  test('a repeated request is the same request, and a second call to the number is one', async () => {
    const body = JSON.stringify({ phone_number: write('+12025550101') });
    expect(parseStartRequest(Buffer.from(body)).phoneNumber).toBe('+12025550101');
    const limits = new DialLimits({ perMinute: 9, atOnce: 9, secondsPerNumber: 60 });
    await limits.admit(await check('+12025550101', 'phone_number'), asCallId('1'));
    const again = limits.admit(await check(write('+12025550101'), 'phone_number'), asCallId('2'));
    await expect(again).rejects.toMatchObject({ code: 'VB_DIAL_LIMIT' });
  });
});

describe('numbers that are set with a national prefix', () => {
  const setSo = targetCheck({ phoneNumber: '+4402079460001', operatorNumber: '+112025550100' });

  test.each(['+442079460001', '+44 (0)20 7946 0001'])("%s is the bot's own number", async (own) => {
    for (const field of ['phone_number', 'toEndPoint', 'the number'])
      await expect(setSo(own, field)).rejects.toMatchObject({
        code: 'VB_TARGET_REFUSED',
        message: expect.stringContaining("the bot's own number"),
      });
  });

  test('the operator may be called in any country, and the country is that of the own number', async () => {
    expect(await setSo('+12025550100', 'toEndPoint')).toBe('+12025550100');
    expect(await setSo('+442079460002', 'toEndPoint')).toBe('+442079460002');
    await expect(setSo('+12025550101', 'toEndPoint')).rejects.toMatchObject({ code: 'VB_TARGET_REFUSED' });
  });
});

test('the reason names the field and the character, not the number', async () => {
  await expect(check('+1202555O101', 'phone_number')).rejects.toMatchObject({
    code: 'VB_REQUEST_INVALID',
    message: expect.stringMatching(/phone_number has the letter O \(U\+004F\) at character 9, which is no digit$/),
  });
});
