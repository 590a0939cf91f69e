import { RoomSeat } from '../../../../src/bot/transports/room/room-seat.js';
import { type Seated, SeatedConnection, SeatedRoom } from './seated-room.js';

const flush = () => new Promise<void>((resolve) => setImmediate(resolve));

const WITH_ALL = ['caller: bot', 'bot: caller'];

/** A caller, and colleagues who were dialled beside the call; each hears its own bot only. */
async function consulted(...names: string[]) {
  const room = new SeatedRoom();
  const own = room.ownCall();
  const releases: Array<() => void> = [];
  const beside: Seated[] = [];
  for (const name of names) {
    releases.push(await own.seat.isolate());
    const one = room.beside(name);
    await one.room.startDialout({ phoneNumber: '+12025550177' });
    beside.push(one);
  }
  await flush();
  const release = () => {
    for (const one of releases) one();
  };
  const [ann, bob] = beside as [Seated, Seated];
  return { room, own, ann, bob, release };
}

const PRIVATE = ['caller: bot', 'bot: caller', 'bot of ann: ann', 'ann: bot of ann'];

test('a bot that has joined and its caller hear each other', () => {
  const room = new SeatedRoom();
  room.ownCall();
  expect(room.hearing).toEqual(WITH_ALL);
});

test('a third one who comes is heard by both, until a number is about to be dialled beside the call', async () => {
  const room = new SeatedRoom();
  const { seat } = room.ownCall();
  room.comes({ sessionId: 'guest', userName: '', isOwner: false, kind: 'web' });
  expect(room.hearing).toEqual(['caller: bot guest', 'bot: caller guest', 'guest: caller bot']);
  const release = await seat.isolate();
  expect(room.hearing).toEqual(['caller: bot', 'bot: caller', 'guest: caller bot']);
  release();
  await flush();
  expect(room.hearing).toEqual(['caller: bot guest', 'bot: caller guest', 'guest: caller bot']);
});

test('from its first moment on the one who is dialled hears its own bot only, and is heard by it only', async () => {
  const { room } = await consulted('ann');
  expect(room.hearing).toEqual(PRIVATE);
});

test('bridged, the two hear each other beside their bots, which hear their own party: a whisper stays with one', async () => {
  const { room, own, ann } = await consulted('ann');
  await Promise.all([own.seat.hear([ann.seat]), ann.seat.hear([own.seat])]);
  expect(room.hearing).toEqual(['caller: bot ann', 'bot: caller', 'bot of ann: ann', 'ann: caller bot of ann']);
});

test('each of the two hears its bot only when the bridge is over', async () => {
  const { room, own, ann } = await consulted('ann');
  await Promise.all([own.seat.hear([ann.seat]), ann.seat.hear([own.seat])]);
  await Promise.all([own.seat.hear([]), ann.seat.hear([])]);
  expect(room.hearing).toEqual(PRIVATE);
});

test('three hear each other, and two when the third has gone', async () => {
  const { room, own, ann, bob } = await consulted('ann', 'bob');
  expect(room.hearing).toEqual([...PRIVATE, 'bot of bob: bob', 'bob: bot of bob']);
  const seats = [own.seat, ann.seat, bob.seat];
  await Promise.all(seats.map((seat) => seat.hear(seats.filter((other) => other !== seat))));
  expect(room.hearing).toEqual([
    'caller: bot ann bob',
    'bot: caller',
    'bot of ann: ann',
    'ann: caller bot of ann bob',
    'bot of bob: bob',
    'bob: caller ann bot of bob',
  ]);
  room.goes('bob');
  await bob.room.leave();
  await flush();
  expect(room.hearing).toEqual(['caller: bot ann', 'bot: caller', 'bot of ann: ann', 'ann: caller bot of ann']);
});

test('when the last colleague has gone, a guest is heard again', async () => {
  const { room, ann, release } = await consulted('ann');
  room.comes({ sessionId: 'guest', userName: '', isOwner: false, kind: 'web' });
  room.goes('ann');
  await ann.room.leave();
  release();
  await flush();
  expect(room.hearing).toEqual(['caller: bot guest', 'bot: caller guest', 'guest: caller bot']);
});

test.each([
  ['leaves two who are bridged as they are', true, ['caller: ann next bot', 'ann: caller', 'next bot: caller']],
  ['keeps two apart who are not', false, ['caller: next bot', 'next bot: caller']],
])('a bot that comes after another one %s', async (_, isBridged, hearing) => {
  const { room, own, ann } = await consulted('ann');
  if (isBridged) await Promise.all([own.seat.hear([ann.seat]), ann.seat.hear([own.seat])]);
  for (const one of [own, ann]) await one.room.leave();
  const next = room.ownCall({ name: 'next bot', isBridged });
  await next.seat.isolate();
  expect(room.hearing).toEqual(hearing);
});

