import { randomUUID } from 'node:crypto';
import { deferred } from '../../../src/base/async/deferred.js';
import { until } from '../../e2e/processes.js';
import { type Answer, send } from '../hand-carrier.js';
import { holdTimers } from '../hold-timers.js';
import { IN_PROCESS } from '../in-process-bots.js';
import { type RoomsRequest, refused } from './hand-rooms.js';
import { callFields, OWN_NUMBER, RunnerOnRooms, type WebhookOptions } from './runner-on-rooms.js';

const MINUTE_MS = 60_000;
const OTHER_SECRET = Buffer.from('somebody else').toString('base64');

const errorOf = ({ body }: { body: string }) => JSON.parse(body).error;

describe('a webhook that starts nothing:', () => {
  let served: RunnerOnRooms;
  beforeAll(async () => {
    served = await RunnerOnRooms.serve(IN_PROCESS);
  });
  afterEach(async () => {
    await served.everythingArrived();
    expect(served.rooms.requests.all).toEqual([]);
    expect(served.records.all).toEqual([]);
    expect(served.runner.liveCalls).toBe(0);
  });
  afterAll(() => served[Symbol.asyncDispose]());

  test.each([
    ['text', 'hello'],
    ['half of it', JSON.stringify(callFields('call-1')).slice(0, -1)],
    ['a form', new URLSearchParams(callFields('call-1') as never).toString()],
    ['nothing', ''],
  ])('what is not JSON is 400: %s', async (_, body) => {
    for (const isSigned of [true, false]) {
      const answer = await served.webhook(body, { isSigned });
      expect(answer.status).toBe(400);
      expect(errorOf(answer)).toMatchObject({
        code: 'VB_REQUEST_INVALID',
        message: expect.stringContaining('not JSON'),
      });
    }
  });

  test.each([
    ['the call', { callId: undefined }, ['callId']],
    ['the domain', { callDomain: undefined }, ['callDomain']],
    ['the call, empty', { callId: '' }, ['callId']],
    ['both', { callId: undefined, callDomain: undefined }, ['callId', 'callDomain']],
  ])('one that does not name %s is 400 and says so', async (_, more, missing) => {
    const answer = await served.webhook(callFields('call-1', more));
    expect(answer.status).toBe(400);
    for (const name of missing) expect(errorOf(answer).message).toContain(name);
    for (const name of ['callId', 'callDomain']) {
      if (!missing.includes(name)) expect(errorOf(answer).message).not.toContain(name);
    }
  });

  test.each<[string, WebhookOptions]>([
    ['without a signature', { isSigned: false }],
    ['signed by somebody else', { secret: OTHER_SECRET }],
    ['signed six minutes ago', { signedAt: Date.now() - 6 * MINUTE_MS }],
    ['signed six minutes from now', { signedAt: Date.now() + 6 * MINUTE_MS }],
  ])('one %s is 401, whatever it lacks', async (_, options) => {
    for (const fields of [callFields('call-1'), callFields('call-1', { callId: undefined })]) {
      const answer = await served.webhook(fields, options);
      expect(answer.status).toBe(401);
      expect(errorOf(answer)).toMatchObject({ code: 'VB_UNAUTHORISED' });
    }
  });

  test.each<[string, object, WebhookOptions]>([
    ['marked', { test: 'test' }, {}],
    ['marked otherwise', { Test: 'test' }, {}],
    ['with the number only', { To: OWN_NUMBER }, {}],
    ['with a call in it', callFields('call-1', { test: true }), {}],
    ['unsigned', { test: 'test' }, { isSigned: false }],
    ['signed by somebody else', { test: 'test' }, { secret: OTHER_SECRET }],
  ])('the test request is answered with 200: %s', async (_, fields, options) => {
    const answer = await served.webhook(fields, options);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({ version: 1, status: 'ok' });
  });

  test.each(['GET', 'PUT', 'DELETE'])('%s is 405', async (method) => {
    const answer = await send(`${served.runner.url}/rooms-dialin-webhook`, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST');
  });

  test('one of more than 64 KiB is 413', async () => {
    const answer = await served.webhook(callFields('call-1', { more: 'x'.repeat(65 * 1_024) }));
    expect(answer.status).toBe(413);
  });
});

test('a call is answered with its identifier and gets a bot', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const answer = await served.webhook(callFields('call-1'));
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body)).toEqual({ version: 1, call_id: 'call-1' });
  expect((await served.rooms.bot('call-1')).hello.call).toMatchObject({ id: 'call-1', attempt: 1 });
});

