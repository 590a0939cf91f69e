import { deferred } from '../../../../src/base/async/deferred.js';
import { HeldCaller } from '../../../../src/bot/transports/room/held-caller.js';

const SETTINGS = { callId: 'call-1', callDomain: 'domain-1', From: '+12025550101' };
const ENDPOINT = 'sip:1@x';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

type Answer = 'forwarded' | 'no_such_call' | Error | Promise<'forwarded'>;

/** A held caller at a provider that gives these answers, the last one for ever. */
function setUp(answers: Answer[] = ['forwarded'], { isForwarded = false, endpoints = [] as string[] } = {}) {
  const log: string[] = [];
  const asked: Array<{ providerCallId: string; callDomain: string; sipUri: string }> = [];
  const signals: AbortSignal[] = [];
  const looked: string[] = [];
  let open = 0;
  const caller = new HeldCaller(SETTINGS, isForwarded, {
    createClient: async () => {
      open += 1;
      return {
        forwardCaller: async (call, signal) => {
          asked.push(call);
          if (signal) signals.push(signal);
          const answer = answers.length > 1 ? answers.shift() : answers[0];
          if (answer instanceof Error) throw answer;
          return answer as 'forwarded';
        },
        sipEndpoints: async (name) => {
          looked.push(name);
          return endpoints;
        },
        close: async () => {
          open -= 1;
        },
      };
    },
    roomName: 'room',
    forwarded: () => log.push('forwarded'),
    lost: ({ reason, errorMsg }) => log.push(`${reason}: ${errorMsg}`),
  });
  const wait = (ms: number) => jest.advanceTimersByTimeAsync(ms);
  return { caller, log, asked, looked, signals, wait, openClients: () => open };
}

test('is forwarded to the first endpoint that is ready, once', async () => {
  const { caller, log, asked, wait, openClients } = setUp();
  caller.prepare();
  caller.awaitFromNow();
  for (const endpoint of [ENDPOINT, ENDPOINT, 'sip:2@x']) caller.ready(endpoint);
  await wait(0);
  caller.ready(ENDPOINT);
  expect(asked).toEqual([{ providerCallId: 'call-1', callDomain: 'domain-1', sipUri: ENDPOINT }]);
  expect(log).toEqual(['forwarded']);
  expect(caller.isAwaited).toBe(true);
  caller.arrived();
  expect(caller.isAwaited).toBe(false);
  await wait(20_000);
  expect(log).toEqual(['forwarded']);
  expect(openClients()).toBe(0);
});

test('who is not known yet is tried again until known', async () => {
  const { caller, log, asked, wait } = setUp(['no_such_call', 'no_such_call', 'forwarded']);
  caller.ready(ENDPOINT);
  await wait(400);
  expect(log).toEqual([]);
  await wait(400);
  expect(log).toEqual(['forwarded']);
  expect(asked).toHaveLength(3);
  caller.close();
});

test('who is unknown for five seconds has gone', async () => {
  const { caller, log, wait, openClients } = setUp(['no_such_call']);
  caller.ready(ENDPOINT);
  await wait(4_000);
  expect(log).toEqual([]);
  await wait(1_000);
  expect(log).toEqual(['caller_hung_up: the caller has gone']);
  expect(openClients()).toBe(0);
});

test('is lost when the provider fails', async () => {
  const { caller, log, wait } = setUp([new Error('status 500')]);
  caller.ready(ENDPOINT);
  await wait(0);
  expect(log).toEqual(['telephony_error: status 500']);
  caller.ready(ENDPOINT);
  await wait(20_000);
  expect(log).toHaveLength(1);
});

test('is lost when there is no client to ask the provider with', async () => {
  const log: string[] = [];
  const caller = new HeldCaller(SETTINGS, false, {
    createClient: () => Promise.reject(new Error('no client')),
    roomName: 'room',
    forwarded: () => log.push('forwarded'),
    lost: ({ reason }) => log.push(reason),
  });
  caller.prepare();
  await jest.advanceTimersByTimeAsync(100);
  caller.ready(ENDPOINT);
  await jest.advanceTimersByTimeAsync(0);
  expect(log).toEqual(['telephony_error']);
});

