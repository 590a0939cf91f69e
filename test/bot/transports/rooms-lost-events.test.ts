import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import { ToneSource } from '../../../src/base/audio/tones.js';
import { JoinRefusedError, RemovedError } from '../../../src/providers/rooms/room-refusal.js';
import { murmur } from '../../../src/sandbox/network/prompt-audio.js';
import { participant } from './fake-room.js';
import { CALLER, type RoomStart, roomWithCaller, startRoom } from './start-room.js';

const NUMBER = '+12025550101';
const LEG = { sessionId: 'leg-1', destination: NUMBER };
const CALLEE = participant('leg-1', 'dial-out');
const WORDS = decodeMulaw(murmur('hello who is there please'));

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

type Call = Awaited<ReturnType<typeof startRoom>>;

/** A room out of which somebody is being called, whose phone rings. */
async function ringing(start: RoomStart = {}): Promise<Call> {
  const call = await startRoom({ ringMs: 45_000, ...start });
  await call.transport.startDialout({ phoneNumber: NUMBER });
  call.room.tell('dialout_connected', LEG);
  call.forget();
  return call;
}

/** Has this heard in the room, in frames of 20 ms. */
function sound({ room }: Call, pcm: Int16Array): void {
  for (let at = 0; at + 160 <= pcm.length; at += 160) room.speak(pcm.slice(at, at + 160));
}

describe('somebody who was called, and who nobody says has answered', () => {
  test('has answered when they speak in the room, which is told once', async () => {
    const call = await ringing();
    await call.wait(1_000);
    call.room.comes(CALLEE);
    sound(call, WORDS);
    expect(call.link.types).toEqual(['connected']);
    expect(call.told('dialout_answered')).toEqual([{ toEndPoint: NUMBER, sessionId: 'leg-1' }]);
    call.room.tell('dialout_answered', LEG); // late
    expect(call.told('dialout_answered')).toHaveLength(1);
    await call.wait(60_000);
    expect(call.isOver()).toBe(false);
    await call.task.cancel();
  });

  test('has answered when they are heard and nobody is known to be in the room', async () => {
    const call = await ringing();
    sound(call, WORDS);
    expect(call.link.types).toEqual(['connected']);
    await call.task.cancel();
  });

  test('is not taken for somebody else in the room who speaks', async () => {
    const call = await ringing();
    call.room.comes(participant('guest'));
    sound(call, WORDS);
    expect(call.link.types).toEqual([]);
    call.room.goes(participant('guest'));
    sound(call, WORDS);
    expect(call.link.types).toEqual(['connected']);
    await call.task.cancel();
  });

  test('has answered when they came into the room while it rang and have been there for 8 s', async () => {
    const call = await ringing();
    await call.wait(3_000);
    call.room.comes(CALLEE);
    await call.wait(7_999);
    expect(call.link.types).toEqual([]);
    await call.wait(1);
    expect(call.link.types).toEqual(['connected']);
    expect(call.events).toContain('dialout_answered');
    await call.task.cancel();
  });

  test('has answered when they are there as the time for ringing is over', async () => {
    const call = await ringing();
    await call.wait(44_000);
    call.room.comes(CALLEE);
    await call.wait(1_000);
    expect(call.link.types).toEqual(['connected']);
    await call.task.cancel();
  });

  test('and has been there when they hang up has hung up, and was no one who did not answer', async () => {
    const call = await ringing();
    await call.wait(3_000);
    call.room.comes(CALLEE);
    call.room.tell('dialout_stopped', LEG);
    await call.run;
    expect(call.link.types).toEqual(['over caller_hung_up']);
  });

  test.each([
    [
      'before it rings',
      async ({ room, transport }: Call) => {
        room.comes(CALLEE);
        await transport.startDialout({ phoneNumber: NUMBER });
        room.tell('dialout_connected', LEG);
      },
    ],
    [
      'as it begins to ring',
      async ({ room, transport, wait }: Call) => {
        await transport.startDialout({ phoneNumber: NUMBER });
        room.tell('dialout_connected', LEG);
        await wait(500);
        room.comes(CALLEE);
      },
    ],
  ])('has not answered because a ringing phone is in the room %s', async (_, dial) => {
    const call = await startRoom({ ringMs: 45_000 });
    await dial(call);
    call.forget();
    await call.wait(44_000);
    expect(call.link.types).toEqual([]);
    await call.wait(1_000);
    await call.run;
    expect(call.link.types).toEqual(['over no_answer']);
    expect(call.told('dialout_answered')).toEqual([]);
  });

  test('has not answered while the phone is heard to ring, and has when they speak', async () => {
    const call = await ringing();
    await call.wait(3_000);
    call.room.comes(CALLEE);
    sound(call, ToneSource.ringback().read(8 * 6_000));
    await call.wait(20_000);
    expect(call.link.types).toEqual([]);
    sound(call, WORDS);
    expect(call.link.types).toEqual(['connected']);
    await call.task.cancel();
  });

  test('has as much time as the runner says, from when it rings', async () => {
    const call = await startRoom({ ringMs: 20_000 });
    await call.transport.startDialout({ phoneNumber: NUMBER });
    await call.wait(29_000);
    call.room.tell('dialout_connected', LEG);
    await call.wait(10_000);
    call.room.tell('dialout_connected', LEG); // twice, which gives no more time
    await call.wait(9_999);
    expect(call.isOver()).toBe(false);
    await call.wait(1);
    await call.run;
    expect(call.link.types.at(-1)).toBe('over no_answer');
  });

  test('has that time and 30 s more where nobody says that it rings', async () => {
    const call = await startRoom({ ringMs: 20_000 });
    await call.transport.startDialout({ phoneNumber: NUMBER });
    await call.wait(49_999);
    expect(call.isOver()).toBe(false);
    await call.wait(1);
    await call.run;
    expect(call.link.types.at(-1)).toBe('over no_answer');
  });
});