test.each(['/rooms-dialin-webhook/', '/daily-dialin-webhook', '/daily-dialin-webhook/'])(
  'calls come to %s too, by the same rules',
  async (path) => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    expect((await served.webhook(callFields('call-1'), { path, isSigned: false })).status).toBe(401);
    expect((await served.webhook(callFields('call-1'), { path, secret: OTHER_SECRET })).status).toBe(401);
    expect((await send(`${served.runner.url}${path}`, { method: 'GET' })).status).toBe(405);
    expect((await served.webhook({ test: 'test' }, { path, isSigned: false })).status).toBe(200);
    expect((await served.webhook(callFields('call-1'), { path })).status).toBe(200);
    expect((await served.rooms.bot('call-1')).hello.call).toMatchObject({ id: 'call-1', attempt: 1 });
    expect((await served.webhook(callFields('call-1'))).status).toBe(200); // the same call, told of at the other path
    expect(served.rooms.bots).toHaveLength(1);
  },
);

test('a number that was set by hand keeps its calls: the account shows the new secret', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  served.rooms.secrets = [{ webhookUrl: `${served.runner.url}/rooms-dialin-webhook`, secret: OTHER_SECRET }];
  expect((await served.webhook(callFields('call-1'), { secret: OTHER_SECRET })).status).toBe(200);
  await served.rooms.bot('call-1');
  expect((await served.webhook(callFields('call-2'))).status).toBe(200);
  expect((await served.webhook(callFields('call-3'), { isSigned: false })).status).toBe(401);
  expect(served.rooms.secretsRead).toBe(1);
});

test('a call in the spelling of the provider’s samples has its numbers', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const { From: from, To: to, callId: call_id, callDomain: call_domain } = callFields('call-1');
  expect((await served.webhook({ from, to, call_id, call_domain })).status).toBe(200);
  const { call, body } = (await served.rooms.bot('call-1')).hello;
  expect(call).toMatchObject({ from, to });
  expect(body).toMatchObject({ dialin_settings: { From: from, To: to, call_id, call_domain } });
});

test.each<[string, WebhookOptions]>([
  ['unsigned', { isSigned: false }],
  ['signed by somebody else', { secret: OTHER_SECRET }],
])('a call that is %s gets a bot where signatures are not asked for', async (_, options) => {
  await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, insecureWebhooks: true });
  expect((await served.webhook(callFields('call-1'), options)).status).toBe(200);
  await served.rooms.bot('call-1');
});

test('20 deliveries at once, and one later, and one after the call, give one room, one bot and one answer', async () => {
  await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, warm: 2 });
  const deliver = () => served.webhook(callFields('call-1'));
  const answers = await Promise.all(Array.from({ length: 20 }, deliver));
  const bot = await served.rooms.bot('call-1');
  answers.push(await deliver());
  void bot.order('return');
  await served.ended(bot);
  answers.push(await deliver());
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body).toBe(answers[0]?.body);
  }
  await served.everythingArrived();
  expect(served.rooms.asked('createRoom')).toHaveLength(1);
  expect(served.rooms.asked('createToken')).toHaveLength(1);
  expect(served.rooms.bots).toHaveLength(1);
  expect(served.statesOf('call-1')).toEqual(['ringing', 'starting', 'ended']);
});

test('20 calls at once have a room and a bot each', async () => {
  await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, callsPerProcess: 20 });
  const bots = await Promise.all(Array.from({ length: 20 }, () => served.call()));
  expect(new Set(bots.map(({ room }) => room)).size).toBe(20);
  expect(served.rooms.bots).toHaveLength(20);
});

