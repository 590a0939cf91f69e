import { deferred } from '../../../src/base/async/deferred.js';
import type { RoomsRunnerArguments } from '../../../src/call/runner-arguments.js';
import { type RoomRunnerLink, runnerLinkOf } from '../../../src/call/runner-link.js';
import { BotHost } from '../../../src/runner/bots/bot-host.js';
import type { MessageFromBot, ServeRoomMessage } from '../../../src/runner/bots/messages.js';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const ROOM = { room_url: 'http://127.0.0.1/rooms/room-1', token: 'token-1' };
const PLACE = { roomUrl: ROOM.room_url, token: ROOM.token };
const MESSAGE: ServeRoomMessage = {
  type: 'serve_room',
  call: { id: 'call-1', direction: 'inbound', isWithheld: false, from: '+12025550142', to: '+12025550100', attempt: 1 },
  ...ROOM,
  body: {},
  past: { isForwarded: false, dialout: undefined },
  silenceMs: 180_000,
  ringMs: 45_000,
  limitMs: 600_000,
};

/** A bot in its process. It returns when `done` is resolved. */
function serveBot(isOrphan = false) {
  const said: MessageFromBot[] = [];
  const done = deferred();
  let args: RoomsRunnerArguments | undefined;
  let link: RoomRunnerLink | undefined;
  const host = new BotHost(
    (given) => {
      args = given as RoomsRunnerArguments;
      link = runnerLinkOf(PLACE);
      return done.promise;
    },
    (message) => said.push(message),
    () => isOrphan,
  );
  host.receive({ ...MESSAGE, callId: 'call-1' });
  if (!args || !link) throw new Error('the bot was not started');
  return { host, said, done, link, signal: args.signal };
}

/** Everything that follows from what has happened so far. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a bot finds its link by room and token, and no longer than its call lasts', async () => {
  const { done, link, host } = serveBot();
  expect(runnerLinkOf({ ...PLACE, token: 'token-2' })).toBeUndefined();
  expect(runnerLinkOf({ ...PLACE, roomUrl: 'http://127.0.0.1/rooms/room-2' })).toBeUndefined();
  expect(link).toMatchObject({ past: MESSAGE.past, silenceMs: 180_000, ringMs: 45_000 });
  done.resolve();
  await settled();
  expect(runnerLinkOf(PLACE)).toBeUndefined();
  expect(host.callCount).toBe(0);
});

test('a bot function that has returned is not done before what is to be waited for', async () => {
  const { done, link, host } = serveBot();
  const parted = deferred();
  link.beforeReturn?.(() => parted.promise);
  done.resolve();
  await settled();
  expect(host.callCount).toBe(1);
  parted.resolve();
  await settled();
  expect(host.callCount).toBe(0);
});

describe('at the limits of a call', () => {
  test('a bot whose runner is there is left to that', () => {
    const { signal, link, said } = serveBot();
    link.tell({ type: 'silent' });
    jest.advanceTimersByTime(600_000);
    expect(signal.aborted).toBe(false);
    expect(said).toEqual([{ type: 'room_news', callId: 'call-1', news: { type: 'silent' } }]);
  });

  test('a bot whose runner is gone is asked to end the call when it is too long', () => {
    const { signal } = serveBot(true);
    jest.advanceTimersByTime(599_999);
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(signal.aborted).toBe(true);
  });

  test('a bot whose runner is gone is asked to end the call when it is silent', () => {
    const { signal, link } = serveBot(true);
    link.tell({ type: 'connected' });
    expect(signal.aborted).toBe(false);
    link.tell({ type: 'silent' });
    expect(signal.aborted).toBe(true);
  });
});

test('a bot whose runner goes before it has said whether a number may be called is refused that', async () => {
  const { link, host } = serveBot();
  const asked = link.checkTarget('+12025550106');
  host.runnerGone();
  await expect(asked).rejects.toMatchObject({ code: 'VB_TARGET_REFUSED' });
});

test('nobody is called for a bot whose runner is gone', async () => {
  const { link, said } = serveBot(true);
  await expect(link.checkTarget('+12025550101')).rejects.toMatchObject({ code: 'VB_TARGET_REFUSED' });
  expect(said).toEqual([]);
});

test('a bot that has been replaced is asked to end, knows why, and tells nothing more', async () => {
  const { host, link, signal, said, done } = serveBot();
  expect(link.isReplaced()).toBe(false);
  host.receive({ type: 'abandon', callId: 'call-1' });
  expect(signal.aborted).toBe(true);
  expect(link.isReplaced()).toBe(true);
  link.tell({ type: 'over', reason: 'bot_ended' });
  done.resolve();
  await settled();
  expect(said).toEqual([{ type: 'call_done', callId: 'call-1', outcome: 'returned' }]);
});

test('a bot that does not return within 30 s of the end of its call is given up, and that is printed', async () => {
  const printed = jest.spyOn(console, 'error').mockImplementation(() => {});
  const { host, said, signal } = serveBot();
  host.receive({ type: 'call_over', callId: 'call-1' });
  await settled();
  expect(signal.aborted).toBe(true);
  jest.advanceTimersByTime(29_999);
  await settled();
  expect(said).toEqual([]);
  expect(host.callCount).toBe(1);
  jest.advanceTimersByTime(1);
  await settled();
  expect(said).toEqual([{ type: 'call_done', callId: 'call-1', outcome: 'threw' }]);
  expect(host.callCount).toBe(0);
  expect(printed).toHaveBeenCalledWith(expect.stringContaining('call-1'));
});

test('orders about calls it does not serve are ignored', () => {
  const { host, signal } = serveBot();
  for (const callId of ['call-2', '']) {
    for (const type of ['end', 'abandon', 'call_over'] as const) host.receive({ type, callId });
    host.receive({ type: 'target_answer', callId, requestId: 1, to: '+12025550101' });
  }
  expect(signal.aborted).toBe(false);
  host.stop();
  expect(signal.aborted).toBe(true);
});

test('what a bot that throws leaves running is told to leave, and to leave the caller to the next bot', async () => {
  jest.spyOn(console, 'error').mockImplementation(() => {});
  const { done, link, signal } = serveBot();
  expect(link.isReplaced()).toBe(false);
  done.reject(new Error('it could not go on'));
  await settled();
  expect(link.isReplaced()).toBe(true);
  expect(signal.aborted).toBe(true);
});
