import { linkRunner, type RoomRunnerLink, runnerLinkOf, type StreamRunnerLink } from '../../src/call/runner-link.js';
import { CallSocket } from '../../src/runner/bots/call-socket.js';

const ROOM = { roomUrl: 'http://127.0.0.1/rooms/room-1', token: 'token-1' };
const streamLink = (): StreamRunnerLink => ({
  transfer: () => Promise.reject(new Error('nobody is there')),
  endsFor: () => {},
  cannotRead: () => {},
});
const roomLink = (): RoomRunnerLink => ({
  past: { isForwarded: false, dialout: undefined },
  silenceMs: 0,
  ringMs: 45_000,
  isReplaced: () => false,
  checkTarget: async (to) => to,
  tell: () => {},
});
/** A stream that is never connected. */
const stream = () => ({ websocket: new CallSocket() });

test('a stream finds the runner that let it in, and no other stream does', () => {
  const [one, other] = [stream(), stream()];
  const link = streamLink();
  const unlink = linkRunner(one, link);
  expect(runnerLinkOf(one)).toBe(link);
  expect(runnerLinkOf(other)).toBeUndefined();
  unlink();
  expect(runnerLinkOf(one)).toBeUndefined();
});

test('a room finds its runner by address and token', () => {
  const link = roomLink();
  const unlink = linkRunner(ROOM, link);
  expect(runnerLinkOf({ ...ROOM })).toBe(link);
  expect(runnerLinkOf({ ...ROOM, token: 'token-2' })).toBeUndefined();
  expect(runnerLinkOf({ ...ROOM, roomUrl: 'http://127.0.0.1/rooms/room-2' })).toBeUndefined();
  unlink();
  expect(runnerLinkOf(ROOM)).toBeUndefined();
});

test('the end of an earlier bot leaves the runner to the one that has come after it', () => {
  const unlinkFirst = linkRunner(ROOM, roomLink());
  const link = roomLink();
  const unlink = linkRunner(ROOM, link);
  unlinkFirst();
  expect(runnerLinkOf(ROOM)).toBe(link);
  unlink();
});

test('a bot file that imports another copy of this package finds its runner all the same', async () => {
  const link = roomLink();
  const unlink = linkRunner(ROOM, link);
  const another = '../../src/call/runner-link.js?another';
  const copy: { runnerLinkOf: typeof runnerLinkOf } = await import(another);
  expect(copy.runnerLinkOf).not.toBe(runnerLinkOf);
  expect(copy.runnerLinkOf(ROOM)).toBe(link);
  unlink();
});
