import { RoomView } from '../../../../src/bot/transports/room/room-view.js';
import type { RoomDialout, RoomEvents, RoomParticipant } from '../../../../src/providers/rooms/room-connection.js';
import { besideUserIds } from '../../../../src/providers/rooms/user-ids.js';
import { FakeRoom } from '../fake-room.js';

const { bot, leg } = besideUserIds('call-2');
const one = (sessionId: string, kind: RoomParticipant['kind'], userId?: string): RoomParticipant => ({
  sessionId,
  userName: '',
  isOwner: false,
  kind,
  ...(userId !== undefined && { userId }),
});
const CALLER = one('caller', 'dial-in');
const GUEST = one('guest', 'web');
const LEG = one('leg', 'dial-out', leg);
const SECOND_BOT = one('second-bot', 'web', bot);
const OTHER_LEG = one('other-leg', 'dial-out', besideUserIds('call-3').leg);
const RECEPTION = { base: false, byUserId: { [bot]: true } };

interface Views {
  readonly isOfOther?: readonly string[];
  readonly isOtherDialling?: boolean;
  readonly dialled?: readonly string[];
}

function viewOf(isBeside: boolean, { isOfOther = [], isOtherDialling = false, dialled = [] }: Views = {}) {
  const room = new FakeRoom();
  const view = new RoomView(
    room,
    { isBeside, legUserId: isBeside ? leg : undefined, dialled, isDialling: false },
    {
      isOfOther: (id) => isOfOther.includes(id),
      isOtherDialling: () => isOtherDialling,
      reception: () => RECEPTION,
    },
  );
  return { room, view };
}

describe.each([
  ['the call of the room', false, ['caller', 'guest']],
  ['a call beside it', true, ['leg']],
])('%s', (_, isBeside, seen) => {
  test('sees its own people only', () => {
    const { room, view } = viewOf(isBeside);
    for (const who of [CALLER, GUEST, LEG, SECOND_BOT, OTHER_LEG]) room.comes(who);
    expect([...view.participants.keys()]).toEqual(seen);
  });

  test('is told of its own people only, and no more when it has stopped to listen', () => {
    const { room, view } = viewOf(isBeside);
    const told: string[] = [];
    const listener = ({ sessionId }: RoomParticipant) => void told.push(sessionId);
    view.on('participant_joined', listener);
    room.start(() => {});
    for (const who of [CALLER, GUEST, LEG, SECOND_BOT, OTHER_LEG]) room.comes(who);
    view.off('participant_joined', listener);
    for (const who of [CALLER, LEG]) room.comes(who);
    expect(told).toEqual(seen);
    expect(room.listenerCount).toBe(0);
  });
});

/** Which of some events a view passes on. */
function passed<Name extends keyof RoomEvents>(
  { room, view }: ReturnType<typeof viewOf>,
  name: Name,
  data: ReadonlyArray<RoomEvents[Name]>,
): unknown[] {
  const told: unknown[] = [];
  view.on(name, (...args) => void told.push(args[0]));
  room.start(() => {});
  for (const args of data) room.tell(name, ...args);
  return told;
}

test('a key whose telephone is not named counts for both calls, and one of a telephone for its own', () => {
  const keys: Array<RoomEvents['dtmf']> = [
    [{ digit: '1', sessionId: 'caller' }],
    [{ digit: '2', sessionId: 'leg' }],
    [{ digit: '3' }],
  ];
  const ofOther = { isOfOther: ['leg'] };
  expect(passed(viewOf(false, ofOther), 'dtmf', keys)).toEqual([keys[0]?.[0], keys[2]?.[0]]);
  expect(passed(viewOf(true, { dialled: ['leg'], isOfOther: ['caller'] }), 'dtmf', keys)).toEqual([
    keys[1]?.[0],
    keys[2]?.[0],
  ]);
});

test('events of a leg that the provider has not named yet are of the call that dials', async () => {
  const answered: Array<RoomEvents['dialout_answered']> = [[{ sessionId: 'unnamed' }]];
  expect(passed(viewOf(false), 'dialout_answered', answered)).toHaveLength(1);
  expect(passed(viewOf(false, { isOtherDialling: true }), 'dialout_answered', answered)).toHaveLength(0);
  expect(passed(viewOf(true), 'dialout_answered', answered)).toHaveLength(0);
  const dialling = viewOf(true);
  const held = dialling.room.hold('startDialout');
  const dialled = dialling.view.startDialout({ phoneNumber: '+12025550177' });
  expect(dialling.view.isDialling).toBe(true);
  expect(passed(dialling, 'dialout_answered', answered)).toHaveLength(1);
  held.accept();
  await dialled;
  expect([dialling.view.isDialling, dialling.view.owns('leg-1')]).toEqual([false, true]);
});

test('a failure without a session is not one of a call beside, unless that dials', () => {
  const failed: Array<RoomEvents['dialout_error']> = [[{ errorMsg: 'Busy' }]];
  expect(passed(viewOf(false), 'dialout_error', failed)).toHaveLength(1);
  expect(passed(viewOf(true), 'dialout_error', failed)).toHaveLength(0);
});

test('one who is dialled beside a call is named, and begins with its bot alone; one whom the call of the room dials is as it was asked for', async () => {
  const asked: RoomDialout[] = [];
  const dial = async (isBeside: boolean) => {
    const { room, view } = viewOf(isBeside);
    const heard: unknown[] = [];
    room.hearOnly = (ids) => {
      heard.push(ids);
      return true;
    };
    const { startDialout } = room;
    room.startDialout = (call) => {
      asked.push(call);
      return startDialout.call(room, call);
    };
    await view.startDialout({ phoneNumber: '+12025550177' });
    return heard;
  };
  expect([await dial(true), await dial(false)]).toEqual([[['leg-1']], []]);
  expect(asked).toEqual([
    { phoneNumber: '+12025550177', userId: leg, reception: RECEPTION },
    { phoneNumber: '+12025550177' },
  ]);
});

test('a call beside hears nothing before its own telephone is there', async () => {
  const { room, view } = viewOf(true);
  const heard: number[] = [];
  view.start(([sample]) => void heard.push(sample ?? -1));
  room.speak(Int16Array.of(5));
  const { sessionId } = await view.startDialout({ phoneNumber: '+12025550177' });
  room.speak(Int16Array.of(6)); // still of those who were heard before
  room.comes({ ...LEG, sessionId });
  room.speak(Int16Array.of(7));
  expect(heard).toEqual([0, 0, 7]);
});