test('a number is not dialled where the room refuses to keep it from the caller, and the next attempt is free', async () => {
  const room = new SeatedRoom();
  const { seat } = room.ownCall();
  room.refuses = true;
  await expect(seat.isolate()).rejects.toThrow('as the test wants it');
  expect(room.hearing).toEqual(WITH_ALL);
  room.refuses = false;
  const release = await seat.isolate();
  release();
  await flush();
  expect(room.hearing).toEqual(WITH_ALL);
});

test('a connection that cannot say who hears whom is refused', async () => {
  const room = new SeatedRoom();
  const { seat, connection } = room.ownCall();
  Object.assign(connection, { updatePermissions: undefined });
  await expect(seat.isolate()).rejects.toMatchObject({ code: 'VB_CARRIER_UNSUPPORTED' });
});

test('a bot without a runner has the room as it is, and joins no one', async () => {
  const room = new SeatedRoom();
  const overheard = () => {};
  const seat = new RoomSeat(room.url, {
    userIds: undefined,
    leg: () => 'caller',
    past: undefined,
    isBridged: false,
    overheard,
    tape: undefined,
  });
  const connection = new SeatedConnection(room, 'bot', 'voicebot', '');
  expect(seat.enter(connection)).toBe(connection);
  await expect(seat.hear([])).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
});

test('a caller who is not in the room, or has left, cannot be joined', async () => {
  const { room, own, ann } = await consulted('ann');
  room.goes('caller');
  await expect(own.seat.hear([ann.seat])).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
});

test('a telephone that has answered is waited for until the room tells that it is there', async () => {
  const room = new SeatedRoom();
  const { seat } = room.beside('ann');
  let isDone = false;
  const heard = seat.hear([]).then(() => {
    isDone = true;
  });
  room.comes({ sessionId: 'guest', userName: '', isOwner: false, kind: 'web' });
  await flush();
  expect(isDone).toBe(false);
  room.comes({ sessionId: 'ann', userName: '', isOwner: false, kind: 'dial-out' });
  await heard;
  expect(room.hearing).toContain('ann: bot of ann');
});

test('a telephone that does not come into the room cannot be joined, nor one whose bot leaves the room', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  try {
    const late = expect(new SeatedRoom().beside('ann').seat.hear([])).rejects.toMatchObject({
      code: 'VB_STREAM_CLOSED',
    });
    await jest.advanceTimersByTimeAsync(2_000);
    await late;
    const { seat, room } = new SeatedRoom().beside('bob');
    const gone = expect(seat.hear([])).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
    await room.leave();
    await gone;
  } finally {
    jest.useRealTimers();
  }
});

test('seats of two rooms are not by each other', () => {
  const [one, other] = [new SeatedRoom().ownCall(), new SeatedRoom().ownCall()];
  expect(one.seat.isBy(other.seat)).toBe(false);
});

test('keys and sound of one are those of the telephones that hear it, and of no other', async () => {
  const { room, own, ann, bob } = await consulted('ann', 'bob');
  await Promise.all([own.seat.hear([ann.seat]), ann.seat.hear([own.seat])]);
  own.seat.pressed('1');
  own.seat.spoke(Int16Array.of(7), 8_000);
  bob.seat.pressed('2');
  bob.seat.spoke(Int16Array.of(8), 8_000);
  expect([room.pressed, room.overheard]).toEqual([['ann 1'], ['ann 7']]);
});

test('what a telephone says is for the recordings of others only while its own one runs', async () => {
  const { room, own, ann } = await consulted('ann');
  await Promise.all([own.seat.hear([ann.seat]), ann.seat.hear([own.seat])]);
  own.tape.isRunning = false;
  own.seat.spoke(Int16Array.of(7), 8_000);
  ann.seat.spoke(Int16Array.of(8), 8_000);
  own.tape.isRunning = true;
  own.seat.spoke(Int16Array.of(9), 8_000);
  expect(room.overheard).toEqual(['ann 7 unkept', 'caller 8', 'ann 9']);
});

test('after a lost connection was replaced the caller hears the bot by its user, and who it heard', async () => {
  const { room, own, ann } = await consulted('ann');
  await own.seat.hear([ann.seat]);
  Object.assign(own.connection, { sessionId: 'bot again' });
  room.goes('bot');
  room.comes({ sessionId: 'bot again', userName: '', isOwner: true, kind: 'web', userId: 'voicebot' });
  expect(room.hearing[0]).toBe('caller: ann bot again');
  own.connection.emit('rejoined');
  await flush();
  expect(room.hearing.filter((line) => /^(caller|bot again):/.test(line))).toEqual([
    'caller: ann bot again',
    'bot again: caller',
  ]);
});
