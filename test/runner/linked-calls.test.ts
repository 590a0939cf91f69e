import { deferred } from '../../src/base/async/deferred.js';
import type { EndReason } from '../../src/call/call.js';
import { asCallId, asProviderCallId } from '../../src/call/call-id.js';
import type { CarrierEvent } from '../../src/runner/calls/carrier/carrier-webhooks.js';
import { loadNumberingPlans } from '../../src/runner/dialing/dial-target.js';
import {
  BOT,
  CALL,
  CALLER,
  CallsUnderTest,
  COLLEAGUE,
  type HandBot,
  OPERATOR,
  settled,
  soon,
  streamOf,
} from './call-races-harness.js';

beforeAll(() => loadNumberingPlans());
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

const passing = (ms: number) => jest.advanceTimersByTimeAsync(ms);
/** The carrier says that a call is over, by default the first one. */
const over = (under: CallsUnderTest, reason: EndReason, told: CarrierEvent = under.news()) =>
  under.calls.hangup({ ...told, hangup: { reason, cause: '', source: '', durationMs: undefined } });
const HANG_UP = [{ do: 'hangup' }];

/** A call whose bot has had a colleague dialled. */
async function consulting() {
  const under = new CallsUnderTest();
  const bot = await under.serve(under.answer());
  const answer = await under.consult(bot);
  return { under, bot, leg: answer?.leg?.id as string, [Symbol.dispose]: () => under[Symbol.dispose]() };
}

/** The same when the colleague has answered and talks to the bot. */
async function consulted() {
  const at = await consulting();
  const { under } = at;
  const steps = under.calls.answer(under.leg());
  under.connect(steps, 'queued');
  const beside = under.beside.at(-1)?.bot as HandBot;
  under.reads(beside);
  return { ...at, steps, beside, [Symbol.dispose]: () => under[Symbol.dispose]() };
}

const bridged = (leg: string) =>
  ({ type: 'handover', handover: { to: COLLEAGUE, legId: leg, phase: 'bridged' } }) as const;

