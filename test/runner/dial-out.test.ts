import { randomUUID } from 'node:crypto';
import { silentLogger } from '../../src/base/logger.js';
import { until } from '../e2e/processes.js';
import type { ApiAnswer, ApiRequest } from './hand-api.js';
import { AUTH_ID, AUTH_TOKEN, DialledCall, type StartAnswer, Stream, startCall } from './hand-carrier.js';
import { holdTimers } from './hold-timers.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RUNNER_TOKEN, RunnerUnderTest } from './runner-under-test.js';

let served: RunnerUnderTest;
beforeAll(async () => {
  served = await RunnerUnderTest.start({ ...IN_PROCESS, callsPerProcess: 50 });
});
afterAll(() => served[Symbol.asyncDispose]());
beforeEach(() => {
  served.api.requests.all.length = 0;
  served.api.respond = () => undefined;
});
afterEach(() => jest.useRealTimers());

const isPlacing = ({ method, path }: ApiRequest) => method === 'POST' && path === 'Call/';
const placings = ({ api }: RunnerUnderTest) => api.requests.all.filter(isPlacing);
const hangUps = ({ api }: RunnerUnderTest) => api.requests.all.filter(({ method }) => method === 'DELETE');
const refusal = ({ status, body }: StartAnswer) => [status, body.error.code];

/** From now on the API answers requests for calls like this, one after the other and then with the last. */
function answerPlacing({ api }: RunnerUnderTest, ...answers: Array<ApiAnswer | undefined>): void {
  api.respond = (request) => (isPlacing(request) ? (answers.length > 1 ? answers.shift() : answers[0]) : undefined);
}

describe('a call that is asked for', () => {
  test('is asked of the carrier, with limits, its own numbers in digits and addresses that are signed', async () => {
    await using own = await RunnerUnderTest.start({ ...IN_PROCESS, ringSeconds: 37, dialMaxSeconds: 654 });
    const { status, headers, body } = await startCall(own.runner, { phone_number: '+15551234567' });
    const [placing, ...more] = placings(own);
    expect(more).toEqual([]);
    expect([status, headers.location]).toEqual([202, `/calls/${body.call_id}`]);
    expect(body).toEqual({
      version: 1,
      call_id: expect.stringMatching(/^out_[\w-]{16}$/),
      carrier_call_id: expect.stringMatching(/^[\w-]{36}$/),
    });
    const signed = (path: string) =>
      expect.stringMatching(
        new RegExp(`^${own.runner.url}/${path}\\?call_id=${body.call_id}&.*expires=\\d+&signature=[\\w-]{43}$`),
      );
    expect(placing?.body).toEqual({
      from: '12025550100',
      to: '15551234567',
      time_limit: 654,
      ring_timeout: 37,
      answer_url: signed('answer'),
      answer_method: 'POST',
      ring_url: signed('ring'),
      ring_method: 'POST',
      hangup_url: signed('hangup'),
      hangup_method: 'POST',
    });
    expect(await own.record(body.call_id, { state: 'dialling', providerCallId: body.carrier_call_id })).toMatchObject({
      direction: 'outbound',
      from: '+12025550100',
      to: '+15551234567',
    });
  });

  test('rings, is answered, and talks to a bot of its own', async () => {
    const call = await served.carrier.dial(served.api);
    await call.ring();
    await served.record(call.id, { state: 'ringing' });
    const stream = await Stream.open((await call.answer()).streamUrl);
    expect(stream.hello.call).toEqual({
      id: call.id,
      direction: 'outbound',
      from: '+12025550100',
      isWithheld: false,
      to: '+12025550101',
      attempt: 1,
    });
    expect(await served.record(call.id, { state: 'connected' })).toMatchObject({
      providerCallId: call.callId,
      answeredAt: expect.any(Number),
    });
  });

  test('may last no longer than any call, and is looked at for machines when that is wanted', async () => {
    await using wary = await RunnerUnderTest.start({
      ...IN_PROCESS,
      dialMaxSeconds: 900,
      maxCallSeconds: 60,
      machineDetection: 'report',
    });
    const call = await wary.carrier.dial(wary.api);
    expect(call.fields).toMatchObject({
      time_limit: 60,
      machine_detection: 'true',
      machine_detection_method: 'POST',
      machine_detection_url: expect.stringMatching(/\/machine\?call_id=/),
    });
  });
});

