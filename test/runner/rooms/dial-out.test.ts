import type { EndReason } from '../../../src/call/call.js';
import { startCall } from '../hand-carrier.js';
import { holdTimers } from '../hold-timers.js';
import { IN_PROCESS, muteBots } from '../in-process-bots.js';
import { type RoomsAnswer, type RoomsRequest, refused } from './hand-rooms.js';
import { passTime } from './hold-time.js';
import { ANSWERED, CALLEE, OWN_NUMBER, RunnerOnRooms } from './runner-on-rooms.js';

beforeEach(muteBots);
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const DIALLED = ANSWERED.slice(0, 2);

test('a request is answered with 202 and a call that a bot is started for', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const answer = await startCall(served.runner, { phone_number: CALLEE });
  expect(answer.status).toBe(202);
  expect(answer.body).toEqual({ version: 1, call_id: expect.stringMatching(/^out_/), carrier_call_id: null });
  expect(answer.headers.location).toBe(`/calls/${answer.body.call_id}`);
  await served.rooms.bot(answer.body.call_id);
});

test('a call goes from dialling to its end as its bot tells it', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const bot = await served.dial();
  const { id } = bot.hello.call;
  expect(served.statesOf(id)).toEqual(['dialling']);
  await bot.tell(...ANSWERED, { type: 'over', reason: 'caller_hung_up' });
  void bot.order('return');
  expect(await served.ended(bot)).toMatchObject({
    direction: 'outbound',
    endReason: 'caller_hung_up',
    answeredAt: expect.any(Number),
  });
  expect(served.statesOf(id)).toEqual(['dialling', 'ringing', 'connected', 'ended']);
  await served.closed(bot.room);
});

test.each<EndReason>(['busy', 'no_answer', 'rejected', 'telephony_error'])(
  'a call that nobody takes ends as its bot says: %s',
  async (reason) => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    const bot = await served.dial();
    await bot.tell(...DIALLED, { type: 'over', reason });
    void bot.order(reason === 'rejected' ? 'throw' : 'return');
    const record = await served.ended(bot);
    expect(record).toMatchObject({ endReason: reason, attempt: 1 });
    expect(record).not.toHaveProperty('answeredAt');
    await served.closed(bot.room);
  },
);

describe('a call that is not answered in the time for ringing and 30 s more', () => {
  test('is ended by its bot, which is asked to', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ringSeconds: 20 });
    await served.ready();
    holdTimers();
    const bot = await served.dial();
    await bot.tell(...DIALLED);
    await passTime(49_999, bot);
    expect(served.statesOf(bot.hello.call.id)).toEqual(['dialling']);
    jest.advanceTimersByTime(1);
    expect(await served.ended(bot)).toMatchObject({ endReason: 'no_answer', attempt: 1 });
    expect(await bot.askedToEnd).toMatchObject({ isReplaced: false });
    await served.closed(bot.room);
  });

  test('is ended 5 s later when its bot does not', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ringSeconds: 20 });
    await served.ready();
    holdTimers();
    const bot = await served.dial();
    await bot.order('ignore_stop');
    await bot.tell(...DIALLED);
    await passTime(54_999, bot);
    expect(served.runner.liveCalls).toBe(1);
    jest.advanceTimersByTime(1);
    expect(await served.ended(bot)).toMatchObject({ endReason: 'no_answer' });
    await served.closed(bot.room);
  });

  test('is ended after the time for ringing when it does ring', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ringSeconds: 20 });
    await served.ready();
    holdTimers();
    const bot = await served.dial();
    await bot.tell(...DIALLED);
    await passTime(30_000, bot);
    await bot.tell({ type: 'ringing' });
    await passTime(19_999, bot);
    expect(served.runner.liveCalls).toBe(1);
    jest.advanceTimersByTime(1);
    expect(await served.ended(bot)).toMatchObject({ endReason: 'no_answer', attempt: 1 });
  });

  test('by a bot that never dials has not been connected', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ringSeconds: 20 });
    await served.ready();
    holdTimers();
    const bot = await served.dial();
    await bot.tell({ type: 'joined' });
    await passTime(49_999, bot);
    jest.advanceTimersByTime(1);
    expect(await served.ended(bot)).toMatchObject({ endReason: 'not_connected' });
  });

  test('was busy when its bot has said so before', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ringSeconds: 20 });
    await served.ready();
    holdTimers();
    const bot = await served.dial();
    await bot.tell(...DIALLED, { type: 'over', reason: 'busy' });
    await passTime(49_999, bot);
    jest.advanceTimersByTime(1);
    expect(await served.ended(bot)).toMatchObject({ endReason: 'busy' });
  });
});

test('a call that has been answered has no such time', async () => {
  await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ringSeconds: 20 });
  await served.ready();
  holdTimers();
  const bot = await served.dial();
  await bot.tell(...ANSWERED, { type: 'ringing' }); // the last comes late
  await passTime(60_000, bot);
  expect(served.statesOf(bot.hello.call.id)).toEqual(['dialling', 'ringing', 'connected']);
});