describe('a call that is dialled beside another one', () => {
  test('is linked with it, rings for as long as the bot said, and takes a place under the limits', async () => {
    using at = await consulting();
    const { under, bot, leg } = at;
    expect(bot.consultAnswer(1)?.leg).toMatchObject({
      direction: 'outbound',
      from: BOT,
      to: COLLEAGUE,
      linkedTo: CALL,
    });
    expect(under.record(leg)).toMatchObject({ linkedTo: CALL, state: 'dialling', to: COLLEAGUE });
    expect(under.supervisor.lifeOf(asCallId(leg))?.terms).toMatchObject({ linkedTo: CALL, ringMs: 20_000 });
    expect(under.supervisor.legsOf(asCallId(CALL))).toEqual([leg]);
  });

  test("has its bot in the process of the other call's, and none of the pool's", async () => {
    using at = await consulted();
    const { under, bot, beside, leg } = at;
    expect(under.beside[0]?.other).toBe(bot.callOf(CALL));
    expect(beside.served).toMatchObject([{ call: { id: leg, linkedTo: CALL } }]);
    expect(under.wanted).toBe(0);
    expect([...under.expected]).toEqual([CALL]);
    expect(under.record(leg)).toMatchObject({ state: 'connected' });
  });

  test('waits for the next bot of the other call when that has none, and goes to that', async () => {
    using at = await consulting();
    const { under, bot } = at;
    await under.crash(bot);
    under.connect(under.calls.answer(under.leg()), 'queued');
    expect(under.beside).toHaveLength(0);
    const next = await under.serve(await under.follow(under.answer()));
    expect(under.beside[0]?.other).toBe(next.callOf(CALL));
  });

  test('ends with the recorded line when no bot of the other call comes in time', async () => {
    using at = await consulting();
    const { under, bot, leg } = at;
    await under.crash(bot);
    const { stream } = under.connect(under.calls.answer(under.leg()), 'queued');
    await passing(9_000);
    expect(stream.did).toContain('end');
    expect(under.supervisor.lifeOf(asCallId(leg))?.facts.decided).toBe('no_bot');
  });

  test('is no place for another one beside it, and no more than three are beside a call', async () => {
    using at = await consulted();
    const { under, bot, beside } = at;
    expect((await under.consult(beside, OPERATOR))?.problem).toMatchObject({ code: 'VB_REQUEST_INVALID' });
    await under.consult(bot, '+12025550171');
    await under.consult(bot, '+12025550172');
    expect((await under.consult(bot, '+12025550173'))?.problem).toMatchObject({ code: 'VB_DIAL_LIMIT' });
    expect(under.client.placed).toHaveLength(3);
  });

  test('is taken on by the next bot that wants the same number, and not dialled again', async () => {
    using at = await consulting();
    const { under, bot, leg } = at;
    await under.crash(bot);
    const next = await under.serve(await under.follow(under.answer()));
    expect((await under.consult(next))?.leg).toMatchObject({ id: leg });
    expect(under.client.placed).toHaveLength(1);
  });

  test('is known to the next bot, and taken on, though the one that handed over died before it knew', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    const placing = deferred();
    const { placeCall } = under.client;
    under.client.placeCall = async (request) => {
      await placing.promise;
      return await placeCall(request);
    };
    bot.says({ type: 'handover', handover: { to: COLLEAGUE, legId: '', phase: 'ringing' } });
    bot.says({ type: 'consult', requestId: 1, to: COLLEAGUE, ringSeconds: 20 });
    await soon(() => under.supervisor.legsOf(asCallId(CALL)).length > 0);
    await under.crash(bot);
    placing.resolve();
    await soon(() => under.client.placed.length > 0);
    await settled();
    const [leg = ''] = under.supervisor.legsOf(asCallId(CALL));
    const next = await under.serve(await under.follow(under.answer()));
    expect(next.served[0]).toMatchObject({ handover: { legId: leg, to: COLLEAGUE, phase: 'ringing' } });
    expect((await under.consult(next, COLLEAGUE, leg))?.leg).toMatchObject({ id: leg });
    expect(under.client.placed).toHaveLength(1);
  });

  test('that is over by the time that the next bot takes it on is not dialled again: the bot learns why', async () => {
    using at = await consulting();
    const { under, bot, leg } = at;
    await under.crash(bot);
    over(under, 'busy', under.leg());
    const next = await under.serve(await under.follow(under.answer()));
    expect((await under.consult(next, COLLEAGUE, leg))?.leg).toMatchObject({ id: leg });
    expect(next.told.at(-1)).toMatchObject({ type: 'leg_lost', legId: leg, reason: 'busy' });
    const other = await under.consult(next, COLLEAGUE, CALL); // which is no call beside it
    expect(other?.problem).toMatchObject({ code: 'VB_STREAM_CLOSED' });
    expect(under.client.placed).toHaveLength(1);
  });

  test('is one when two are wanted of the same number at once', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    const answers = await Promise.all([under.consult(bot), under.consult(bot)]);
    expect(answers[0]?.leg?.id).toBe(answers[1]?.leg?.id);
    expect(under.client.placed).toHaveLength(1);
  });

  test('that is over before its bot has had it is told to the bot, with the reason', async () => {
    using at = await consulting();
    const { under, bot, leg } = at;
    over(under, 'busy', under.leg());
    expect(bot.told.at(-1)).toMatchObject({ type: 'leg_lost', legId: leg, reason: 'busy' });
    expect(under.record(leg)).toMatchObject({ endReason: 'busy' });
    expect(under.record()).toMatchObject({ state: 'connected' });
  });

  test('that is over before the bot knows its name is told once more', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    const placing = deferred();
    const { placeCall } = under.client;
    under.client.placeCall = async (request) => {
      const placed = await placeCall(request);
      over(under, 'rejected', under.leg());
      await placing.promise;
      return placed;
    };
    const answer = under.consult(bot);
    await soon(() => under.client.placed.length > 0);
    await settled();
    placing.resolve();
    const told = await answer;
    await settled();
    expect(told?.leg).toBeDefined();
    expect(bot.told.at(-1)).toMatchObject({ type: 'leg_lost', legId: told?.leg?.id, reason: 'rejected' });
  });

  test('is ended at once when its bot wants it no more, whether it rings or is answered', async () => {
    using ringing = await consulting();
    ringing.bot.says({ type: 'end_leg', legId: asCallId(ringing.leg) });
    expect(ringing.under.record(ringing.leg)).toMatchObject({ endReason: 'no_answer' });
    expect(ringing.under.client.ended).toEqual(['request-1']);
    using talking = await consulted();
    talking.bot.says({ type: 'end_leg', legId: asCallId(talking.leg) });
    expect(talking.under.record(talking.leg)).toMatchObject({ endReason: 'bot_ended' });
    expect(talking.under.client.ended).toEqual(['leg-1']);
    talking.bot.says({ type: 'end_leg', legId: asCallId(CALL) }); // no call of its own
    expect(talking.under.record()).toMatchObject({ state: 'connected' });
  });
});

