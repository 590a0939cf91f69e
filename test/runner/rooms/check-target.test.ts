import { VoicebotError } from '../../../src/base/errors.js';
import { type LogFields, silentLogger } from '../../../src/base/logger.js';
import { alone } from '../../../src/runner/alone.js';
import { ForgetfulList } from '../../../src/runner/dialing/do-not-call/do-not-call-list.js';
import { IN_PROCESS } from '../in-process-bots.js';
import { CALLEE, OWN_NUMBER, RunnerOnRooms } from './runner-on-rooms.js';

const OPERATOR = '+493012345678';
const FIVE = ['+12025550111', '+12025550112', '+12025550113', '+12025550114', '+12025550115'];

describe('a bot that asks whether it may call a number', () => {
  let served: RunnerOnRooms;
  beforeAll(async () => {
    served = await RunnerOnRooms.serve({ ...IN_PROCESS, callsPerProcess: 20 });
  });
  afterAll(() => served[Symbol.asyncDispose]());

  test('is told so, with the number as it is dialled', async () => {
    const bot = await served.connectedCall();
    expect(await bot.checkTarget(CALLEE)).toBe(CALLEE);
  });

  test.each([
    ['of another country', '+493012345678', { code: 'VB_TARGET_REFUSED', hint: expect.stringContaining('DE') }],
    ['of its own', OWN_NUMBER, { code: 'VB_TARGET_REFUSED' }],
    ['of a premium service', '+19005550123', { code: 'VB_TARGET_REFUSED' }],
    ['that is none', '12', { code: 'VB_REQUEST_INVALID' }],
    ['that is a SIP address', 'sip:operator@example.com', { code: 'VB_REQUEST_INVALID' }],
  ])('is refused one %s, and its call goes on', async (_, to, error) => {
    const bot = await served.connectedCall();
    expect(await bot.checkTarget(to)).toMatchObject({
      name: 'VoicebotError',
      message: expect.stringContaining(': '),
      ...error,
    });
    expect(await bot.checkTarget(CALLEE)).toBe(CALLEE);
    expect(served.statesOf(bot.hello.call.id).at(-1)).toBe('connected');
  });

  test("may call the operator, and other countries' numbers where that is configured", async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, operatorNumber: OPERATOR, dialCountries: ['FR'] });
    const bot = await served.connectedCall();
    expect(await bot.checkTarget(OPERATOR)).toBe(OPERATOR);
    expect(await bot.checkTarget('+33142685300')).toBe('+33142685300');
    expect(await bot.checkTarget(CALLEE)).toMatchObject({ code: 'VB_TARGET_REFUSED' });
  });

  test('is told, and so is the log, that nobody is the operator where the number is not set', async () => {
    const logged: string[] = [];
    const warn = (message: string, fields?: LogFields) => void logged.push(`${message}: ${fields?.reason}`);
    const logger = { ...silentLogger, warn };
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, dialCountries: ['FR'], logger });
    const bot = await served.connectedCall();
    expect(await bot.checkTarget(CALLEE)).toMatchObject({
      code: 'VB_TARGET_REFUSED',
      message: expect.stringContaining('OPERATOR_NUMBER is not set'),
    });
    expect(logged).toContainEqual(
      expect.stringMatching(/^transfer to an unassigned number: OPERATOR_NUMBER is not set/),
    );
  });

  test('is refused the sixth; numbers that were refused do not count', async () => {
    const bot = await served.connectedCall();
    await bot.checkTarget('+493012345678');
    for (const to of FIVE) expect(await bot.checkTarget(to)).toBe(to);
    expect(await bot.checkTarget(CALLEE)).toMatchObject({ code: 'VB_DIAL_LIMIT' });
    expect(await bot.checkTarget('+12025550111')).toMatchObject({ code: 'VB_DIAL_LIMIT' });
    expect(await (await served.connectedCall()).checkTarget(CALLEE)).toBe(CALLEE);
  });

  test('gets no more of them by being replaced', async () => {
    const bot = await served.call('call-1');
    await bot.tell({ type: 'joined' });
    for (const to of FIVE) await bot.checkTarget(to);
    void bot.order('throw');
    const next = await served.rooms.bot('call-1', 2);
    await next.tell({ type: 'joined' });
    expect(await next.checkTarget(CALLEE)).toMatchObject({ code: 'VB_DIAL_LIMIT' });
  });

  test('may call the one it was started for besides, as often as it likes', async () => {
    const bot = await served.dial({ phone_number: CALLEE });
    await bot.tell({ type: 'joined' });
    for (const to of [CALLEE, CALLEE, ...FIVE, CALLEE]) expect(await bot.checkTarget(to)).toBe(to);
    expect(await bot.checkTarget('+12025550116')).toMatchObject({ code: 'VB_DIAL_LIMIT' });
  });

  test('is refused any before it is in the room: another one may be there first', async () => {
    const bot = await served.dial({ phone_number: CALLEE });
    expect(await bot.checkTarget(CALLEE)).toMatchObject({ code: 'VB_TARGET_REFUSED' });
  });

  test.each([
    ['another runner has put on the do-not-call list', 'VB_DO_NOT_CALL', ['VB_DO_NOT_CALL', 'VB_DO_NOT_CALL']],
    ['cannot be looked up there, unless it transfers', 'VB_CLUSTER_UNREACHABLE', ['VB_CLUSTER_UNREACHABLE', FIVE[0]]],
  ] as const)('is refused one that %s since the call was admitted', async (_, code, expected) => {
    const list = new ForgetfulList();
    await using own = await RunnerOnRooms.serve({ ...IN_PROCESS, coordination: { ...alone, doNotCall: () => list } });
    const bot = await own.dial({ phone_number: CALLEE });
    await bot.tell({ type: 'joined' });
    list.check = async () => {
      throw new VoicebotError(code, 'x');
    };
    const answers = [await bot.checkTarget(CALLEE), await bot.checkTarget(FIVE[0] as string)];
    expect(answers.map((answer) => (typeof answer === 'string' ? answer : (answer as VoicebotError).code))).toEqual(
      expected,
    );
  });

  test('gets each answer when it asks about several at once', async () => {
    const bot = await served.connectedCall();
    const answers = await Promise.all([CALLEE, '12', '+12025550111'].map((to) => bot.checkTarget(to)));
    expect(answers).toMatchObject([CALLEE, { code: 'VB_REQUEST_INVALID' }, '+12025550111']);
  });
});
