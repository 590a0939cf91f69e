import { CALL, CallsUnderTest, OPERATOR, settled } from './call-races-harness.js';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] });
});
afterEach(() => jest.useRealTimers());

const BUSY = [{ do: 'hangup', reason: 'busy' }];

describe('a caller for whom no bot would be there in time', () => {
  test('hears that it is busy, which is recorded, and counted with its reason', () => {
    using under = new CallsUnderTest();
    under.lackBots();
    expect(under.answer()).toEqual(BUSY);
    expect(under.turnedAway).toEqual(['no_bot_in_time']);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'turned_away', direction: 'inbound' });
    expect(under.record()?.answeredAt).toBeUndefined();
  });

  test('is nobody for whom a bot is made ready', () => {
    using under = new CallsUnderTest();
    under.lackBots();
    under.answer();
    expect([...under.expected]).toEqual([]);
  });

  test('is told the same when the carrier asks again and when it says that the call is over', () => {
    using under = new CallsUnderTest();
    under.lackBots();
    under.answer();
    expect(under.answer()).toEqual(BUSY);
    under.hangup();
    expect(under.record()).toMatchObject({ endReason: 'turned_away' });
    expect(under.turnedAway).toHaveLength(1);
  });

  test('is not one who was answered before', async () => {
    using under = new CallsUnderTest();
    const steps = under.answer();
    under.lackBots();
    expect(under.answer()).toEqual(steps);
    await under.crash(await under.serve(steps));
    await under.serve(await under.follow(steps));
    expect(under.record()).toMatchObject({ state: 'connected', attempt: 2 });
  });
});

test('whoever we have called is not turned away, however many calls there are', async () => {
  using under = new CallsUnderTest();
  under.lackBots();
  const { callId } = await under.dialer.dial({ phoneNumber: OPERATOR, body: {}, parameters: {} });
  const answered = under.news(
    { event: 'answer', providerCallId: 'request-1', direction: 'outbound' },
    under.client.placed[0],
  );
  expect(under.calls.answer(answered)).toMatchObject([{ do: 'stream' }]);
  expect([...under.expected]).toEqual([callId]);
  under.supervisor.endAll('runner_stopped');
  await settled();
});

test('a bot is made ready as soon as a call is answered, and for nobody who hangs up before the stream comes', () => {
  using under = new CallsUnderTest();
  under.answer();
  expect([...under.expected]).toEqual([CALL]);
  under.hangup();
  expect([...under.expected]).toEqual([]);
});
