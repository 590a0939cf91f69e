import { OutputAudioFrame } from '../../../src/bot/pipeline/frames/index.js';
import { HeardProof, ProofFrame } from '../../../src/bot/transports/heard-proof.js';
import { SpeechMark } from '../../../src/bot/transports/output-marks.js';
import { RequestLostError } from '../../../src/providers/rooms/room-refusal.js';
import { OWN_USER_IDS } from '../../../src/providers/rooms/user-ids.js';
import { type FakeRoom, participant } from './fake-room.js';
import { CALLER, type RoomStart, roomWithCaller, startRoom } from './start-room.js';

const OPERATOR = '+12025550101';
const DESTINATION = { sessionId: 'operator', destination: OPERATOR };
const CALLEE = participant('leg-1', 'dial-out');

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

/** The connection was lost for a time in which the caller has gone. */
function rejoinedWithoutCaller(room: FakeRoom): void {
  room.participants.delete(CALLER.sessionId);
  room.tell('rejoined');
  room.tell('participant_left', CALLER);
}

/** A caller who is being transferred; the destination rings. */
async function ringing(start: RoomStart = {}) {
  const call = await roomWithCaller(start);
  const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
  await call.turn();
  call.room.tell('dialout_connected', DESTINATION);
  call.forget();
  return { ...call, transfer };
}

describe('when the connection was lost while the destination of a transfer rang', () => {
  test('a caller who has gone meanwhile may talk to the destination, and is left alone after 30 s', async () => {
    const call = await ringing();
    rejoinedWithoutCaller(call.room);
    await call.wait(29_999);
    expect(call.isOver()).toBe(false);
    await call.wait(1);
    expect(await call.transfer).toEqual({ status: 'caller_left', destination: 'unknown' });
    expect(call.link.types).toEqual(['over transfer_unknown']);
    await call.run;
    expect(call.room.asked).toEqual(['leave']);
  });

  test('a caller who has gone meanwhile talks to a destination that answers later', async () => {
    const call = await ringing();
    rejoinedWithoutCaller(call.room);
    await call.wait(20_000);
    call.room.tell('dialout_answered', DESTINATION);
    expect(await call.transfer).toMatchObject({ status: 'answered' });
    expect(call.link.types).toEqual(['over transferred']);
    await call.task.cancel();
  });

  test('a caller who is still there goes when it answers', async () => {
    const call = await ringing();
    call.room.tell('rejoined');
    await call.wait(20_000);
    call.room.tell('dialout_answered', DESTINATION);
    expect(await call.transfer).toMatchObject({ status: 'answered' });
    await call.task.cancel();
  });

  test('a caller who is still there is taken back when nothing is told of it for 30 s, and it rings no more', async () => {
    const call = await ringing();
    call.room.tell('rejoined');
    await call.wait(20_000);
    call.room.tell('rejoined'); // once more, which gives no more time
    await call.wait(9_999);
    expect(call.link.types).toEqual([]);
    await call.wait(1);
    expect(await call.transfer).toMatchObject({ status: 'failed' });
    expect(call.link.types).toEqual(['transfer_failed']);
    expect(call.room.asked).toEqual(['stopDialout operator']);
    expect(call.isOver()).toBe(false);
    await call.task.cancel();
  });
});