describe('nothing is asked of the carrier', () => {
  test.each([
    ['another host name', { host: 'bot.example.com' }],
    ['a tunnel', { 'x-forwarded-for': '203.0.113.7' }],
    ['a web page', { origin: 'https://evil.example.com' }],
    ['another runner', { host: 'bot.example.com', authorization: 'Bearer another-token' }],
  ])('for whoever comes through %s without the token', async (_, headers) => {
    const calls = served.records.all.length;
    expect(refusal(await startCall(served.runner, undefined, { headers }))).toEqual([401, 'VB_UNAUTHORISED']);
    expect([served.api.requests.all, served.records.all.length]).toEqual([[], calls]);
    const known = { ...headers, authorization: `Bearer ${RUNNER_TOKEN}` };
    expect((await startCall(served.runner, undefined, { headers: known })).status).toBe(202);
  });

  test('when the bot has no number of its own', async () => {
    await using own = await RunnerUnderTest.start({ ...IN_PROCESS, phoneNumber: undefined });
    const answer = await startCall(own.runner);
    expect(refusal(answer)).toEqual([503, 'VB_CONFIG_INVALID']);
    expect(answer.body.error.hint).toContain('CARRIER_PHONE_NUMBER');
    expect(placings(own)).toEqual([]);
  });

  test('for a country that the configuration does not list, and one it lists is dialled', async () => {
    await using own = await RunnerUnderTest.start({ ...IN_PROCESS, dialCountries: ['GB'] });
    expect(refusal(await startCall(own.runner))).toEqual([403, 'VB_TARGET_REFUSED']);
    expect((await startCall(own.runner, { phone_number: '+447700900123' })).status).toBe(202);
    expect(placings(own)).toHaveLength(1);
  });
});

