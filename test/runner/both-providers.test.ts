import { randomUUID } from 'node:crypto';
import { silentLogger } from '../../src/base/logger.js';
import { Inbox } from '../sandbox/inbox.js';
import { CARRIER, type CallUnderTest, type ProviderUnderTest, ROOMS, type RunnerWithCalls } from './call-under-test.js';
import { startCall } from './hand-carrier.js';
import { holdTimers } from './hold-timers.js';
import { IN_PROCESS, muteBots } from './in-process-bots.js';
import type { TestRunnerOptions } from './runner-under-test.js';

beforeEach(muteBots);
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** A runner for whose calls no time passes but what a test lets pass. */
async function start(provider: ProviderUnderTest, options: TestRunnerOptions = {}): Promise<RunnerWithCalls> {
  const calls = await provider.start({ ...IN_PROCESS, ...options });
  holdTimers();
  return calls;
}

type Open = (calls: RunnerWithCalls) => Promise<CallUnderTest>;
const inbound: Open = (calls) => calls.call();
const dialled: Open = async (calls) => (await calls.dial()).answer();

const PROVIDERS: Array<[string, ProviderUnderTest]> = [
  ['on the carrier', CARRIER],
  ['in a room', ROOMS],
];
const CALLS = PROVIDERS.flatMap(
  ([where, provider]): Array<[string, ProviderUnderTest, Open]> => [
    [`a call that came in ${where}`, provider, inbound],
    [`a call that went out ${where}`, provider, dialled],
  ],
);

/** Its last 5 s are for the goodbye. */
const SEVEN_SECONDS: TestRunnerOptions = { maxCallSeconds: 7, dialMaxSeconds: 900 };