describe('somebody who is on the line, and who nobody says is in the room', () => {
  test('is there 4 s after the caller was connected', async () => {
    const call = await startRoom();
    call.room.tell('dialin_connected', { sessionId: CALLER.sessionId });
    await call.wait(3_999);
    expect(call.link.types).toEqual(['joined']);
    await call.wait(1);
    expect(call.link.types).toEqual(['joined', 'connected']);
    expect(call.told('first_participant_joined')).toEqual([{ ...CALLER, userName: '' }]);
    call.room.comes(CALLER); // late
    expect(call.events.filter((event) => event === 'participant_joined')).toHaveLength(1);
    call.room.tell('dialin_stopped', { sessionId: CALLER.sessionId });
    await call.run;
    expect(call.link.types.at(-1)).toBe('over caller_hung_up');
  });

  test('is there when the caller speaks', async () => {
    const call = await startRoom();
    call.room.tell('dialin_connected', { sessionId: CALLER.sessionId });
    sound(call, WORDS);
    expect(call.link.types).toEqual(['joined', 'connected']);
    await call.task.cancel();
  });

  test('is told to the bot 4 s after answering', async () => {
    const call = await ringing();
    call.room.tell('dialout_answered', LEG);
    expect(call.link.types).toEqual(['connected']);
    expect(call.events).toEqual(['dialout_answered']);
    await call.wait(4_000);
    expect(call.events).toEqual(['dialout_answered', 'first_participant_joined', 'participant_joined']);
    expect(call.link.types).toEqual(['connected']);
    await call.task.cancel();
  });

  test('has hung up before anybody was told of them, and late news bring nobody back', async () => {
    const call = await startRoom();
    call.room.tell('dialin_stopped', { sessionId: CALLER.sessionId });
    call.room.tell('dialin_connected', { sessionId: CALLER.sessionId });
    await call.wait(10_000);
    expect(call.link.types).toEqual(['joined']);
    await call.task.cancel();
  });
});

test.each(['dialin_connected', 'dialin_stopped'] as const)('%s is told once though it comes twice', async (event) => {
  const call = await startRoom({ params: {} });
  for (let n = 0; n < 2; n += 1) call.room.tell(event, { sessionId: CALLER.sessionId });
  expect(call.events.filter((name) => name === event)).toHaveLength(1);
  await call.task.cancel();
});

describe('a room that the provider has no more', () => {
  test.each([
    { error: 'ejected', info: 'room-deleted' },
    { error: '', info: 'room-deleted' },
    { error: 'exp-room', info: 'the room has expired' },
    { error: 'no-room', info: 'the room does not exist' },
  ])('ends the call for that, and the bot in order: %j', async (why) => {
    const call = await roomWithCaller();
    call.room.tell('left', { error: new RemovedError(why, 'token') });
    await call.run;
    expect(call.link.types).toEqual(['over room_closed']);
    expect(call.cancelled()).toEqual(['call_ended']);
    expect(call.events).toEqual(['left']);
  });

  test('is told of by a bot that it does not let in', async () => {
    const refusal = new JoinRefusedError('no-room', 'no-room: it does not exist');
    const call = await startRoom({ before: ({ room }) => room.refuse('join', refusal) });
    await expect(call.run).rejects.toBe(refusal);
    expect(call.link.types).toEqual(['over room_closed']);
  });

  test('is not the reason when the bot alone was removed', async () => {
    const call = await roomWithCaller();
    const removal = new RemovedError({ error: 'ejected', info: 'by an owner' }, 'token');
    call.room.tell('left', { error: removal });
    await expect(call.run).rejects.toBe(removal);
    expect(call.link.types).toEqual([]);
  });
});
