import { asCallId } from '../../src/call/call-id.js';
import { CallDirectory } from '../../src/cluster/calls/call-directory.js';
import { startCall } from '../runner/hand-carrier.js';
import { muteBots } from '../runner/in-process-bots.js';
import { describeWithRedis } from './redis-server.js';
import { RunnersUnderTest } from './runners.js';

beforeEach(muteBots);
afterEach(() => jest.restoreAllMocks());

const NUMBER = { phone_number: '+12025550101' };
const placings = ({ api }: RunnersUnderTest) =>
  api.requests.all.filter(({ method, path }) => method === 'POST' && path === 'Call/').length;

describeWithRedis('two runners of a cluster', () => {
  test('dial as many calls as one may, and a call that ends at one makes room at the other', async () => {
    await using runners = await RunnersUnderTest.start(2, {
      dialLimits: { perMinute: 100, atOnce: 1, secondsPerNumber: 0 },
    });
    const call = await runners.dial(0);
    expect(await startCall(runners.at(1).runner, NUMBER)).toMatchObject({
      status: 429,
      body: { error: { code: 'VB_DIAL_LIMIT', message: expect.stringContaining('at most 1 dialled calls at once') } },
    });
    await call.hangup();
    await runners.dial(1);
    expect(placings(runners)).toBe(2);
  });

  test.each(['a call comes in first', 'a keyed request comes first'])(
    'dial keyed requests and claim calls that come in, each at both runners: %s',
    async (order) => {
      await using runners = await RunnersUnderTest.start(2, {
        dialLimits: { perMinute: 100, atOnce: 10, secondsPerNumber: 0 },
      });
      await (await runners.dial(0)).hangup();
      const claims = async () => {
        for (const [no, { cluster }] of runners.all.entries()) {
          const { redis, members } = cluster;
          const directory = new CallDirectory({ redis, ownId: members.ownId, maxCallMs: 60_000 });
          expect(await directory.claim(asCallId(`in-${no}`))).toMatchObject({ is: 'ours' });
          directory.close();
        }
      };
      const dials = async () => {
        for (const [no, { runner }] of runners.all.entries()) {
          const headers = { 'idempotency-key': `order-${no}` };
          expect(await startCall(runner, NUMBER, { headers })).toMatchObject({ status: 202 });
        }
      };
      const steps = order.startsWith('a call') ? [claims, dials] : [dials, claims];
      for (const step of steps) await step();
      expect(placings(runners)).toBe(3);
    },
  );

  test('dial a request once that comes to both, and to none while Redis is away', async () => {
    await using runners = await RunnersUnderTest.start(2, {
      dialLimits: { perMinute: 100, atOnce: 5, secondsPerNumber: 0 },
    });
    await (await runners.dial(0)).hangup();
    const headers = { 'idempotency-key': 'order-1' };
    const both = runners.all.map(({ runner }) => runner);
    const answers = await Promise.all(both.map((runner) => startCall(runner, NUMBER, { headers })));
    expect(answers[1]).toMatchObject({ status: 202, body: answers[0]?.body });
    expect(placings(runners)).toBe(2);
    await runners.redis.stop();
    for (const runner of both) {
      const refused = { status: 503, body: { error: { code: 'VB_CLUSTER_UNREACHABLE' } } };
      expect(await startCall(runner, NUMBER)).toMatchObject(refused);
      expect(await startCall(runner, NUMBER, { headers })).toMatchObject({ status: 503 });
    }
    expect(placings(runners)).toBe(2);
  });

  test('a dialled call that has moved gives its place back where it ends', async () => {
    await using runners = await RunnersUnderTest.start(2, {
      dialLimits: { perMinute: 100, atOnce: 1, secondsPerNumber: 0 },
    });
    const call = await runners.dial(0);
    await runners.knowEachOther();
    await runners.at(0).runner.stop({ drainMs: 0 });
    expect(runners.at(1).runner.liveCalls).toBe(1);
    expect(await startCall(runners.at(1).runner, NUMBER)).toMatchObject({ status: 429 });
    await call.by(runners.at(1).carrier).hangup();
    await runners.dial(1);
  });
});
