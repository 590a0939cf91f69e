import { deferred } from '../../../src/base/async/deferred.js';
import { VoicebotError } from '../../../src/base/errors.js';
import { EndFrame, ErrorFrame, InterruptionFrame, OutputAudioFrame } from '../../../src/bot/pipeline/frames/index.js';
import type { TransferOutcome } from '../../../src/call/transfer-outcome.js';
import { tone } from './start-pipeline.js';
import { CALLER, type RoomStart, roomWithCaller, startRoom } from './start-room.js';

const OPERATOR = '+12025550101';
const ASKED = `sipCallTransfer caller ${OPERATOR}`;
const DESTINATION = { sessionId: 'operator', destination: OPERATOR };
const ANSWERED = { status: 'answered', data: { toEndPoint: OPERATOR, sessionId: 'operator' } };

beforeEach(() => {
  jest.useFakeTimers();
  process.env.OPERATOR_NUMBER = OPERATOR; // as a runner on the sandbox sets it
});

afterEach(() => {
  delete process.env.OPERATOR_NUMBER;
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

type Call = Awaited<ReturnType<typeof roomWithCaller>>;

/** Has the caller transferred; the provider has taken it. In an array: a bare promise would be awaited. */
async function transferring(call: Call, toEndPoint = OPERATOR): Promise<[Promise<TransferOutcome>]> {
  const transfer = call.transport.sipCallTransfer({ toEndPoint });
  await call.turn();
  return [transfer];
}

/** The same, with the destination ringing. */
async function ringing(start: RoomStart = {}) {
  const call = await roomWithCaller(start);
  const [transfer] = await transferring(call);
  call.room.tell('dialout_connected', DESTINATION);
  call.forget();
  return { ...call, transfer };
}

const callerStops = (call: Call) => {
  call.room.goes(CALLER);
  call.room.tell('dialin_stopped', { sessionId: 'caller' });
};

describe('a transfer is refused at once', () => {
  test.each(['', 'the operator', '911', 'sip:', 'sip:operator', 'sip:a b@c', 5])('to %j', async (toEndPoint) => {
    const call = await roomWithCaller();
    const refused = call.transport.sipCallTransfer({ toEndPoint: toEndPoint as string });
    await expect(refused).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
    expect(call.room.asked).toEqual([]);
    await call.task.cancel();
  });

  test('when nobody is there, and while somebody who is called has not answered', async () => {
    const call = await startRoom();
    const refused = { code: 'VB_STREAM_CLOSED' };
    await expect(call.transport.sipCallTransfer()).rejects.toMatchObject(refused);
    await call.transport.startDialout({ phoneNumber: OPERATOR });
    await expect(call.transport.sipCallTransfer()).rejects.toMatchObject(refused);
    await call.task.cancel();
  });

  test('while one to another number is going on', async () => {
    const { transfer, ...call } = await ringing();
    const refused = { code: 'VB_TRANSFER_FAILED' };
    await expect(call.transport.sipCallTransfer({ toEndPoint: '+12025550102' })).rejects.toMatchObject(refused);
    await expect(call.transport.sipRefer({ toEndPoint: 'sip:a@b' })).rejects.toMatchObject(refused);
    call.room.tell('dialout_answered', DESTINATION);
    expect(await transfer).toEqual(ANSWERED);
    await call.task.cancel();
  });

  test('but one to the same number joins it', async () => {
    const { transfer, ...call } = await ringing();
    const announce = new OutputAudioFrame(tone(100), 8_000);
    const again = call.transport.transfer('+1 (202) 555-0101', { announce });
    await call.turn();
    call.room.tell('dialout_answered', DESTINATION);
    expect(await Promise.all([transfer, again])).toEqual([ANSWERED, ANSWERED]);
    expect(call.told('dialout_answered')).toHaveLength(1);
    expect([call.room.asked, call.room.said]).toEqual([[], []]); // of the provider, and of the caller's patience
    await call.task.cancel();
  });

  test('when the caller talks to somebody else already', async () => {
    const { transfer, ...call } = await ringing();
    call.room.tell('dialout_answered', DESTINATION);
    await transfer;
    await expect(call.transport.sipCallTransfer()).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
    await call.task.cancel();
  });

  test('by the runner, with nothing announced', async () => {
    const call = await roomWithCaller();
    const refusal = new VoicebotError('VB_TARGET_REFUSED', 'premium rate');
    call.link.checkTarget = () => Promise.reject(refusal);
    const announce = new OutputAudioFrame(tone(100), 8_000);
    await expect(call.transport.transfer(OPERATOR, { announce })).rejects.toBe(refusal);
    await call.wait(500);
    expect(call.room.said).toEqual([]);
    expect(call.room.asked).toEqual([]);
    expect(call.link.told).toEqual([]);
    await call.task.cancel();
  });

  test('by the provider, and the call is as it was', async () => {
    const call = await roomWithCaller();
    const refusal = new VoicebotError('VB_ROOMS_REQUEST_FAILED', 'dial-out not enabled');
    call.room.refuse('sipCallTransfer', refusal);
    await expect(call.transport.sipCallTransfer()).rejects.toBe(refusal);
    expect(call.events).toEqual([]);
    expect(call.link.told).toEqual([]);
    call.room.accept('sipCallTransfer');
    const [again] = await transferring(call);
    call.room.tell('dialout_answered', DESTINATION);
    expect(await again).toEqual(ANSWERED);
    await call.task.cancel();
  });

  test('when the provider does not say whether it takes it for 15 s', async () => {
    const call = await roomWithCaller();
    call.room.hold('sipCallTransfer');
    const refused = expect(call.transport.sipCallTransfer()).rejects.toMatchObject({ code: 'VB_TRANSFER_FAILED' });
    await call.wait(15_000);
    await refused;
    expect(call.isOver()).toBe(false);
    await call.task.cancel();
  });
});

describe('a runner that takes its time', () => {
  test('has ten seconds', async () => {
    const call = await roomWithCaller();
    call.link.checkTarget = () => new Promise(() => {});
    const refused = expect(call.transport.sipCallTransfer()).rejects.toMatchObject({ code: 'VB_DEADLINE_EXCEEDED' });
    await call.wait(10_000);
    await refused;
    await call.task.cancel();
  });

  test('lets nothing be announced to a caller who has left meanwhile', async () => {
    const call = await roomWithCaller();
    const answer = deferred<string>();
    call.link.checkTarget = () => answer.promise;
    const transfer = call.transport.transfer(OPERATOR, { announce: new OutputAudioFrame(tone(100), 8_000) });
    callerStops(call);
    expect(await transfer).toEqual({ status: 'caller_left' });
    answer.resolve(OPERATOR);
    await call.run;
    expect(call.room.said).toEqual([]);
    expect(call.room.asked).toEqual(['leave']);
  });
});

describe('the destination', () => {
  test('is the operator where none is named', async () => {
    const call = await roomWithCaller();
    process.env.OPERATOR_NUMBER = '+12025550107';
    void call.transport.sipCallTransfer();
    await call.turn();
    expect(call.room.asked).toEqual(['sipCallTransfer caller +12025550107']);
    await call.task.cancel();
  });

  test('is what the runner makes of the number', async () => {
    const call = await roomWithCaller();
    const checked: string[] = [];
    call.link.checkTarget = async (to) => {
      checked.push(to);
      return '+12025550199';
    };
    await transferring(call, '1 (202) 555-0101');
    expect(checked).toEqual([OPERATOR]);
    expect(call.room.asked).toEqual(['sipCallTransfer caller +12025550199']);
    await call.task.cancel();
  });

  test('may be a SIP address, which the runner has no say in', async () => {
    const call = await roomWithCaller();
    call.link.checkTarget = () => Promise.reject(new Error('asked'));
    await transferring(call, 'sip:1@sandbox.sip.localhost');
    expect(call.room.asked).toEqual(['sipCallTransfer caller sip:1@sandbox.sip.localhost']);
    await call.task.cancel();
  });
});

describe('what was said before', () => {
  test('is heard to its end before anything is asked, the announcement last', async () => {
    const call = await roomWithCaller();
    call.task.queueFrame(new OutputAudioFrame(tone(200), 8_000));
    const announce = [new OutputAudioFrame(tone(100, 24_000), 24_000), new OutputAudioFrame(tone(100), 8_000)];
    void call.transport.transfer(OPERATOR, { announce });
    await call.wait(400);
    expect(call.room.said).toHaveLength(20);
    await call.wait(150); // on its way to the caller
    expect(call.room.asked).toEqual([]);
    await call.wait(100);
    expect(call.room.asked).toEqual([ASKED]);
    expect(call.link.types).toEqual(['transferring']);
    await call.task.cancel();
  });

  test('is cut short by an interruption, which does not stop the transfer', async () => {
    const call = await roomWithCaller();
    void call.transport.transfer(OPERATOR, { announce: new OutputAudioFrame(tone(5_000), 8_000) });
    await call.wait(100);
    call.task.queueFrame(new InterruptionFrame());
    await call.turn();
    expect(call.room.asked).toEqual([ASKED]);
    await call.task.cancel();
  });

  test('is waited for no longer than the caller is there', async () => {
    const call = await roomWithCaller();
    const transfer = call.transport.transfer(OPERATOR, { announce: new OutputAudioFrame(tone(5_000), 8_000) });
    await call.wait(100);
    callerStops(call);
    expect(await transfer).toEqual({ status: 'caller_left' });
    await call.run;
    expect(call.room.asked).toEqual(['leave']);
    expect(call.link.types).toEqual(['over caller_hung_up']);
  });
});

describe('a destination that answers', () => {
  test('is told, and the bot that ends its pipeline leaves the two alone', async () => {
    const { transfer, ...call } = await ringing();
    call.transport.on('dialout_answered', () => call.task.queueFrame(new EndFrame()));
    call.room.tell('dialout_answered', DESTINATION);
    callerStops(call);
    expect(await transfer).toEqual(ANSWERED);
    await call.run;
    expect(call.events).toEqual(['dialout_answered', 'participant_left', 'dialin_stopped', 'left']);
    expect(call.told('dialout_answered')).toEqual([ANSWERED.data]);
    expect(call.link.types).toEqual(['over transferred']);
    expect(call.room.asked).toEqual(['leave']);
    expect(call.cancelled()).toEqual([]);
  });

  test('ends a pipeline that has not ended itself after five seconds', async () => {
    const { transfer, ...call } = await ringing();
    call.room.tell('dialout_answered', DESTINATION);
    callerStops(call);
    await transfer;
    await call.wait(4_999);
    expect(call.isOver()).toBe(false);
    await call.wait(1);
    await call.run;
    expect(call.cancelled()).toEqual(['call_ended']);
    expect(call.room.asked).toEqual(['leave']);
    expect(call.link.types).toEqual(['over transferred']);
  });

  test('and takes the room with it ends the pipeline as it should', async () => {
    const { transfer, ...call } = await ringing();
    call.room.tell('dialout_answered', DESTINATION);
    await transfer;
    call.room.tell('left', { error: new Error('the room is over') });
    await call.run;
    expect(call.cancelled()).toEqual(['call_ended']);
    expect(call.events).toEqual(['dialout_answered', 'left']);
  });

  test('may do so before the provider has said that it takes the transfer', async () => {
    const call = await roomWithCaller();
    const request = call.room.hold('sipCallTransfer');
    const [transfer] = await transferring(call);
    call.room.tell('dialout_connected', DESTINATION);
    call.room.tell('dialout_answered', DESTINATION);
    expect(await transfer).toEqual(ANSWERED);
    request.accept();
    await call.turn();
    expect(call.link.types).toEqual(['over transferred']);
    await call.task.cancel();
    expect(call.room.asked).toEqual([ASKED, 'leave']);
  });

  test.each(['caller', 'operator'])("may be told of by the session of the %s's leg", async (sessionId) => {
    const call = await roomWithCaller();
    const [transfer] = await transferring(call);
    for (const event of ['dialout_connected', 'dialout_answered'] as const) call.room.tell(event, { sessionId });
    expect(await transfer).toEqual({ status: 'answered', data: call.told('dialout_answered')[0] });
    await call.task.cancel();
  });

  test('may be for somebody who was called', async () => {
    const call = await startRoom();
    await call.transport.startDialout({ phoneNumber: '+12025550108' });
    call.room.tell('dialout_answered', { sessionId: 'leg-1' });
    const [transfer] = await transferring(call);
    call.room.tell('dialout_connected', DESTINATION);
    call.room.tell('dialout_answered', DESTINATION);
    call.room.tell('dialout_stopped', { sessionId: 'leg-1' });
    expect(await transfer).toEqual(ANSWERED);
    call.task.queueFrame(new EndFrame());
    await call.run;
    expect(call.room.asked.slice(1)).toEqual([`sipCallTransfer leg-1 ${OPERATOR}`, 'leave']);
    expect(call.link.types.at(-1)).toBe('over transferred');
  });
});

describe("the provider's own order: the caller's leg leaves as soon as the transfer is accepted", () => {
  const UNKNOWN = { status: 'caller_left', destination: 'unknown' };

  test.each([0, 1_500, 15_000, 60_000])('and the destination that answers %i ms later has them', async (afterMs) => {
    const call = await roomWithCaller();
    const [transfer] = await transferring(call);
    callerStops(call);
    call.room.tell('dialout_connected', DESTINATION);
    await call.wait(afterMs);
    expect(call.isOver()).toBe(false);
    call.room.tell('dialout_answered', DESTINATION);
    expect(await transfer).toEqual(ANSWERED);
    await call.wait(1_000);
    expect(call.told('dialout_answered')).toEqual([ANSWERED.data]);
    expect(call.link.types).toEqual(['transferring', 'transferring', 'over transferred']);
    call.task.queueFrame(new EndFrame());
    await call.run;
    expect(call.room.asked).toEqual([ASKED, 'leave']);
  });

  test('also before the provider has said that it takes the transfer', async () => {
    const call = await roomWithCaller();
    const request = call.room.hold('sipCallTransfer');
    const [transfer] = await transferring(call);
    callerStops(call);
    await call.wait(2_000);
    request.accept();
    await call.wait(3_000);
    expect(call.isOver()).toBe(false);
    call.room.tell('dialout_answered', DESTINATION);
    expect(await transfer).toEqual(ANSWERED);
    await call.task.cancel();
  });

  test.each([
    ['dialout_error', { sessionId: 'operator', errorMsg: 'Busy' }, 'busy'],
    ['dialout_error', { errorMsg: 'Rejected' }, 'rejected'],
    ['dialout_stopped', { sessionId: 'operator', errorMsg: '' }, 'no_answer'],
  ] as const)('and a destination that is not reached, by %s %j, has lost them', async (event, data, destination) => {
    const call = await roomWithCaller();
    const [transfer] = await transferring(call);
    callerStops(call);
    await call.wait(5_000);
    call.room.tell(event, data);
    expect(await transfer).toEqual({ status: 'caller_left', destination });
    await call.run;
    expect(call.link.types).toEqual(['transferring', 'over transfer_failed']);
    expect(call.room.asked).toEqual([ASKED, 'leave']);
  });

  test.each([
    ['nothing at all', []],
    ['that it rings', ['dialout_connected']],
  ] as const)(
    'and a provider that tells %s for two minutes leaves it unknown, and the two alone',
    async (_, events) => {
      const call = await roomWithCaller();
      const [transfer] = await transferring(call);
      callerStops(call);
      for (const event of events) call.room.tell(event, DESTINATION);
      await call.wait(119_999);
      expect(call.isOver()).toBe(false);
      await call.wait(1);
      expect(await transfer).toEqual(UNKNOWN);
      await call.run;
      expect(call.events).not.toContain('dialout_answered');
      expect(call.link.types.at(-1)).toBe('over transfer_unknown');
      expect(call.room.asked).toEqual([ASKED, 'leave']);
    },
  );

  test.each(['participant_left', 'dialin_stopped'] as const)('with no word of it but %s', async (event) => {
    const call = await roomWithCaller();
    const [transfer] = await transferring(call);
    if (event === 'participant_left') call.room.goes(CALLER);
    else call.room.tell('dialin_stopped', { sessionId: 'caller' });
    call.room.tell('dialout_connected', DESTINATION);
    await call.wait(15_000);
    call.room.tell('dialout_answered', DESTINATION);
    expect(await transfer).toEqual(ANSWERED);
    await call.task.cancel();
  });

  test('with every event twice, and the answer before the ringing', async () => {
    const call = await roomWithCaller();
    const [transfer] = await transferring(call);
    callerStops(call);
    callerStops(call);
    for (const event of ['dialout_answered', 'dialout_answered', 'dialout_connected', 'dialout_connected'] as const) {
      call.room.tell(event, DESTINATION);
    }
    expect(await transfer).toEqual(ANSWERED);
    await call.wait(2_000);
    expect(call.link.types).toEqual(['transferring', 'over transferred']);
    await call.task.cancel();
  });
});

test('a caller who stays in the room, and for whom nothing rings, is back with the bot after ten seconds', async () => {
  const call = await roomWithCaller();
  const [transfer] = await transferring(call);
  await call.wait(9_999);
  expect(call.link.types).toEqual(['transferring']);
  await call.wait(1);
  expect(await transfer).toMatchObject({ status: 'failed' });
  expect(call.link.types).toEqual(['transferring', 'transfer_failed']);
  expect(call.isOver()).toBe(false);
  await call.task.cancel();
});

describe('a destination that is not reached', () => {
  test.each([
    ['Busy', 'busy'],
    ['no answer', 'no_answer'],
    ['Declined', 'rejected'],
    ['SIP 404', 'failed'],
  ])('for %j leaves the caller with the bot, as %s', async (errorMsg, status) => {
    const { transfer, ...call } = await ringing();
    call.room.tell('dialout_error', { sessionId: 'operator', errorMsg });
    expect(await transfer).toEqual({ status, detail: errorMsg });
    expect(call.events).toEqual(['dialout_error']);
    expect(call.link.types).toEqual(['transfer_failed']);
    call.task.queueFrame(new OutputAudioFrame(tone(20), 8_000));
    await call.wait(20);
    expect(call.room.said).toHaveLength(1);
    call.task.queueFrame(new EndFrame());
    await call.wait(1_000);
    await call.run;
    expect(call.room.asked).toEqual(['eject caller', 'leave']);
  });

  test('says so when it is the operator, whose number is not set', async () => {
    delete process.env.OPERATOR_NUMBER;
    const { transfer, ...call } = await ringing();
    call.room.tell('dialout_error', { sessionId: 'operator', errorMsg: 'no answer' });
    expect(await transfer).toEqual({
      status: 'no_answer',
      detail:
        'no answer: OPERATOR_NUMBER is not set to a real number, and +12025550101 is unassigned outside the sandbox',
    });
    await call.task.cancel();
  });

  test('because it stops ringing has not answered', async () => {
    const { transfer, ...call } = await ringing();
    call.room.tell('dialout_stopped', DESTINATION);
    expect(await transfer).toMatchObject({ status: 'no_answer' });
    await call.task.cancel();
  });

  test('before it rings, without a session, has failed all the same', async () => {
    const call = await roomWithCaller();
    const [transfer] = await transferring(call);
    call.room.tell('dialout_error', { errorMsg: 'Busy' });
    expect(await transfer).toEqual({ status: 'busy', detail: 'Busy' });
    await call.task.cancel();
  });

  test('within two minutes has failed, and rings no longer', async () => {
    const { transfer, ...call } = await ringing();
    await call.wait(119_999);
    expect(call.room.asked).toEqual([]);
    await call.wait(1);
    expect(await transfer).toMatchObject({ status: 'failed' });
    expect(call.room.asked).toEqual(['stopDialout operator']);
    expect(call.link.types).toEqual(['transfer_failed']);
    await call.task.cancel();
  });

  test('may be followed by one that is, whatever is still told of the first', async () => {
    const { transfer, ...call } = await ringing();
    call.room.tell('dialout_error', { sessionId: 'operator', errorMsg: 'Busy' });
    await transfer;
    const [again] = await transferring(call, '+12025550107');
    call.room.tell('dialout_stopped', DESTINATION);
    call.room.tell('dialout_connected', { sessionId: 'second' });
    call.room.tell('dialout_answered', { sessionId: 'second' });
    expect(await again).toEqual({ status: 'answered', data: { toEndPoint: '+12025550107', sessionId: 'second' } });
    expect(call.link.types).toEqual(['transfer_failed', 'transferring', 'transferring', 'over transferred']);
    await call.task.cancel();
  });

  test('is not one of the others who are called meanwhile', async () => {
    const call = await roomWithCaller();
    const specialist = await call.transport.startDialout({ phoneNumber: '+12025550107' });
    const [transfer] = await transferring(call);
    call.room.tell('dialout_stopped', specialist);
    call.room.tell('dialout_connected', DESTINATION);
    call.room.tell('dialout_answered', { sessionId: 'a third' });
    call.room.tell('dialout_answered', DESTINATION);
    expect(await transfer).toEqual(ANSWERED);
    await call.task.cancel();
  });
});

describe('a caller who leaves', () => {
  test('while the destination rings has left once the provider has it ring no more', async () => {
    const { transfer, ...call } = await ringing();
    callerStops(call);
    await call.wait(1_000);
    call.room.tell('dialout_stopped', DESTINATION);
    expect(await transfer).toEqual({ status: 'caller_left', destination: 'no_answer' });
    await call.run;
    expect(call.events).toEqual(['participant_left', 'dialin_stopped', 'dialout_stopped', 'left']);
    expect(call.link.types).toEqual(['over transfer_failed']);
    expect(call.cancelled()).toEqual(['call_ended']);
  });

  test('while the provider refuses the transfer has left', async () => {
    const call = await roomWithCaller();
    const request = call.room.hold('sipCallTransfer');
    const [transfer] = await transferring(call);
    callerStops(call);
    request.refuse(new VoicebotError('VB_ROOMS_REQUEST_FAILED', 'no such leg'));
    expect(await transfer).toEqual({ status: 'caller_left' });
    await call.run;
    expect(call.link.types).toEqual(['over caller_hung_up']);
  });
});

describe('a bot that ends the call while the destination rings', () => {
  test.each(['an EndFrame', 'cancel()'])('by %s hangs up both', async (how) => {
    const { transfer, ...call } = await ringing();
    if (how === 'an EndFrame') call.task.queueFrame(new EndFrame());
    else void call.task.cancel();
    expect(await transfer).toEqual({ status: 'caller_left' });
    await call.run;
    expect(call.room.asked).toEqual(['stopDialout operator', 'eject caller', 'leave']);
    expect(call.link.told).toEqual([{ type: 'over', reason: 'bot_ended' }]);
  });

  test('by failing hangs up neither', async () => {
    const { transfer, ...call } = await ringing();
    const failed = expect(call.run).rejects.toThrow('broken');
    call.heard.receive(new ErrorFrame(new Error('broken'), true), 'upstream');
    await failed;
    expect(await transfer).toMatchObject({ status: 'failed' });
    expect(call.room.asked).toEqual(['leave']);
    expect(call.link.told).toEqual([]);
  });
});

describe('a referral', () => {
  const TO = { toEndPoint: 'sip:queue@example.com' };

  test('makes the caller leave, who is somebody else’s then', async () => {
    const call = await roomWithCaller();
    await call.transport.sipRefer(TO);
    expect(call.room.asked).toEqual(['sipRefer caller sip:queue@example.com']);
    await expect(call.transport.sipCallTransfer()).rejects.toMatchObject({ code: 'VB_TRANSFER_FAILED' });
    callerStops(call);
    await call.run;
    expect(call.link.types).toEqual(['over transferred']);
    expect(call.room.asked.at(-1)).toBe('leave');
  });

  test('may be done before it is accepted', async () => {
    const call = await roomWithCaller();
    const request = call.room.hold('sipRefer');
    const referred = call.transport.sipRefer(TO);
    callerStops(call);
    request.accept();
    await referred;
    await call.run;
    expect(call.link.types).toEqual(['over transferred']);
  });

  test('is left alone by a bot that ends its pipeline', async () => {
    const call = await roomWithCaller();
    await call.transport.sipRefer(TO);
    call.task.queueFrame(new EndFrame());
    await call.run;
    expect(call.room.asked.slice(1)).toEqual(['leave']);
    expect(call.link.types).toEqual(['over transferred']);
  });

  test('that nothing comes of leaves the caller, who hangs up later', async () => {
    const call = await roomWithCaller();
    await call.transport.sipRefer(TO);
    await call.wait(10_001);
    callerStops(call);
    await call.run;
    expect(call.link.types).toEqual(['over caller_hung_up']);
  });

  test('may be refused', async () => {
    const call = await roomWithCaller();
    call.room.refuse('sipRefer', new Error('no'));
    await expect(call.transport.sipRefer(TO)).rejects.toThrow('no');
    await expect(call.transport.sipRefer({ toEndPoint: OPERATOR })).rejects.toMatchObject({
      code: 'VB_REQUEST_INVALID',
    });
    callerStops(call);
    await call.run;
    expect(call.link.types).toEqual(['over caller_hung_up']);
  });
});