describe('the end of a call ends those beside it', () => {
  test('at the carrier, and while they ring', async () => {
    using at = await consulting();
    const { under, leg } = at;
    under.calls.ring(under.leg());
    under.hangup();
    expect(under.record(leg)).toMatchObject({ state: 'ended', endReason: 'no_answer' });
    await settled();
    expect(under.client.ended).toEqual(['leg-1']);
    expect(under.calls.answer(under.leg())).toEqual(HANG_UP); // the callee has picked up all the same
  });

  test('and while they talk to the bot, which is told', async () => {
    using at = await consulted();
    const { under, beside, leg } = at;
    under.hangup();
    expect(under.record(leg)).toMatchObject({ endReason: 'bot_ended' });
    expect(beside.told.at(-1)).toMatchObject({ type: 'call_over' });
    await settled();
    expect(under.client.ended).toEqual(['leg-1']);
  });

  test('and when the carrier has not named them yet', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    const placing = deferred();
    const { placeCall } = under.client;
    under.client.placeCall = async (request) => {
      await placing.promise;
      return await placeCall(request);
    };
    bot.says({ type: 'consult', requestId: 1, to: COLLEAGUE, ringSeconds: 20 });
    await soon(() => under.supervisor.legsOf(asCallId(CALL)).length > 0);
    const [leg] = under.supervisor.legsOf(asCallId(CALL));
    under.hangup();
    expect(under.record(leg)).toMatchObject({ state: 'ended' });
    placing.resolve();
    await settled();
    expect(under.client.ended).toEqual(['request-1']);
  });

  test('and none is dialled any more while its number is being checked', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    const checked = deferred();
    under.checkTarget = async (to) => {
      await checked.promise;
      return to;
    };
    bot.says({ type: 'consult', requestId: 1, to: COLLEAGUE, ringSeconds: 20 });
    await settled();
    under.hangup();
    checked.resolve();
    await settled();
    expect(under.client.placed).toEqual([]);
    expect(under.registry.list()).toHaveLength(1);
  });
});

describe('a call is dialled beside no other one', () => {
  test.each([
    ['the number that the bot talks to', CALLER],
    ["the bot's own number", BOT],
  ])('when it is %s', async (_what, to) => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    expect((await under.consult(bot, to))?.problem).toMatchObject({ code: 'VB_TARGET_REFUSED' });
    expect(under.client.placed).toEqual([]);
  });

  test('that is being transferred', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    await under.letGo(bot);
    expect((await under.consult(bot))?.problem).toMatchObject({ code: 'VB_TRANSFER_FAILED' });
  });

  test('that is about to end', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    bot.says({ type: 'ends_for', reason: 'bot_ended' });
    expect((await under.consult(bot))?.problem).toMatchObject({ code: 'VB_STREAM_CLOSED' });
  });

  test('whose bot is not the one that asks', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    await under.crash(bot);
    await under.serve(await under.follow(under.answer()));
    bot.says({ type: 'consult', requestId: 9, to: COLLEAGUE, ringSeconds: 20 });
    await settled();
    expect(under.client.placed).toEqual([]);
  });
});