describe('when the connection was lost before the provider had answered', () => {
  test('a transfer counts as taken, since it may be: nobody is called twice', async () => {
    const call = await roomWithCaller();
    call.room.refuse('sipCallTransfer', new RequestLostError('sipCallTransfer'));
    const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await call.turn();
    call.room.tell('rejoined');
    const again = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    call.room.tell('dialout_answered', DESTINATION);
    expect(await Promise.all([transfer, again])).toMatchObject([{ status: 'answered' }, { status: 'answered' }]);
    expect(call.room.asked).toEqual([`sipCallTransfer caller ${OPERATOR}`]);
    expect(call.link.types).toEqual(['transferring', 'over transferred']);
    await call.task.cancel();
  });

  test('a transfer that was never carried out has failed after 30 s', async () => {
    const call = await roomWithCaller();
    call.room.refuse('sipCallTransfer', new RequestLostError('sipCallTransfer'));
    const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await call.turn();
    call.room.tell('rejoined');
    await call.wait(30_000);
    expect(await transfer).toMatchObject({ status: 'failed' });
    expect(call.isOver()).toBe(false);
    await call.task.cancel();
  });

  test.each([
    ['sipRefer', 'transferred'],
    ['stopDialout', 'bot_ended'],
  ] as const)('somebody who goes soon after %s has gone for that: %s', async (method, reason) => {
    const call = await startRoom();
    await call.transport.startDialout({ phoneNumber: OPERATOR });
    call.room.tell('dialout_answered', { sessionId: 'leg-1' });
    call.room.comes(CALLEE);
    call.room.refuse(method, new RequestLostError(method === 'sipRefer' ? method : 'stopDialOut'));
    const asked =
      method === 'sipRefer' ? call.transport.sipRefer({ toEndPoint: 'sip:a@b' }) : call.transport.stopDialout();
    await expect(asked).rejects.toBeInstanceOf(RequestLostError);
    call.room.participants.clear();
    call.room.tell('rejoined');
    call.room.tell('participant_left', CALLEE);
    await call.wait(1_000);
    expect(call.link.types.at(-1)).toBe(`over ${reason}`);
    await call.run;
  });

  test('whoever may have been called is not called again by this bot, nor by another', async () => {
    const lost = new RequestLostError('startDialOut');
    const call = await startRoom({ before: ({ room }) => room.refuse('startDialout', lost) });
    await expect(call.transport.startDialout({ phoneNumber: OPERATOR })).rejects.toBe(lost);
    call.room.accept('startDialout');
    await expect(call.transport.startDialout({ phoneNumber: OPERATOR })).rejects.toBe(lost);
    expect(call.room.asked).toEqual([`startDialout ${OPERATOR}`]);
    expect(call.link.types.slice(0, 2)).toEqual(['joined', 'over telephony_error']);
    await call.task.cancel();
  });
});

describe('when the connection was lost, somebody who is on the line and not in the room', () => {
  test('has hung up if nobody comes for 10 s', async () => {
    const call = await startRoom();
    call.room.tell('dialin_connected', { sessionId: CALLER.sessionId });
    call.room.tell('rejoined');
    await call.wait(9_999);
    expect(call.isOver()).toBe(false);
    await call.wait(1);
    expect(call.link.types).toEqual(['joined', 'over caller_hung_up']);
    expect(call.isOver()).toBe(true);
  });

  test('may still be on the way', async () => {
    const call = await startRoom();
    await call.transport.startDialout({ phoneNumber: OPERATOR });
    call.room.tell('dialout_answered', { sessionId: 'leg-1' });
    call.room.tell('rejoined');
    await call.wait(5_000);
    call.room.comes(CALLEE);
    await call.wait(60_000);
    expect(call.isOver()).toBe(false);
    await call.task.cancel();
  });

  test('was there before has gone as always', async () => {
    const call = await roomWithCaller();
    rejoinedWithoutCaller(call.room);
    await call.wait(1_000);
    expect(call.link.types).toEqual(['over caller_hung_up']);
    expect(call.isOver()).toBe(true);
  });

  test('rings on when nobody has answered yet', async () => {
    const call = await startRoom();
    await call.transport.startDialout({ phoneNumber: OPERATOR });
    call.room.tell('rejoined');
    await call.wait(60_000);
    expect(call.isOver()).toBe(false);
    await call.task.cancel();
  });
});

describe.each([
  ['of a runner', OWN_USER_IDS],
  ['without one', undefined],
])('what the bot says while its connection is lost, in a room %s', (_what, userIds) => {
  /** Says a second of sound that has to be heard. @param breaksAtMs undefined: the connection holds */
  async function proven(breaksAtMs?: number) {
    const call = await roomWithCaller({ before: ({ link }) => Object.assign(link, { userIds }) });
    const { room, task } = call;
    const proof = new HeardProof();
    const mark = new SpeechMark();
    task.queueFrame(new ProofFrame(proof));
    task.queueFrame(new OutputAudioFrame(new Int16Array(8_000).fill(1_000), 8_000));
    task.queueFrame(mark);
    await call.wait(breaksAtMs ?? 400);
    if (breaksAtMs !== undefined) Object.assign(room, { isBroken: true, breaks: 1 });
    const before = room.said.length;
    await call.wait(3_000);
    const meanwhile = room.said.length - before;
    room.isBroken = false;
    await call.wait(3_000);
    await mark.reached.promise;
    await task.cancel();
    return { isHeard: proof.times !== undefined, meanwhile, said: room.said.length };
  }

  test('waits until it is there again, and does not count as heard', async () => {
    expect(await proven(400)).toEqual({ isHeard: false, meanwhile: 0, said: 50 });
  });

  test('counts as heard where it holds', async () => {
    expect(await proven()).toMatchObject({ isHeard: true, said: 50 });
  });
});
