import { participant } from './fake-room.js';
import { startRoomsApi } from './rooms-api.js';
import { until } from './start-pipeline.js';
import { CALLER, DIALIN, type RoomStart, roomWithCaller, startRoom } from './start-room.js';

const READY = { sipEndpoint: 'sip:123@sandbox.sip.localhost' };
const FORWARD = {
  what: 'POST /v1/dialin/pinlessCallUpdate',
  authorization: 'Bearer key',
  body: { ...DIALIN, sipUri: expect.stringMatching(/^(sip:)?123@sandbox\.sip\.localhost$/) },
};

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
});

afterEach(() => {
  jest.useRealTimers();
});

const dialin = (apiUrl = 'http://127.0.0.1:9', start: RoomStart = {}) =>
  startRoom({ ...start, params: { dialinSettings: DIALIN, apiUrl, ...start.params } });
type Call = Awaited<ReturnType<typeof dialin>>;

const isTold = (call: Call, type: string) => until(() => call.link.types.includes(type), type);

describe('when the room is ready', () => {
  test('the held caller is fetched, once, while the handlers are not waited for', async () => {
    await using api = await startRoomsApi(200);
    const call = await dialin(api.url);
    call.transport.on('dialin_ready', () => new Promise(() => {}));
    call.room.tell('dialin_ready', READY);
    call.room.tell('dialin_ready', READY);
    await isTold(call, 'forwarded');
    call.room.tell('dialin_ready', READY);
    call.room.tell('dialin_connected', { sessionId: 'caller', sipFrom: '+12025550101' });
    expect(call.link.types).toEqual(['joined', 'forwarded']);
    call.room.comes(CALLER);
    expect(call.link.types).toEqual(['joined', 'forwarded', 'connected']);
    expect(call.told('dialin_ready')).toEqual([READY, READY, READY]);
    expect(call.told('dialin_connected')).toEqual([{ sessionId: 'caller', sipFrom: '+12025550101' }]);
    expect(api.requests).toEqual([FORWARD]);
    await call.task.cancel();
    expect(call.room.asked).toEqual(['eject caller', 'leave']);
  });

  test('before we know that we have joined, it is all the same', async () => {
    await using api = await startRoomsApi(200);
    const call = await dialin(api.url, { before: ({ room }) => room.tell('dialin_ready', READY) });
    await isTold(call, 'forwarded');
    expect(call.events).toEqual(['joined', 'dialin_ready']);
    expect(api.requests).toEqual([FORWARD]);
    await call.task.cancel();
  });

  test('a caller who is not known at once is tried again', async () => {
    await using api = await startRoomsApi(404, 200);
    const call = await dialin(api.url);
    call.room.tell('dialin_ready', READY);
    await until(() => api.requests.length === 1, 'the first try');
    while (api.requests.length === 1) {
      await call.wait(400);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await isTold(call, 'forwarded');
    expect(api.requests).toEqual([FORWARD, FORWARD]);
    await call.task.cancel();
  });

  test('a provider that refuses the key ends the call, after the event', async () => {
    await using api = await startRoomsApi(401);
    const call = await dialin(api.url);
    call.room.tell('dialin_ready', READY);
    await call.run;
    expect(call.events).toEqual(['joined', 'dialin_ready', 'dialin_error', 'left']);
    expect(call.told('dialin_error')).toEqual([{ errorMsg: expect.stringContaining('credentials') }]);
    expect(call.link.types).toEqual(['joined', 'over telephony_error']);
    expect(call.cancelled()).toEqual(['call_ended']);
    expect(call.room.asked).toEqual(['leave']);
  });

  test('an earlier bot may have fetched the caller already', async () => {
    await using api = await startRoomsApi(200);
    const call = await dialin(api.url, {
      past: { isForwarded: true },
      before: ({ room }) => void room.participants.set('caller', CALLER),
    });
    call.room.tell('dialin_ready', READY);
    expect(call.link.types).toEqual(['joined', 'connected']);
    expect(call.told('first_participant_joined')).toEqual([CALLER]);
    await call.wait(20_000);
    expect(call.isOver()).toBe(false);
    call.room.goes(CALLER);
    call.room.tell('dialin_stopped', { sessionId: 'caller' });
    await call.run;
    expect(api.requests).toEqual([]);
    expect(call.link.types.at(-1)).toBe('over caller_hung_up');
  });

  test('nobody is fetched without the settings of a held call', async () => {
    await using api = await startRoomsApi(200);
    const call = await startRoom({ params: { apiUrl: api.url } });
    call.room.tell('dialin_ready', READY);
    await call.wait(20_000);
    expect(call.isOver()).toBe(false);
    expect(call.link.types).toEqual(['joined']);
    await call.task.cancel();
    expect(api.requests).toEqual([]);
  });

  test('after the end of the pipeline nobody is fetched', async () => {
    await using api = await startRoomsApi(200);
    const call = await dialin(api.url, { before: ({ room }) => room.hold('leave') });
    void call.task.cancel();
    await call.turn();
    call.room.tell('dialin_ready', READY);
    await call.wait(2_000);
    await call.run;
    expect(api.requests).toEqual([]);
    expect(call.link.types).toEqual(['joined', 'over bot_ended']);
  });
});

describe('a held caller who does not come', () => {
  test('because the room never gets ready ends the call after 15 s', async () => {
    const call = await dialin();
    await call.wait(15_000);
    await call.run;
    expect(call.events).toEqual(['joined', 'dialin_error', 'left']);
    expect(call.link.types).toEqual(['joined', 'over telephony_error']);
  });

  test('because the room cannot get ready ends it at once', async () => {
    const call = await dialin();
    call.room.tell('dialin_error', { errorMsg: 'no worker', type: 'start-failed' });
    await call.run;
    expect(call.told('dialin_error')).toEqual([{ errorMsg: 'no worker', type: 'start-failed' }]);
    expect(call.link.types).toEqual(['joined', 'over telephony_error']);
  });

  test('ten seconds after being forwarded has hung up', async () => {
    await using api = await startRoomsApi(200);
    const call = await dialin(api.url);
    call.room.tell('dialin_ready', READY);
    await isTold(call, 'forwarded');
    await call.wait(10_000);
    await call.run;
    expect(call.events).toEqual(['joined', 'dialin_ready', 'dialin_error', 'left']);
    expect(call.link.types).toEqual(['joined', 'forwarded', 'over caller_hung_up']);
  });
});

describe('the caller', () => {
  test.each(['dialin_connected', 'participant_joined'] as const)('may be known by %s alone', async (event) => {
    const call = await dialin();
    if (event === 'participant_joined') call.room.comes(CALLER);
    else call.room.tell(event, { sessionId: 'caller' });
    await call.wait(20_000);
    expect(call.isOver()).toBe(false);
    await call.task.cancel();
    expect(call.room.asked).toEqual(['eject caller', 'leave']);
  });

  test('who stops ends the pipeline after the event', async () => {
    const call = await roomWithCaller();
    call.room.tell('dialin_stopped', { sessionId: 'caller' });
    call.room.goes(CALLER);
    await call.run;
    expect(call.events).toEqual(['dialin_stopped', 'participant_left', 'left']);
    expect(call.link.types).toEqual(['over caller_hung_up']);
    expect(call.cancelled()).toEqual(['call_ended']);
    expect(call.room.asked).toEqual(['leave']);
  });

  test('who leaves the room without a word more ends it a second later', async () => {
    const call = await roomWithCaller();
    call.room.goes(CALLER);
    await call.wait(999);
    expect(call.isOver()).toBe(false);
    await call.wait(1);
    await call.run;
    expect(call.link.types).toEqual(['over caller_hung_up']);
  });

  test('whose leg breaks ends it as a fault of the provider', async () => {
    const call = await roomWithCaller();
    call.room.tell('dialin_error', { sessionId: 'caller', errorMsg: 'sdp' });
    await call.run;
    expect(call.link.types).toEqual(['over telephony_error']);
    expect(call.room.asked).toEqual(['eject caller', 'leave']);
  });

  test('is not who else comes and goes', async () => {
    const call = await roomWithCaller();
    const ada = participant('ada');
    const second = participant('second', 'dial-in');
    for (const who of [ada, second]) call.room.comes(who);
    call.room.tell('dialin_error', { sessionId: 'second', errorMsg: 'sdp' });
    call.room.tell('dialin_warning', { sessionId: 'second', errorMsg: 'codec' });
    call.room.tell('dialin_stopped', { sessionId: 'second' });
    for (const who of [ada, second]) call.room.goes(who);
    await call.wait(2_000);
    expect(call.isOver()).toBe(false);
    expect(call.events).toEqual([
      ...Array(2).fill('participant_joined'),
      'dialin_error',
      'dialin_warning',
      'dialin_stopped',
      ...Array(2).fill('participant_left'),
    ]);
    expect(call.link.told).toEqual([]);
    await call.task.cancel();
    expect(call.room.asked).toEqual(['eject caller', 'leave']);
  });

  test('is seen off together with a second one', async () => {
    const call = await roomWithCaller();
    call.room.comes(participant('second', 'dial-in'));
    await call.task.cancel();
    expect(call.room.asked).toEqual(['eject caller,second', 'leave']);
  });
});
