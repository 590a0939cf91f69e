import { VoicebotError } from '../../../../src/base/errors.js';
import { acceptCall } from '../../../../src/bot/api/index.js';
import { StreamParty } from '../../../../src/bot/transports/stream/stream-party.js';
import type { Handover } from '../../../../src/call/consult.js';
import { hurried } from '../../../hasty-clock.js';
import { argsOf, FakeLink, Hum, Line, toneFrames, until } from './line.js';
import { BRIEF, isBack, scene, TO } from './warm-scene.js';

hurried();

const BRIEFED: Handover = {
  to: TO,
  legId: 'leg-1',
  phase: 'briefing',
  warm: { brief: BRIEF, accept: 'key', key: '5', hold: 'silence' },
};

test('a bot that takes over goes on: it briefs again, or joins at once; what comes to nothing is told', async () => {
  await using briefing = await scene();
  briefing.runner.handover = BRIEFED;
  const goesOn = briefing.call.takeOver();
  await until(() => briefing.colleague.heard.length > 10, 'it is briefed again');
  expect(briefing.runner.asked).toEqual([{ to: TO, ringSeconds: 25, legId: 'leg-1' }]);
  expect(briefing.caller.heard).toEqual([]); // as the earlier bot has held them
  briefing.colleague.press('5');
  expect(await goesOn).toBe(false);
  expect(briefing.runner.told.at(-1)?.phase).toBe('bridged');

  await using bridged = await scene();
  bridged.runner.handover = { to: TO, legId: 'leg-1', phase: 'bridged' };
  expect(await bridged.call.takeOver()).toBe(false);
  bridged.caller.says = toneFrames(400);
  await until(() => bridged.colleague.heard.length > 20, 'they talk');

  await using lost = await scene();
  lost.runner.handover = { to: TO, legId: 'leg-1', phase: 'ringing', warm: { brief: BRIEF, accept: 'answer' } };
  lost.runner.dial = () => 'no_answer';
  expect(await lost.call.takeOver()).toBe(true);
  expect(lost.call.failedTransfer).toMatchObject({ status: 'no_answer', toEndPoint: TO });
  await isBack(lost);
});

test('whose colleague is gone, as a runner says that does not know the call: the caller is with the bot, which knows why', async () => {
  await using it = await scene();
  it.runner.handover = BRIEFED;
  it.runner.dial = () => {
    throw new VoicebotError('VB_STREAM_CLOSED', 'the call beside it is over');
  };
  expect(await it.call.takeOver()).toBe(true);
  expect(it.call.failedTransfer).toMatchObject({ status: 'failed', toEndPoint: TO });
  expect(it.runner.told.at(-1)).toBeUndefined();
  await isBack(it);
});

test('the same where there is no caller any more: nothing is left to do', async () => {
  await using it = await scene();
  it.runner.handover = BRIEFED;
  it.runner.dial = () => {
    it.caller.hangUp();
    throw new VoicebotError('VB_STREAM_CLOSED', 'the call is over');
  };
  expect(await it.call.takeOver()).toBe(false);
  await it.call.ended;
});

test('whose colleague cannot be told apart from the caller any more is not left on the line', async () => {
  await using it = await scene();
  it.runner.handover = BRIEFED;
  const notConfirmed = new VoicebotError('VB_ROOMS_REQUEST_FAILED', 'it was not confirmed');
  jest.spyOn(StreamParty.prototype, 'hear').mockRejectedValueOnce(notConfirmed);
  expect(await it.call.takeOver()).toBe(true);
  expect(it.call.failedTransfer).toMatchObject({ status: 'failed', detail: expect.stringContaining('not confirmed') });
  await it.colleague.isClosed;
  await isBack(it);
});

describe('a bot function that uses acceptCall', () => {
  /** A caller whose bot is about to accept, and a colleague. */
  async function accepting(handover?: Handover) {
    const caller = await Line.open();
    const colleague = await Line.open();
    const runner = Object.assign(new FakeLink(), { handover, dial: () => colleague });
    const accepted = acceptCall(argsOf(caller, runner), { tts: () => new Hum() });
    return {
      caller,
      colleague,
      runner,
      accepted,
      async [Symbol.asyncDispose]() {
        caller.hangUp();
        colleague.hangUp();
        await (await accepted).ended;
        await caller[Symbol.asyncDispose]();
        await colleague[Symbol.asyncDispose]();
      },
    };
  }

  test('goes on with the two whom an earlier bot has joined, and gets a call that is over', async () => {
    await using it = await accepting({ to: TO, legId: 'leg-1', phase: 'bridged' });
    it.caller.says = toneFrames(400);
    await until(() => it.colleague.heard.length > 20, 'they talk');
    let isAccepted = false;
    void it.accepted.then(() => {
      isAccepted = true;
    });
    await until(() => it.colleague.heard.length > 60, 'they go on');
    expect(isAccepted).toBe(false);
    it.colleague.hangUp();
    expect(await (await it.accepted).ended).toBe('transferred');
  });

  test('gets the caller of whom an earlier bot was about to hand over, and knows what became of that', async () => {
    await using it = await accepting(BRIEFED);
    await until(() => it.colleague.heard.length > 10, 'it is briefed again');
    it.colleague.press('9');
    const call = await it.accepted;
    expect({ isOver: call.isOver, failed: call.failedTransfer?.status }).toEqual({ isOver: false, failed: 'declined' });
  });

  test('may return when it has left the two to each other: they are not hung up', async () => {
    await using it = await accepting();
    const call = await it.accepted;
    const transfer = call.transfer(TO, { warm: { brief: BRIEF, accept: 'answer' } });
    expect(await transfer).toMatchObject({ status: 'answered' });
    let hasReturned = false;
    const returned = it.runner.waits().then(() => {
      hasReturned = true;
    });
    it.caller.says = toneFrames(400);
    const from = it.colleague.heard.length;
    await until(() => it.colleague.heard.length > from + 60, 'they talk');
    expect(hasReturned).toBe(false);
    it.caller.hangUp();
    await returned;
    expect(await call.ended).toBe('transferred');
  });

  test('ends its call by returning otherwise', async () => {
    await using it = await accepting();
    await it.accepted;
    await it.runner.waits();
  });
});