describe.each(CALLS)('%s', (_, provider, open) => {
  test('that becomes too long is ended by its bot, which is asked to 5 s before', async () => {
    await using calls = await start(provider, SEVEN_SECONDS);
    const call = await open(calls);
    jest.advanceTimersByTime(1_999);
    await call.isServed();
    jest.advanceTimersByTime(1);
    expect(await call.endedByBot()).toMatchObject({ endReason: 'limit_reached', attempt: 1 });
    const asked = await call.endRequests();
    jest.advanceTimersByTime(60_000);
    expect(await call.endRequests()).toBe(asked);
  });

  test('that becomes too long is ended at its provider when its bot does not end it', async () => {
    await using calls = await start(provider, SEVEN_SECONDS);
    const call = await open(calls);
    await call.makeStubborn();
    jest.advanceTimersByTime(2_000);
    await call.isServed();
    jest.advanceTimersByTime(4_999);
    await call.isServed();
    expect(await call.endRequests()).toBe(0);
    jest.advanceTimersByTime(1);
    expect(await call.endedByRunner()).toMatchObject({ endReason: 'limit_reached' });
    expect(await call.endRequests()).toBe(1);
    expect(calls.served.runner.liveCalls).toBe(0);
  });

  test('of a runner that stops is ended by its bot, which is asked to after the wait', async () => {
    await using calls = await start(provider, { drainMs: 30_000 });
    const call = await open(calls);
    const stopped = calls.served.runner.stop();
    jest.advanceTimersByTime(29_999);
    await call.isServed();
    jest.advanceTimersByTime(1);
    expect(await call.endedByBot()).toMatchObject({ endReason: 'runner_stopped', attempt: 1 });
    await stopped;
  });

  test('whose bot returns has been ended by it', async () => {
    await using calls = await start(provider);
    const call = await open(calls);
    call.order('return');
    expect(await call.endedByBot()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
  });

  test('is given two more bots when its bot fails; then it is over', async () => {
    await using calls = await start(provider);
    let call = await open(calls);
    for (const attempt of [1, 2, 3]) {
      if (attempt > 1) call = await call.nextBot();
      call.order('throw');
    }
    expect(await call.endedForWantOfBots()).toMatchObject({ endReason: 'bot_crashed', attempt: 3 });
  });
});

describe.each(PROVIDERS)('a call %s', (_, provider) => {
  test('that is dialled has the smaller of two limits', async () => {
    await using calls = await start(provider, { maxCallSeconds: 3_600, dialMaxSeconds: 7 });
    const call = await dialled(calls);
    jest.advanceTimersByTime(2_000);
    expect(await call.endedByBot()).toMatchObject({ endReason: 'limit_reached' });
  });

  test('that came in has nothing to do with the limit of dialled ones', async () => {
    await using calls = await start(provider, { dialMaxSeconds: 6 });
    const call = await calls.call();
    jest.advanceTimersByTime(7_000);
    await call.isServed();
    expect(await call.endRequests()).toBe(0);
  });

  test('has its length from the answer, however long it rang', async () => {
    await using calls = await start(provider, { dialMaxSeconds: 7 });
    const ringing = await calls.dial();
    await ringing.ring();
    jest.advanceTimersByTime(40_000);
    const call = await ringing.answer();
    jest.advanceTimersByTime(1_999);
    await call.isServed();
    jest.advanceTimersByTime(1);
    expect(await call.endedByBot()).toMatchObject({ endReason: 'limit_reached' });
  });

  test('has one length, although another bot takes over', async () => {
    await using calls = await start(provider, SEVEN_SECONDS);
    const first = await calls.call();
    jest.advanceTimersByTime(1_000);
    first.order('throw');
    const second = await first.nextBot();
    jest.advanceTimersByTime(999);
    await second.isServed();
    jest.advanceTimersByTime(1);
    expect(await second.endedByBot()).toMatchObject({ endReason: 'limit_reached', attempt: 2 });
  });

  test('whose bot crashes over its goodbye is over, without another bot', async () => {
    await using calls = await start(provider, SEVEN_SECONDS);
    const call = await calls.call();
    await call.makeStubborn();
    jest.advanceTimersByTime(2_000);
    await call.isServed();
    call.order('throw');
    expect(await call.endedByBot()).toMatchObject({ endReason: 'limit_reached', attempt: 1 });
  });

  test('that was over before its limit is left in peace', async () => {
    await using calls = await start(provider, SEVEN_SECONDS);
    const call = await calls.call();
    expect(await call.hangUp()).toMatchObject({ endReason: 'caller_hung_up' });
    const asked = await call.endRequests();
    jest.advanceTimersByTime(60_000);
    expect(await call.endRequests()).toBe(asked);
    expect(calls.served.records.all.filter(({ state }) => state === 'ended')).toHaveLength(1);
  });

  test('goes on to its end while its runner stops', async () => {
    await using calls = await start(provider, { drainMs: 60_000 });
    const call = await calls.call();
    const stopped = calls.served.runner.stop();
    await call.isServed();
    call.order('return');
    expect(await call.endedByBot()).toMatchObject({ endReason: 'bot_ended' });
    await stopped;
  });

  test('has its bot replaced while its runner stops', async () => {
    await using calls = await start(provider, { drainMs: 60_000 });
    const call = await calls.call();
    void calls.served.runner.stop();
    call.order('throw');
    await (await call.nextBot()).isServed();
  });

  test('goes from dialling to its end', async () => {
    await using calls = await start(provider);
    const ringing = await calls.dial();
    await ringing.ring();
    const call = await ringing.answer();
    expect(await call.hangUp()).toMatchObject({
      direction: 'outbound',
      from: '+12025550100',
      to: '+12025550101',
      endReason: 'caller_hung_up',
      answeredAt: expect.any(Number),
    });
    const states = calls.served.records.all.map(({ state }) => state);
    expect(states.filter((state, at) => state !== states[at - 1])).toEqual(
      provider === CARRIER
        ? ['dialling', 'ringing', 'starting', 'connected', 'ended']
        : ['dialling', 'ringing', 'connected', 'ended'],
    );
  });

  test('is ended 5 s after the silence that its bot tells of when the bot does not end it', async () => {
    const warnings = new Inbox<string>();
    const logger = { ...silentLogger, warn: (message: string) => warnings.push(message) };
    await using calls = await start(provider, { silenceSeconds: 1, logger });
    const call = await calls.call();
    await call.makeStubborn();
    await call.becomesSilent();
    await warnings.next((message) => message === 'call has reached its limit');
    jest.advanceTimersByTime(4_999);
    await call.isServed();
    expect(await call.endRequests()).toBe(0);
    jest.advanceTimersByTime(1);
    expect(await call.endedByRunner()).toMatchObject({ endReason: 'limit_reached' });
  });
});

describe.each(PROVIDERS)('calls %s', (_, provider) => {
  test('are dialled once for a request that is repeated with its key, at the same moment and later', async () => {
    await using calls = await start(provider);
    const request = () => startCall(calls.served.runner, undefined, { headers: { 'idempotency-key': key } });
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 5 }, request));
    answers.push(await request());
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(202);
    expect(new Set(calls.served.records.all.map(({ id }) => id)).size).toBe(1);
  });

  test('are so many at once as are allowed, also when they are asked for at the same moment, until one is over', async () => {
    await using calls = await start(provider, { dialLimits: { perMinute: 1_000, atOnce: 2, secondsPerNumber: 0 } });
    const call = await dialled(calls);
    const answers = await Promise.all([1, 2, 3].map(() => startCall(calls.served.runner)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.error.code).toBe('VB_DIAL_LIMIT');
    expect(refused?.headers).not.toHaveProperty('retry-after'); // it is not known how long the others talk
    await call.hangUp();
    await calls.dial();
  });

  test('are not dialled while the runner stops', async () => {
    await using calls = await start(provider, { drainMs: 60_000 });
    await calls.call();
    void calls.served.runner.stop();
    const { status, body } = await startCall(calls.served.runner);
    expect([status, body.error.code]).toEqual([503, 'VB_RUNNER_STOPPING']);
    expect(new Set(calls.served.records.all.map(({ id }) => id)).size).toBe(1);
  });

  test.each([
    ['in a country that is not allowed', { phone_number: '+447700900123' }, 403, 'VB_TARGET_REFUSED'],
    ['of a premium service', { phone_number: '+19005550123' }, 403, 'VB_TARGET_REFUSED'],
    ['of a satellite', { phone_number: '+881612345678' }, 403, 'VB_TARGET_REFUSED'],
    ['of our own', { phone_number: '+12025550100' }, 403, 'VB_TARGET_REFUSED'],
    ['that is none', { phone_number: '12' }, 400, 'VB_REQUEST_INVALID'],
    ['that is an address', { phone_number: 'sip:a@example.com' }, 400, 'VB_REQUEST_INVALID'],
    ['with a field that is not known', { phone_number: '+12025550101', room: 'mine' }, 400, 'VB_REQUEST_INVALID'],
  ])('are not dialled to a number %s', async (_, request, status, code) => {
    await using calls = await start(provider);
    const asked = calls.asked();
    const answer = await startCall(calls.served.runner, request);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(calls.served.records.all).toEqual([]);
    expect(calls.asked()).toBe(asked);
  });
});
