import { startCall } from '../hand-carrier.js';
import { holdTimers } from '../hold-timers.js';
import { IN_PROCESS, muteBots } from '../in-process-bots.js';
import { type RoomsAnswer, type RoomsRequest, refused } from './hand-rooms.js';
import { passTime } from './hold-time.js';
import { ANSWERED, CALLEE, RunnerOnRooms } from './runner-on-rooms.js';

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

test('a call that is not answered in the time for ringing and 30 s more is ended by its bot, which is asked to', async () => {
  await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ringSeconds: 20 });
  await served.ready();
  holdTimers();
  const bot = await served.dial();
  await bot.tell(...DIALLED);
  await passTime(49_999, bot);
  expect(served.statesOf(bot.hello.call.id)).toEqual(['dialling']);
  jest.advanceTimersByTime(1);
  const record = await served.ended(bot);
  expect(record).toMatchObject({ endReason: 'no_answer', attempt: 1 });
  expect(record).not.toHaveProperty('answeredAt');
  expect(await bot.askedToEnd).toMatchObject({ isReplaced: false });
  await served.closed(bot.room);
});

test('a request with parameters of a media stream starts nothing', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const { status, body } = await startCall(served.runner, { phone_number: CALLEE }, { query: '?campaign_id=7' });
  expect([status, body.error.code]).toEqual([400, 'VB_REQUEST_INVALID']);
  expect(JSON.stringify(body.error)).toContain('body');
  expect(served.rooms.requests.all).toEqual([]);
  expect(served.records.all).toEqual([]);
});

test('limits of dialled calls do not count those that no room could be had for, and callers neither', async () => {
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