test('is lost when the room is not ready within 15 seconds', async () => {
  const { caller, log, asked, wait } = setUp();
  caller.prepare();
  caller.awaitFromNow();
  await wait(14_999);
  expect(log).toEqual([]);
  await wait(1);
  expect(log).toEqual(['telephony_error: the room was not ready for the caller']);
  caller.ready(ENDPOINT);
  await wait(0);
  expect(asked).toEqual([]);
});

test('has hung up when not there ten seconds after being forwarded', async () => {
  const { caller, log, wait } = setUp();
  caller.awaitFromNow();
  caller.ready(ENDPOINT);
  await wait(9_999);
  expect(log).toEqual(['forwarded']);
  await wait(1);
  expect(log).toEqual(['forwarded', 'caller_hung_up: the forwarded caller did not come']);
});

test('may arrive before the provider has answered', async () => {
  const answer = deferred<'forwarded'>();
  const { caller, log, signals, wait } = setUp([answer.promise]);
  caller.ready(ENDPOINT);
  await wait(0);
  caller.arrived();
  expect(signals[0]?.aborted).toBe(true);
  expect(log).toEqual(['forwarded']);
  answer.resolve('forwarded');
  await wait(20_000);
  expect(log).toEqual(['forwarded']);
});

test('is waited for no longer than the bot is there', async () => {
  const { caller, log, signals, wait, openClients } = setUp(['no_such_call']);
  caller.ready(ENDPOINT);
  await wait(100);
  caller.close();
  caller.close();
  await wait(20_000);
  expect(log).toEqual([]);
  expect(signals[0]?.aborted).toBe(true);
  expect(openClients()).toBe(0);
});

describe('whom an earlier bot has forwarded', () => {
  test('is not forwarded again', async () => {
    const { caller, log, asked, wait, openClients } = setUp(['forwarded'], { isForwarded: true });
    caller.prepare();
    caller.awaitFromNow();
    caller.ready(ENDPOINT);
    await wait(5_000);
    caller.arrived();
    await wait(20_000);
    expect(asked).toEqual([]);
    expect(log).toEqual([]);
    expect(openClients()).toBe(0);
  });

  test('has hung up when not there after ten seconds', async () => {
    const { caller, log, wait } = setUp(['forwarded'], { isForwarded: true });
    caller.awaitFromNow();
    await wait(10_000);
    expect(log).toEqual(['caller_hung_up: the forwarded caller did not come']);
  });
});

describe('a room that does not tell that it is ready', () => {
  test('is asked for after four seconds, and the caller is forwarded to it', async () => {
    const { caller, log, asked, looked, wait } = setUp(['no_such_call', 'forwarded'], {
      endpoints: [ENDPOINT, 'sip:2@x'],
    });
    caller.awaitFromNow();
    await wait(3_999);
    expect(looked).toEqual([]);
    await wait(1);
    expect({ looked, asked: asked.length }).toEqual({ looked: ['room'], asked: 1 });
    await wait(1_000);
    expect(log).toEqual(['forwarded']);
    expect(asked.map(({ sipUri }) => sipUri)).toEqual([ENDPOINT, ENDPOINT]);
    caller.arrived();
  });

  test('is not ready when it takes no caller for fifteen seconds', async () => {
    const { caller, log, asked, wait, openClients } = setUp(['no_such_call'], { endpoints: [ENDPOINT] });
    caller.awaitFromNow();
    await wait(15_000);
    expect(log).toEqual(['telephony_error: the room was not ready for the caller']);
    expect(asked.length).toBeGreaterThan(8);
    expect(openClients()).toBe(0);
  });

  test('is not ready when nobody knows its address', async () => {
    const { caller, log, wait } = setUp(['forwarded']);
    caller.awaitFromNow();
    await wait(14_999);
    expect(log).toEqual([]);
    await wait(1);
    expect(log).toEqual(['telephony_error: the room was not ready for the caller']);
  });

  test('may tell it late, and the caller who is not known then has gone after five seconds', async () => {
    const { caller, log, wait } = setUp(['no_such_call'], { endpoints: [ENDPOINT] });
    caller.awaitFromNow();
    await wait(8_000);
    caller.ready(ENDPOINT);
    await wait(4_000);
    expect(log).toEqual([]);
    await wait(2_000);
    expect(log).toEqual(['caller_hung_up: the caller has gone']);
  });
});