describe('a request that is refused', () => {
  let served: RunnerOnRooms;
  beforeAll(async () => {
    served = await RunnerOnRooms.serve(IN_PROCESS);
  });
  afterAll(() => served[Symbol.asyncDispose]());

  test.each([
    ['to another country', { phone_number: '+493012345678' }, '', 403, 'VB_TARGET_REFUSED', 'DE'],
    ['to our own number', { phone_number: OWN_NUMBER }, '', 403, 'VB_TARGET_REFUSED', 'own number'],
    ['to no number', { phone_number: '12' }, '', 400, 'VB_REQUEST_INVALID', 'phone_number'],
    [
      'with parameters of a media stream',
      { phone_number: CALLEE },
      '?campaign_id=7',
      400,
      'VB_REQUEST_INVALID',
      'body',
    ],
    ['with a field we do not know', { phone_number: CALLEE, room: 'mine' }, '', 400, 'VB_REQUEST_INVALID', 'room'],
  ])('%s starts nothing', async (_, request, query, status, code, says) => {
    const answer = await startCall(served.runner, request, { query });
    expect(answer.status).toBe(status);
    expect(answer.body.error.code).toBe(code);
    expect(JSON.stringify(answer.body.error)).toContain(says);
    expect(served.rooms.requests.all).toEqual([]);
    expect(served.records.all).toEqual([]);
  });
});

test('a request that is repeated with its key starts one call', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const headers = { 'idempotency-key': 'once' };
  const answers = await Promise.all(
    [1, 2, 3].map(() => startCall(served.runner, { phone_number: CALLEE }, { headers })),
  );
  expect(new Set(answers.map(({ body }) => body.call_id)).size).toBe(1);
  expect(served.rooms.asked('createRoom')).toHaveLength(1);
});

describe('as many calls at once as are allowed', () => {
  const ONE: Parameters<typeof RunnerOnRooms.serve>[0] = {
    dialLimits: { perMinute: 1_000, atOnce: 1, secondsPerNumber: 0 },
  };

  test('leave no place for another one, until one is over', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ...ONE });
    const bot = await served.dial();
    const answer = await startCall(served.runner, { phone_number: CALLEE });
    expect(answer.status).toBe(429);
    expect(answer.body.error.code).toBe('VB_DIAL_LIMIT');
    void bot.order('return');
    await served.ended(bot);
    await served.dial();
  });

  test('do not count those that no room could be had for, and callers neither', async () => {
    await using served = await RunnerOnRooms.serve({
      ...IN_PROCESS,
      dialLimits: { perMinute: 1, atOnce: 1, secondsPerNumber: 60 },
    });
    await served.call();
    served.rooms.respond = () => refused();
    expect((await startCall(served.runner)).status).toBe(502);
    served.rooms.respond = () => undefined;
    const bot = await served.dial();
    void bot.order('return');
    await served.ended(bot);
    expect((await startCall(served.runner)).status).toBe(429);
  });
});

describe('a call that no room can be had for', () => {
  test.each<[string, RoomsRequest['method'], RoomsAnswer, number, string]>([
    ['refused', 'createRoom', refused(), 502, 'VB_ROOMS_REQUEST_FAILED'],
    ['refused to our key', 'createRoom', refused('VB_CREDENTIALS_REFUSED'), 502, 'VB_CREDENTIALS_REFUSED'],
    ['without an answer', 'createRoom', 'lost', 503, 'VB_ROOMS_UNREACHABLE'],
    ['without a token', 'createToken', refused(), 502, 'VB_ROOMS_REQUEST_FAILED'],
    ['without an answer about its token', 'createToken', 'lost', 503, 'VB_ROOMS_UNREACHABLE'],
  ])('%s: the request fails, the call is over, and no room stays', async (_, failing, problem, status, code) => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    served.rooms.respond = ({ method }) => (method === failing ? problem : undefined);
    const answer = await startCall(served.runner, { phone_number: CALLEE });
    expect(answer.status).toBe(status);
    expect(answer.body.error.code).toBe(code);
    const [record] = served.records.all;
    expect(await served.ended(record?.id ?? '')).toMatchObject({ endReason: 'telephony_error' });
    await served.closed(await served.rooms.next('deleteRoom'));
    expect(served.rooms.open.size).toBe(0);
    expect(served.rooms.bots).toEqual([]);
  });
});

test('a runner that stops dials no more', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const bot = await served.dial();
  const stopped = served.runner.stop({ drainMs: 60_000 });
  const answer = await startCall(served.runner, { phone_number: CALLEE });
  expect(answer.status).toBe(503);
  expect(answer.body.error.code).toBe('VB_RUNNER_STOPPING');
  void bot.order('return');
  await stopped;
  expect(served.rooms.asked('createRoom')).toHaveLength(1);
});