describe('two that a bot has bridged', () => {
  test('end as transferred when the caller hangs up', async () => {
    using at = await consulted();
    const { under, bot, leg } = at;
    bot.says(bridged(leg));
    over(under, 'caller_hung_up');
    expect(under.record()).toMatchObject({ endReason: 'transferred' });
    expect(under.record(leg)).toMatchObject({ endReason: 'transferred' });
    await settled();
    expect(under.client.ended).toEqual(['leg-1']);
  });

  test('end as transferred when the colleague hangs up and the bot does not go on with the caller', async () => {
    using at = await consulted();
    const { under, bot, leg } = at;
    bot.says(bridged(leg));
    over(under, 'caller_hung_up', under.leg());
    expect(under.record(leg)).toMatchObject({ endReason: 'transferred' });
    expect(under.record()).toMatchObject({ state: 'connected' });
    await passing(1_000);
    expect(under.record()).toMatchObject({ endReason: 'transferred' });
    expect(under.client.ended).toEqual([CALL]);
  });

  test('are two calls again when the bot parts them, and the caller stays', async () => {
    using at = await consulted();
    const { under, bot, leg } = at;
    bot.says(bridged(leg));
    over(under, 'caller_hung_up', under.leg());
    bot.says({ type: 'handover' });
    await passing(10_000);
    expect(under.record()).toMatchObject({ state: 'connected' });
    expect(under.client.ended).toEqual([]);
  });

  test('that are parted end each for its own reason', async () => {
    using at = await consulted();
    const { under, bot, leg } = at;
    bot.says(bridged(leg));
    bot.says({ type: 'handover' });
    over(under, 'caller_hung_up');
    expect(under.record()).toMatchObject({ endReason: 'caller_hung_up' });
    expect(under.record(leg)).toMatchObject({ endReason: 'bot_ended' });
  });
});

describe('when the process of their bot dies', () => {
  test('both go to the next bot, which knows what was handed over', async () => {
    using at = await consulted();
    const { under, bot, beside, steps, leg } = at;
    bot.says(bridged(leg));
    await under.crash(bot);
    await under.crash(beside);
    const address = streamOf(steps).continueUrl;
    const again = await under.calls.resume({ ...under.leg(), streamNo: 1, event: 'continue' });
    expect(address).toContain('linked_to=');
    under.connect(again, 'queued');
    expect(under.beside).toHaveLength(1); // the caller's own call has no bot yet
    const next = await under.serve(await under.follow(under.answer()));
    expect(next.served[0]).toMatchObject({ handover: { legId: leg, phase: 'bridged' } });
    expect(under.beside[1]).toMatchObject({ other: next.callOf(CALL) });
    under.reads(under.beside[1]?.bot as HandBot);
    over(under, 'caller_hung_up');
    expect([under.record()?.endReason, under.record(leg)?.endReason]).toEqual(['transferred', 'transferred']);
    await settled();
    expect(under.client.ended).toEqual(['leg-1']);
  });

  test('and the caller hangs up meanwhile, the colleague is ended', async () => {
    using at = await consulted();
    const { under, bot, beside, leg } = at;
    await under.crash(bot);
    await under.crash(beside);
    over(under, 'caller_hung_up');
    await settled();
    expect(under.record(leg)).toMatchObject({ state: 'ended' });
    expect(under.client.ended).toEqual(['leg-1']);
  });
});

test('a call that an earlier runner has dialled beside one that is not here is hung up, and no bot begins to talk', async () => {
  using at = await consulting();
  using later = new CallsUnderTest();
  const told = later.news(
    { providerCallId: asProviderCallId('leg-1'), direction: 'outbound', from: BOT, to: COLLEAGUE },
    at.under.client.placed[0],
  );
  expect(told.ticket).toMatchObject({ linkedTo: CALL });
  expect(later.calls.answer(told)).toEqual(HANG_UP);
  expect(await later.calls.resume(told)).toEqual(HANG_UP);
  expect(later.registry.list()).toEqual([]);
  await later.serve(later.answer()); // the other call is here as well
  expect(streamOf(later.calls.answer(told))).toBeDefined();
  expect(later.supervisor.legsOf(asCallId(CALL))).toHaveLength(1);
});
