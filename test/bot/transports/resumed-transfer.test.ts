import { CallerJoinedFrame, OutputAudioFrame } from '../../../src/bot/pipeline/frames/index.js';
import type { RoomTransferState } from '../../../src/call/runner-link.js';
import { tone } from './start-pipeline.js';
import { CALLER, startRoom } from './start-room.js';

const OPERATOR = '+12025550101';
const DESTINATION = { sessionId: 'operator', destination: OPERATOR };
const RINGING: RoomTransferState = {
  to: OPERATOR,
  leg: { sessionId: 'caller', kind: 'dial-in' },
  destination: 'operator',
  isRinging: true,
};

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

/** A bot that takes over from one whose transfer was going on; the caller is in the room. */
async function resumed(transfer: RoomTransferState = RINGING, isCallerThere = true) {
  const call = await startRoom({
    past: { isForwarded: true, transfer },
    before: ({ room }) => {
      if (isCallerThere) room.participants.set(CALLER.sessionId, CALLER);
    },
  });
  return { ...call, greeted: () => call.heard.of(CallerJoinedFrame).length };
}

const callerGoes = ({ room }: Awaited<ReturnType<typeof resumed>>) => {
  room.goes(CALLER);
  room.tell('dialin_stopped', { sessionId: 'caller' });
};

describe('a bot that takes over while its caller hears the destination ring', () => {
  test('says nothing over it, and leaves the caller to the destination that answers', async () => {
    const call = await resumed();
    await call.task.queueFrame(new OutputAudioFrame(tone(100), 8_000));
    await call.wait(5_000);
    expect(call.room.said).toEqual([]);
    expect(call.greeted()).toBe(0);
    call.room.tell('dialout_answered', DESTINATION);
    callerGoes(call);
    await call.wait(5_000);
    expect(call.link.types).toEqual(['joined', 'over transferred']);
    expect(call.room.said).toEqual([]);
    expect(call.room.asked).toEqual(['leave']);
    expect(call.isOver()).toBe(true);
  });

  test.each([
    ['leaves meanwhile', { ...RINGING, isRinging: false }, true],
    ['leaves while it rings', RINGING, true],
    ['was gone before it came', RINGING, false],
  ])('takes a caller who %s for one who may talk to the destination', async (_, state, isCallerThere) => {
    const call = await resumed(state, isCallerThere);
    if (isCallerThere) callerGoes(call);
    await call.wait(29_999);
    expect(call.link.types).toEqual(['joined']);
    await call.wait(1);
    expect(call.link.types).toEqual(['joined', 'over transfer_unknown']);
    await call.run;
    expect(call.room.asked).toEqual(['leave']);
  });

  test.each([
    ['dialout_answered', 'over transferred'],
    ['dialout_stopped', 'over transfer_failed'],
  ] as const)('learns by %s what became of a caller who was gone before it came', async (event, told) => {
    const call = await resumed(RINGING, false);
    await call.wait(20_000);
    call.room.tell(event, DESTINATION);
    await call.wait(5_000);
    expect(call.link.types).toEqual(['joined', told]);
    expect(call.isOver()).toBe(true);
  });

  test('learns that nobody has answered, and then speaks', async () => {
    const call = await resumed();
    await call.task.queueFrame(new OutputAudioFrame(tone(100), 8_000));
    call.room.tell('dialout_error', { ...DESTINATION, errorMsg: 'busy' });
    await call.wait(1_000);
    expect(call.told('transfer_failed')).toEqual([{ toEndPoint: OPERATOR, status: 'busy', detail: 'busy' }]);
    expect(call.link.types).toEqual(['joined', 'transfer_failed']);
    expect(call.greeted()).toBe(1);
    expect(call.room.said.length).toBeGreaterThan(0);
    await call.task.cancel();
  });

  test('takes the caller back when nothing is told of it for 30 s, and lets it ring no more', async () => {
    const call = await resumed();
    await call.wait(29_999);
    expect(call.told('transfer_failed')).toEqual([]);
    await call.wait(1);
    expect(call.told('transfer_failed')).toMatchObject([{ status: 'failed' }]);
    expect(call.room.asked).toEqual(['stopDialout operator']);
    expect(call.greeted()).toBe(1);
    await call.task.cancel();
  });

  test('joins it by asking for the same, and may ask for another when it came to nothing', async () => {
    const call = await resumed();
    const joined = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    const colleague = () => call.transport.sipCallTransfer({ toEndPoint: '+12025550106' });
    await expect(colleague()).rejects.toMatchObject({ code: 'VB_TRANSFER_FAILED' });
    call.room.tell('dialout_error', { ...DESTINATION, errorMsg: 'busy' });
    expect(await joined).toMatchObject({ status: 'busy' });
    const transfer = colleague();
    await call.turn();
    call.room.tell('dialout_answered', { sessionId: 'colleague', destination: '+12025550106' });
    expect(await transfer).toMatchObject({ status: 'answered' });
    await call.task.cancel();
  });
});

test('the runner is told what a bot that takes over has to know', async () => {
  const call = await startRoom();
  call.room.tell('dialin_connected', { sessionId: CALLER.sessionId });
  call.room.comes(CALLER);
  call.forget();
  const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
  await call.turn();
  call.room.tell('dialout_connected', DESTINATION);
  const leg = { sessionId: 'caller', kind: 'dial-in' };
  expect(call.link.told).toEqual([
    { type: 'transferring', transfer: { to: OPERATOR, leg, destination: undefined, isRinging: false } },
    { type: 'transferring', transfer: { to: OPERATOR, leg, destination: 'operator', isRinging: true } },
  ]);
  call.room.tell('dialout_answered', DESTINATION);
  await transfer;
  await call.task.cancel();
});
