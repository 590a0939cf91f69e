import { inspect } from 'node:util';
import { VoicebotError } from '../../../src/base/errors.js';
import { CancelFrame, EndFrame, ErrorFrame, OutputAudioFrame } from '../../../src/bot/pipeline/frames/index.js';
import type { RoomsParams } from '../../../src/bot/transports/room/rooms-params.js';
import { RoomsTransport } from '../../../src/bot/transports/room/rooms-transport.js';
import { participant } from './fake-room.js';
import { tone } from './start-pipeline.js';
import { CALLER, ROOM_URL, roomWithCaller, startRoom } from './start-room.js';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

describe('the options', () => {
  test('are refused all at once', () => {
    const params = {
      apiKey: '',
      apiUrl: 'ftp://x',
      dialinSettings: { callId: 1 },
      videoOutEnabled: true,
      connect: 'webrtc',
    };
    const refused = () => new RoomsTransport('room', '', '', params as unknown as RoomsParams);
    expect(refused).toThrow(expect.objectContaining({ code: 'VB_CONFIG_INVALID' }));
    for (const name of ['roomUrl', 'token', 'botName', 'ROOMS_API_KEY', 'apiUrl', 'callId', 'callDomain']) {
      expect(refused).toThrow(name);
    }
    for (const problem of ['videoOutEnabled must be false', 'connect must be a function'])
      expect(refused).toThrow(problem);
  });

  test.each([undefined, null])('%p in place of params is refused like a missing key', (params) => {
    const refused = () => new RoomsTransport(ROOM_URL, 'token', 'Ada', params as unknown as RoomsParams);
    expect(refused).toThrow('ROOMS_API_KEY');
  });

  test.each(['', 'http://', '127.0.0.1/room', undefined])('%p is no address of a room', (roomUrl) => {
    expect(() => new RoomsTransport(roomUrl as string, 'token', 'Ada', { apiKey: 'key' })).toThrow('roomUrl');
  });

  test('may be those of the dial-out samples', () => {
    const params = { apiKey: 'key', apiUrl: undefined, videoOutEnabled: false, transcriptionEnabled: true };
    expect(() => new RoomsTransport(ROOM_URL, 'token', 'Ada', params)).not.toThrow();
  });

  test('show neither key nor token to whoever prints the transport', () => {
    const transport = new RoomsTransport(ROOM_URL, 'secret-token', 'Ada', { apiKey: 'secret-key' });
    const shown = inspect([transport, transport.input(), transport.output()], { depth: 20, showHidden: true });
    expect(shown).not.toContain('secret');
  });
});

describe('when the pipeline starts', () => {
  test.each([
    [8_000, 8_000],
    [16_000, 16_000],
    [24_000, 16_000],
    [48_000, 16_000],
  ])('with the caller at %d Hz, the room is joined at %d Hz', async (audioInSampleRate, sampleRate) => {
    const call = await startRoom({ audioInSampleRate });
    expect(call.room.joins).toEqual([
      {
        roomUrl: ROOM_URL,
        token: expect.any(String),
        userName: 'Ada',
        sampleRate,
        limitMs: 8_000,
        signal: expect.any(AbortSignal),
      },
    ]);
    expect(call.room.joins[0]?.signal?.aborted).toBe(false);
    expect(call.link.types).toEqual(['joined']);
    await call.task.cancel();
  });

  test('who is there already is told first, and what has happened meanwhile comes behind', async () => {
    const ada = participant('ada');
    const call = await startRoom({
      before: ({ room }) => {
        room.participants.set('ada', ada);
        room.tell('dialin_ready', { sipEndpoint: 'sip:1@x' });
        room.comes(participant('bob'));
      },
    });
    expect(call.events).toEqual(['joined', 'first_participant_joined', 'dialin_ready', 'participant_joined']);
    expect(call.told('joined')).toEqual([{ sessionId: 'bot-session', participants: [ada, participant('bob')] }]);
    expect(call.told('first_participant_joined')).toEqual([ada]);
    await call.task.cancel();
  });

  test('the first who comes is told once, and so is everybody whose coming the provider tells twice', async () => {
    const call = await startRoom();
    for (const name of ['ada', 'bob', 'ada']) call.room.comes(participant(name));
    expect(call.events).toEqual(['joined', 'first_participant_joined', ...Array(2).fill('participant_joined')]);
    await call.task.cancel();
  });

  test('everything works without a runner', async () => {
    const call = await startRoom({ isLinked: false });
    call.room.tell('dialin_connected', { sessionId: 'caller' });
    call.room.comes(CALLER);
    call.room.tell('dialin_stopped', { sessionId: 'caller' });
    await call.run;
    expect(call.link.told).toEqual([]);
    expect(call.cancelled()).toEqual(['call_ended']);
  });
});

describe('a room that cannot be joined', () => {
  test('is an event, and the error of the pipeline', async () => {
    const refusal = new VoicebotError('VB_ROOM_JOIN_FAILED', 'exp-token');
    const call = await startRoom({ before: ({ room }) => room.refuse('join', refusal) });
    await expect(call.run).rejects.toBe(refusal);
    expect(call.events).toEqual(['error']);
    expect(call.told('error')).toEqual([{ error: refusal }]);
    expect(call.link.told).toEqual([]);
  });

  test('needs nobody who listens', async () => {
    const refusal = new Error('no');
    const call = await startRoom({
      before: ({ room, transport }) => {
        transport.removeAllListeners('error');
        room.refuse('join', refusal);
      },
    });
    await expect(call.run).rejects.toBe(refusal);
  });

  test('is given up after 8.5 s when the connection keeps no limit, and left when it comes late', async () => {
    const call = await startRoom({ before: ({ room }) => room.hold('join') });
    const failed = expect(call.run).rejects.toMatchObject({ code: 'VB_ROOM_JOIN_FAILED' });
    await call.wait(8_499);
    expect(call.isOver()).toBe(false);
    await call.wait(1);
    await failed;
    expect(call.room.joins[0]?.signal?.aborted).toBe(true);
  });

  test('is left when it lets us in too late', async () => {
    let door = { accept: () => {} };
    const call = await startRoom({
      before: ({ room }) => {
        door = room.hold('join');
      },
    });
    void call.task.cancel();
    await call.run;
    expect(call.room.hasLeft).toBe(false);
    door.accept();
    await call.turn();
    expect(call.room.asked).toEqual(['leave']);
    expect(call.events).toEqual([]);
    expect(call.room.listenerCount).toBe(0);
  });
});