describe('a provider that is slow with', () => {
  /** Longest the provider's webhook waits for a room. */
  const ANSWER_LIMIT_MS = 800;
  afterEach(() => jest.useRealTimers());

  /** Lets time pass until the answer is there. */
  async function later(answer: Promise<Answer>): Promise<Answer> {
    let isThere = false;
    void answer.then(() => {
      isThere = true;
    });
    await until(() => {
      jest.advanceTimersByTime(ANSWER_LIMIT_MS);
      return isThere;
    }, 'the answer');
    return answer;
  }

  test.each<RoomsRequest['method']>(['createRoom', 'createToken'])(
    '%s is not waited for longer than 800 ms, and the bot comes later',
    async (slow) => {
      await using served = await RunnerOnRooms.serve(IN_PROCESS);
      const go = deferred();
      served.rooms.respond = async ({ method }) => {
        if (method === slow) await go.promise;
        return undefined;
      };
      holdTimers();
      const answer = served.webhook(callFields('call-1'));
      await served.rooms.next(slow);
      jest.advanceTimersByTime(ANSWER_LIMIT_MS - 1);
      await served.everythingArrived();
      expect(await Promise.race([answer, 'none'])).toBe('none');
      jest.advanceTimersByTime(1);
      const first = await answer;
      expect(first.status).toBe(200);
      expect((await later(served.webhook(callFields('call-1')))).body).toBe(first.body);
      expect(served.rooms.bots).toEqual([]);
      expect(served.statesOf('call-1')).toEqual(['ringing']);
      go.resolve();
      await served.rooms.bot('call-1');
      expect(served.rooms.asked('createRoom')).toHaveLength(1);
    },
  );

  test('a room that then cannot be created ends the call, which copies are told', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    const go = deferred();
    served.rooms.respond = async ({ method }) => {
      if (method !== 'createRoom') return undefined;
      await go.promise;
      return refused();
    };
    holdTimers();
    expect((await later(served.webhook(callFields('call-1')))).status).toBe(200);
    go.resolve();
    expect(await served.ended('call-1')).toMatchObject({ endReason: 'telephony_error' });
    expect((await served.webhook(callFields('call-1'))).status).toBe(502);
  });
});

describe('no room for a caller:', () => {
  test.each([
    ['it is refused', 'createRoom', refused()],
    ['the key is refused', 'createRoom', refused('VB_CREDENTIALS_REFUSED')],
    ['the answer is lost', 'createRoom', 'lost'],
    ['there is no token', 'createToken', refused()],
    ['the token is lost', 'createToken', 'lost'],
  ] as const)(
    '%s: 502 for every delivery, the call is over, no bot comes and no room stays',
    async (_, failing, answer) => {
      await using served = await RunnerOnRooms.serve(IN_PROCESS);
      served.rooms.respond = ({ method }) => (method === failing ? answer : undefined);
      const answers = await Promise.all([1, 2, 3].map(() => served.webhook(callFields('call-1'))));
      answers.push(await served.webhook(callFields('call-1')));
      for (const { status, body } of answers) {
        expect(status).toBe(502);
        expect(JSON.parse(body).error.code).toBe('VB_ROOMS_REQUEST_FAILED');
        expect(body).toBe(answers[0]?.body);
      }
      expect(await served.ended('call-1')).toMatchObject({ endReason: 'telephony_error' });
      const room = await served.rooms.next('deleteRoom');
      expect(served.rooms.asked('createRoom')).toMatchObject([{ name: room }]);
      await served.closed(room);
      expect(served.rooms.bots).toEqual([]);
      served.rooms.respond = () => undefined;
      await served.call(); // and the next caller is served
    },
  );
});

test('a runner that stops takes no new call, and still knows those it has', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const bot = await served.call('call-1');
  const stopped = served.runner.stop({ drainMs: MINUTE_MS });
  const answer = await served.webhook(callFields(randomUUID()));
  expect(answer.status).toBe(503);
  expect(errorOf(answer)).toMatchObject({ code: 'VB_RUNNER_STOPPING' });
  expect((await served.webhook(callFields('call-1'))).status).toBe(200);
  expect((await served.webhook({ test: 'test' })).status).toBe(200);
  expect(served.rooms.asked('createRoom')).toHaveLength(1);
  void bot.order('return');
  await stopped;
});