describe('limits', () => {
  const limits = { perMinute: 1_000, atOnce: 100, secondsPerNumber: 0 };

  test('keep one number from being called twice in a row', async () => {
    await using own = await RunnerUnderTest.start({ ...IN_PROCESS, dialLimits: { ...limits, secondsPerNumber: 60 } });
    await own.carrier.dial(own.api);
    const refused = await startCall(own.runner);
    expect(refusal(refused)).toEqual([429, 'VB_DIAL_LIMIT']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    await own.carrier.dial(own.api, { phone_number: '+12025550102' });
    expect(placings(own)).toHaveLength(2);
  });

  test('hold in any minute, whatever became of the calls', async () => {
    await using own = await RunnerUnderTest.start({ ...IN_PROCESS, dialLimits: { ...limits, perMinute: 2 } });
    await (await own.carrier.dial(own.api)).hangup();
    await (await own.carrier.dial(own.api)).hangup();
    const refused = await startCall(own.runner);
    expect(refusal(refused)).toEqual([429, 'VB_DIAL_LIMIT']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    expect(placings(own)).toHaveLength(2);
  });

  test('hold for the minutes of a day, of which a call that nobody answers takes none and another those it has begun', async () => {
    const dialLimits = { ...limits, minutesPerDay: 30 };
    await using own = await RunnerUnderTest.start({ ...IN_PROCESS, dialLimits, dialMaxSeconds: 900 });
    const [silent, answered] = [await own.carrier.dial(own.api), await own.carrier.dial(own.api)];
    const refused = await startCall(own.runner);
    expect(refusal(refused)).toEqual([429, 'VB_DIAL_LIMIT']);
    expect(refused.body.error.message).toContain('30 of the 30 minutes');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await silent.hangup();
    await answered.answer();
    await answered.hangup();
    expect((await startCall(own.runner)).status).toBe(202); // 1 is used, 15 are kept
    expect((await startCall(own.runner)).body.error.message).toContain('16 of the 30 minutes');
  });

  test('are told to the program that holds the runner, and to nobody else', async () => {
    const warn = jest.fn();
    const dialLimits = { ...limits, perMinute: 0 };
    await using own = await RunnerUnderTest.start({ ...IN_PROCESS, dialLimits, logger: { ...silentLogger, warn } });
    const request = { phoneNumber: '+12025550101', body: {}, parameters: {} };
    await expect(own.runner.dial(request)).rejects.toMatchObject({ code: 'VB_DIAL_LIMIT' });
    expect(warn).not.toHaveBeenCalled();
    await startCall(own.runner);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test('do not count calls that the carrier refuses', async () => {
    await using strict = await RunnerUnderTest.start({
      ...IN_PROCESS,
      dialLimits: { perMinute: 1, atOnce: 1, secondsPerNumber: 60 },
    });
    answerPlacing(strict, { status: 400, body: { error: 'no' } }, { status: 401 }, undefined);
    expect((await startCall(strict.runner)).status).toBe(502);
    expect((await startCall(strict.runner)).status).toBe(502);
    expect((await startCall(strict.runner)).status).toBe(202);
  });

  test('count a call that the carrier may have placed', async () => {
    await using own = await RunnerUnderTest.start({
      ...IN_PROCESS,
      dialLimits: { perMinute: 1, atOnce: 1, secondsPerNumber: 0 },
    });
    answerPlacing(own, 'hang_up');
    expect(refusal(await lookedUp(own))).toEqual([503, 'VB_CALL_UNCERTAIN']);
    expect(refusal(await startCall(own.runner))).toEqual([429, 'VB_DIAL_LIMIT']);
  });
});

describe('a carrier that refuses', () => {
  test('our credentials is told of as such, and the call is over', async () => {
    answerPlacing(served, { status: 401 });
    const answer = await startCall(served.runner);
    expect(refusal(answer)).toEqual([502, 'VB_CREDENTIALS_REFUSED']);
    expect(answer.body.error.hint).toMatch(/CARRIER_AUTH_ID.*CARRIER_AUTH_TOKEN/);
    expect(JSON.stringify(answer.body)).not.toContain(AUTH_TOKEN);
    expect(await served.record(askedFor(served).id, { state: 'ended' })).toMatchObject({
      endReason: 'telephony_error',
    });
    expect([placings(served).length, hangUps(served)]).toEqual([1, []]);
  });

  test('the call is told of in its own words', async () => {
    answerPlacing(served, { status: 400, body: { error: 'from parameter is invalid' } });
    const answer = await startCall(served.runner);
    expect(refusal(answer)).toEqual([502, 'VB_CARRIER_REQUEST_FAILED']);
    expect(answer.body.error.message).toContain('from parameter is invalid');
    expect(answer.body.error.hint).toContain('CARRIER_PHONE_NUMBER');
    expect(placings(served)).toHaveLength(1);
  });

  test('to take it now is asked again, and there is one call', async () => {
    answerPlacing(served, { status: 429, headers: { 'retry-after': '0' } }, undefined);
    const { status, body } = await startCall(served.runner);
    expect(status).toBe(202);
    const [first, second, ...more] = placings(served);
    expect([second?.body, more]).toEqual([first?.body, []]);
    expect(askedFor(served).id).toBe(body.call_id);
  });
});

test('a carrier that cannot be reached has dialled nothing', async () => {
  await using own = await RunnerUnderTest.start({
    ...IN_PROCESS,
    credentials: { authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl: 'http://127.0.0.1:1/v1' },
    dialLimits: { perMinute: 1, atOnce: 1, secondsPerNumber: 60 },
  });
  for (const _ of [1, 2]) {
    expect(refusal(await startCall(own.runner))).toEqual([503, 'VB_CARRIER_UNREACHABLE']);
  }
  expect(own.runner.liveCalls).toBe(0);
});

describe('a request with an Idempotency-Key', () => {
  let options: { headers: Record<string, string> };
  beforeEach(() => {
    options = { headers: { 'idempotency-key': randomUUID() } };
  });

  test('that is another one is refused', async () => {
    await startCall(served.runner, undefined, options);
    const other = await startCall(served.runner, { phone_number: '+12025550102' }, options);
    expect(refusal(other)).toEqual([409, 'VB_REQUEST_CONFLICT']);
    expect(placings(served)).toHaveLength(1);
  });

  test('never dials again where the carrier may have dialled', async () => {
    answerPlacing(served, { status: 500 }, undefined);
    expect(refusal(await lookedUp(served, options))).toEqual([503, 'VB_CALL_UNCERTAIN']);
    expect(refusal(await startCall(served.runner, undefined, options))).toEqual([503, 'VB_CALL_UNCERTAIN']);
    expect(placings(served)).toHaveLength(1);
  });
});

describe.each([
  ['got lost', 'hang_up' as const],
  ['was a failure of its own', { status: 500, body: { error: 'internal' } }],
  ['cannot be read', { status: 201 }],
])("a call whose carrier's answer %s", (_, lost) => {
  test('is known as soon as it rings', async () => {
    answerPlacing(served, lost);
    holdTimers();
    const starting = startCall(served.runner);
    const call = await nextAskedFor(served);
    await call.ring();
    await passingTime(starting);
    expect(await starting).toMatchObject({ status: 202, body: { call_id: call.id, carrier_call_id: call.callId } });
    expect((await Stream.open((await call.answer()).streamUrl)).hello.call.id).toBe(call.id);
    expect([placings(served).length, hangUps(served)]).toEqual([1, []]);
  });

  test('is known when it is over already', async () => {
    answerPlacing(served, lost);
    holdTimers();
    const starting = startCall(served.runner);
    const call = await nextAskedFor(served);
    await call.hangup({ HangupCauseCode: '3010' });
    await passingTime(starting);
    expect(await starting).toMatchObject({ status: 202, body: { call_id: call.id, carrier_call_id: call.callId } });
    expect(await served.record(call.id, { state: 'ended' })).toMatchObject({ endReason: 'busy' });
  });

  test.each([1, 2])(
    'is there when the carrier lists %d that nobody knows, and is named when it rings',
    async (count) => {
      const other = await served.carrier.dial(served.api);
      const calls = [other.callId, ...Array.from({ length: count }, () => randomUUID())];
      served.api.respond = (request) => {
        if (isPlacing(request)) return lost;
        return /status=live/.test(request.path) ? { status: 200, body: { calls } } : undefined;
      };
      const { status, body } = await startCall(served.runner);
      expect([status, body.carrier_call_id]).toEqual([202, null]);
      const looked = await served.api.next('GET', /status=live/);
      expect(looked.path).toContain('call_direction=outbound&from_number=12025550100&to_number=12025550101');
      const call = askedFor(served);
      expect(call.id).toBe(body.call_id);
      await call.ring();
      expect(await served.record(call.id, { state: 'ringing' })).toMatchObject({ providerCallId: call.callId });
      expect([placings(served).length, hangUps(served)]).toEqual([2, []]);
    },
  );

  test('is uncertain when the carrier lists none but those of others', async () => {
    const other = await served.carrier.dial(served.api);
    served.api.respond = (request) => {
      if (isPlacing(request)) return lost;
      return /status=live/.test(request.path) ? { status: 200, body: { calls: [other.callId] } } : undefined;
    };
    expect(refusal(await lookedUp(served))).toEqual([503, 'VB_CALL_UNCERTAIN']);
    expect([placings(served).length, hangUps(served)]).toEqual([2, []]);
  });

  test('is uncertain when there is no trace of it, and is ended if it comes about after all', async () => {
    answerPlacing(served, lost);
    const answer = await lookedUp(served);
    expect(refusal(answer)).toEqual([503, 'VB_CALL_UNCERTAIN']);
    const call = askedFor(served);
    const ended = await served.record(call.id, { state: 'ended' });
    expect(ended).toMatchObject({ endReason: 'telephony_error' });
    expect(ended).not.toHaveProperty('providerCallId');
    expect([placings(served).length, hangUps(served)]).toEqual([1, []]);

    expect((await call.answer()).verbs).toEqual(['Hangup']);
    await call.ring();
    expect((await served.api.next('DELETE', /^Call\//)).path).toBe(`Call/${call.callId}/`);
    await call.hangup({ HangupSource: 'API Request', HangupCauseCode: '1000' });
    expect([served.records.all.at(-1), placings(served).length]).toEqual([ended, 1]);
  });
});

test('a call that the carrier takes while the runner stops is ended by the next runner', async () => {
  const first = await RunnerUnderTest.start(IN_PROCESS);
  const { api } = first;
  api.respond = () => {
    void first.runner.stop();
    void first.runner.stop(); // at once
    return undefined;
  };
  const answer = startCall(first.runner).catch(() => undefined); // the runner does not stay to answer
  await until(() => placings(first).length === 1, 'the carrier is asked for the call');
  await Promise.all([answer, first.runner.stop()]);
  api.respond = () => undefined;
  const { stateDirectory } = first;
  const credentials = { authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl: api.url };
  await using next = new RunnerUnderTest({ credentials, stateDirectory });
  await next.runner.start();
  await api.next('DELETE', /^Call\/[\w-]+\/$/);
  await first[Symbol.asyncDispose]();
});

/** The call that the runner has asked the carrier for. */
function askedFor({ api, carrier }: RunnerUnderTest): DialledCall {
  const fields = api.requests.all.findLast(isPlacing)?.body as Record<string, string>;
  const id = new URL(fields.answer_url ?? '').searchParams.get('call_id') ?? '';
  return new DialledCall(carrier, fields, id);
}

async function nextAskedFor(served: RunnerUnderTest): Promise<DialledCall> {
  await until(() => served.api.requests.all.some(isPlacing), 'the carrier is asked for a call');
  return askedFor(served);
}

/** Lets the runner's time pass until `done` is settled. */
async function passingTime(done: Promise<unknown>): Promise<void> {
  let isDone = false;
  void done.finally(() => {
    isDone = true;
  });
  await until(() => {
    jest.advanceTimersByTime(1_500);
    return isDone;
  }, 'the request is answered');
}

/** Asks for a call and lets the time pass in which the runner looks for it. */
async function lookedUp(served: RunnerUnderTest, options?: Parameters<typeof startCall>[2]): Promise<StartAnswer> {
  holdTimers();
  const starting = startCall(served.runner, undefined, options);
  await passingTime(starting);
  jest.useRealTimers();
  return await starting;
}