describe('a pipeline that ends while its room is being joined', () => {
  test.each(['cancel()', 'an EndFrame'])('by %s gives up joining', async (how) => {
    const call = await startRoom({ before: ({ room }) => room.hold('join') });
    if (how === 'cancel()') void call.task.cancel();
    else call.task.queueFrame(new EndFrame());
    await call.run;
    expect(call.room.joins[0]?.signal?.aborted).toBe(true);
    expect(call.events).toEqual([]);
    expect(call.heard.of(ErrorFrame)).toEqual([]);
  });

  test('drops what waited to be said', async () => {
    const call = await startRoom({ before: ({ room }) => room.hold('join') });
    call.task.queueFrame(new OutputAudioFrame(tone(1_000), 8_000));
    void call.task.cancel();
    await call.run;
    expect(call.room.said).toEqual([]);
  });
});

describe('leaving', () => {
  test('ends the pipeline and hangs nobody up', async () => {
    const call = await roomWithCaller();
    await Promise.all([call.transport.leave(), call.transport.leave()]);
    await call.run;
    expect(call.room.asked).toEqual(['leave']);
    expect(call.events).toEqual(['left']);
    expect(call.told('left')).toEqual([{}]);
    expect(call.room.listenerCount).toBe(0);
  });

  test('as soon as the bot is in the room is no problem', async () => {
    const call = await startRoom({
      past: { dialout: { sessionId: 'leg-1', isAnswered: false } },
      before: ({ room, transport }) => {
        room.participants.set('ada', participant('ada'));
        transport.on('joined', () => void transport.leave());
      },
    });
    await call.run;
    expect(call.events).toEqual(['joined', 'left']);
    expect(call.room.listenerCount).toBe(0);
  });

  test('before the pipeline starts lets it end at once, in no room', async () => {
    const call = await startRoom({ before: ({ transport }) => void transport.leave() });
    await call.run;
    expect(call.room.joins).toEqual([]);
    expect(call.cancelled()).toEqual(['call_ended']);
  });

  test('a room that does not let go takes two seconds', async () => {
    const call = await roomWithCaller();
    call.room.hold('leave');
    const left = call.transport.leave();
    await call.wait(2_000);
    await left;
    await call.run;
    expect(call.events).toEqual(['left']);
    expect(call.room.listenerCount).toBe(0);
  });
});

describe('a room that is lost', () => {
  test('fails the pipeline, so that another bot takes over, and nobody is hung up', async () => {
    const call = await roomWithCaller();
    const failed = expect(call.run).rejects.toThrow('socket lost');
    call.room.tell('left', { error: new Error('socket lost') });
    await failed;
    expect(call.events).toEqual(['error', 'left']);
    expect(call.cancelled()).toEqual(['failed']);
    expect(call.room.asked).toEqual([]);
    expect(call.link.told).toEqual([]);
    expect(call.room.listenerCount).toBe(0);
  });

  test('and does not say why just ends the pipeline', async () => {
    const call = await roomWithCaller();
    call.room.tell('left', {});
    await call.run;
    expect(call.events).toEqual(['left']);
    expect(call.cancelled()).toEqual(['call_ended']);
  });

  test('refuses whatever needs it', async () => {
    const call = await roomWithCaller();
    const failed = expect(call.run).rejects.toThrow('lost');
    call.room.tell('left', { error: new Error('lost') });
    await failed;
    const closed = { code: 'VB_STREAM_CLOSED' };
    const { transport } = call;
    await expect(transport.startDialout({ phoneNumber: '+12025550101' })).rejects.toMatchObject(closed);
    await expect(transport.stopDialout()).rejects.toMatchObject(closed);
    await expect(transport.stopDialout({ sessionId: 'x' })).rejects.toMatchObject(closed);
    await expect(transport.sendDtmf('1')).rejects.toMatchObject(closed);
    await expect(transport.sipCallTransfer()).rejects.toMatchObject(closed);
    await expect(transport.sipRefer({ toEndPoint: 'sip:a@b' })).rejects.toMatchObject(closed);
  });
});

test('a handler that throws is a problem of the pipeline, which goes on', async () => {
  const call = await startRoom();
  const problems: Error[] = [];
  call.task.on('problem', (error) => problems.push(error));
  call.transport.on('participant_joined', () => {
    throw new Error('my mistake');
  });
  call.room.comes(CALLER);
  expect(problems).toEqual([new Error('my mistake')]);
  expect(call.link.types).toEqual(['joined', 'connected']);
  await call.task.cancel();
  expect(call.after.of(CancelFrame)).toHaveLength(1);
});

test('a bot that another one has replaced before its pipeline starts does not join', async () => {
  const call = await startRoom({
    before: ({ link }) => {
      link.isReplacedNow = true;
    },
  });
  await call.turn();
  expect(call.room.asked).toEqual([]);
  expect(call.link.types).toEqual([]);
  expect(call.isOver()).toBe(true);
});
