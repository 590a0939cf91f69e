import { VoicebotError } from '../../../src/base/errors.js';
import { EndFrame } from '../../../src/bot/pipeline/frames/index.js';
import type { DialoutRequest } from '../../../src/bot/transports/room/dial-target.js';
import { participant } from './fake-room.js';
import { CALLER, DIALIN, type RoomStart, roomWithCaller, startRoom } from './start-room.js';

const NUMBER = '+12025550101';
const SIP = 'sip:ada@example.com';
const LEG = { sessionId: 'leg-1', destination: NUMBER };
const ANSWERED = { toEndPoint: NUMBER, sessionId: 'leg-1' };
const CALLEE = participant('leg-1', 'dial-out');

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

/** A room in which somebody is being called. */
async function dialling(start: RoomStart = {}) {
  const call = await startRoom(start);
  await call.transport.startDialout({ phoneNumber: NUMBER });
  call.forget();
  return call;
}

/** The same, answered. */
async function talking(start: RoomStart = {}) {
  const call = await dialling(start);
  call.room.tell('dialout_connected', LEG);
  call.room.tell('dialout_answered', LEG);
  call.room.comes(CALLEE);
  call.forget();
  return call;
}

describe('calling somebody', () => {
  test.each<[string, DialoutRequest, string]>([
    ['a number', { phoneNumber: '1 (202) 555-0101' }, `startDialout ${NUMBER}`],
    ['with names', { phoneNumber: NUMBER, displayName: 'Ada', callerId: 'id-1' }, `startDialout ${NUMBER} Ada id-1`],
    ['a SIP address', { sipUri: SIP, displayName: 'Ada' }, `startDialout ${SIP} Ada`],
  ])('%s gives its session', async (_, request, asked) => {
    const call = await startRoom();
    expect(await call.transport.startDialout(request)).toEqual({ sessionId: 'leg-1' });
    expect(call.room.asked).toEqual([asked]);
    expect(call.link.told).toEqual([{ type: 'joined' }, { type: 'dialled', sessionId: 'leg-1' }]);
    await call.task.cancel();
  });

  test.each<[string, DialoutRequest]>([
    ['nobody', {}],
    ['two at once', { phoneNumber: NUMBER, sipUri: SIP }],
    ['a name', { phoneNumber: 'the operator' }],
    ['an emergency number', { phoneNumber: '911' }],
    ['a number that is none', { phoneNumber: 5 as unknown as string }],
    ['an address without a scheme', { sipUri: 'ada@example.com' }],
    ['an address without a host', { sipUri: 'sip:ada' }],
    ['an address from a number', { sipUri: SIP, callerId: 'id-1' }],
  ])('%s is refused before anything is asked', async (_, request) => {
    const call = await startRoom();
    await expect(call.transport.startDialout(request)).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
    expect(call.room.asked).toEqual([]);
    await call.task.cancel();
  });

  test('is refused by the runner before the provider is asked, and the call may go elsewhere', async () => {
    const refusal = new VoicebotError('VB_TARGET_REFUSED', 'premium rate');
    const call = await startRoom();
    call.link.checkTarget = () => Promise.reject(refusal);
    await expect(call.transport.startDialout({ phoneNumber: NUMBER })).rejects.toBe(refusal);
    expect(call.room.asked).toEqual([]);
    call.link.checkTarget = async () => '+12025550102';
    await call.transport.startDialout({ phoneNumber: NUMBER });
    expect(call.room.asked).toEqual(['startDialout +12025550102']);
    expect(call.isOver()).toBe(false);
    await call.task.cancel();
    expect(call.room.asked).toEqual(['startDialout +12025550102', 'stopDialout leg-1', 'leave']);
  });

  test('is refused by the provider at once, which the runner learns, and the pipeline goes on', async () => {
    const refusal = new VoicebotError('VB_ROOMS_REQUEST_FAILED', 'dial-out not enabled for room');
    const call = await startRoom({ before: ({ room }) => room.refuse('startDialout', refusal) });
    await expect(call.transport.startDialout({ phoneNumber: NUMBER })).rejects.toBe(refusal);
    expect(call.isOver()).toBe(false);
    expect(call.link.types).toEqual(['joined', 'over telephony_error']);
    call.room.tell('dialout_error', { errorMsg: 'of nobody' });
    expect(call.isOver()).toBe(false);
    await call.task.cancel();
  });

  test('waits until the bot is in the room, and has said so', async () => {
    let door = { accept: () => {} };
    const call = await startRoom({
      before: ({ room, transport }) => {
        door = room.hold('join');
        void transport.startDialout({ phoneNumber: NUMBER });
      },
    });
    expect(call.room.asked).toEqual([]);
    door.accept();
    await call.turn();
    expect(call.room.asked).toEqual([`startDialout ${NUMBER}`]);
    expect(call.link.types).toEqual(['joined', 'dialled']);
    await call.task.cancel();
  });

  test('is given up with the room', async () => {
    const refusal = new VoicebotError('VB_ROOM_JOIN_FAILED', 'no-room');
    let dialled: Promise<unknown> = Promise.resolve();
    const call = await startRoom({
      before: ({ room, transport }) => {
        room.refuse('join', refusal);
        dialled = expect(transport.startDialout({ phoneNumber: NUMBER })).rejects.toBe(refusal);
      },
    });
    await dialled;
    await expect(call.run).rejects.toBe(refusal);
  });

  test('is not waited for when the pipeline has ended, though the runner hears of it', async () => {
    const call = await startRoom();
    const request = call.room.hold('startDialout');
    const [dialled] = [call.transport.startDialout({ phoneNumber: NUMBER })];
    await call.turn();
    await call.transport.leave();
    await call.run;
    request.accept();
    expect(await dialled).toEqual({ sessionId: 'leg-1' });
    expect(call.link.types).toEqual(['joined', 'dialled']);
  });

  test('is refused when the pipeline does not start', async () => {
    const call = await startRoom({ before: ({ room }) => room.hold('join') });
    const refused = expect(call.transport.startDialout({ phoneNumber: NUMBER })).rejects.toMatchObject({
      code: 'VB_ROOM_JOIN_FAILED',
    });
    const failed = expect(call.run).rejects.toMatchObject({ code: 'VB_ROOM_JOIN_FAILED' });
    await call.wait(8_500);
    await Promise.all([refused, failed]);
  });
});

describe('who is called', () => {
  test('is named once where the provider does not say who has answered, also before it names the leg', async () => {
    const call = await startRoom();
    const first = call.room.hold('startDialout');
    const dialled = call.transport.startDialout({ phoneNumber: NUMBER });
    await call.turn();
    call.room.tell('dialout_answered', { sessionId: 'leg-1' });
    first.accept();
    await dialled;
    await call.transport.startDialout({ sipUri: SIP });
    call.room.tell('dialout_answered', { sessionId: 'leg-1' });
    call.room.tell('dialout_answered', { sessionId: 'leg-2' });
    expect(call.told('dialout_answered')).toEqual([ANSWERED, { toEndPoint: SIP, sessionId: 'leg-2' }]);
    await call.task.cancel();
  });

  test('rings and answers, as the runner is told', async () => {
    const call = await dialling();
    call.room.tell('dialout_connected', LEG);
    call.room.comes(CALLEE); // it may be there while it rings
    expect(call.link.types).toEqual(['ringing']);
    call.room.tell('dialout_answered', LEG);
    expect(call.link.types).toEqual(['ringing', 'connected']);
    expect(call.events).toEqual([
      'dialout_connected',
      'first_participant_joined',
      'participant_joined',
      'dialout_answered',
    ]);
    expect(call.told('dialout_answered')).toEqual([ANSWERED]);
    await call.wait(120_000);
    expect(call.isOver()).toBe(false);
    await call.task.cancel();
    expect(call.room.asked).toEqual(['stopDialout leg-1', 'leave']);
  });

  test.each([
    ['Busy', 'busy'],
    ['no-answer', 'no_answer'],
    ['No answer from callee', 'no_answer'],
    ['timeout', 'no_answer'],
    ['Rejected', 'rejected'],
    ['declined by callee', 'rejected'],
    ['SIP 500', 'telephony_error'],
  ])('and cannot be reached for %j ends the pipeline after the event, as %s', async (errorMsg, reason) => {
    for (const sessionId of [{ sessionId: 'leg-1' }, {}]) {
      const call = await dialling();
      call.room.tell('dialout_error', { errorMsg, ...sessionId });
      await call.run;
      expect(call.events).toEqual(['dialout_error', 'left']);
      expect(call.link.types).toEqual([`over ${reason}`]);
      expect(call.cancelled()).toEqual(['call_ended']);
      expect(call.room.asked).toEqual(['leave']);
    }
  });

  test('and stops before answering has not answered', async () => {
    const call = await dialling();
    call.room.tell('dialout_connected', LEG);
    call.room.tell('dialout_stopped', LEG);
    await call.run;
    expect(call.events).toEqual(['dialout_connected', 'dialout_stopped', 'left']);
    expect(call.link.types).toEqual(['ringing', 'over no_answer']);
  });

  test('and rings for two minutes has not answered, and rings no longer', async () => {
    const call = await dialling();
    call.room.tell('dialout_connected', LEG);
    await call.wait(119_999);
    expect(call.isOver()).toBe(false);
    await call.wait(1);
    await call.run;
    expect(call.told('dialout_error')).toEqual([{ sessionId: 'leg-1', errorMsg: 'no answer' }]);
    expect(call.link.types).toEqual(['ringing', 'over no_answer']);
    expect(call.room.asked).toEqual(['stopDialout leg-1', 'leave']);
  });

  test.each(['dialout_stopped', 'participant_left'] as const)(
    'and hangs up, as %s tells, has hung up',
    async (event) => {
      const call = await talking();
      if (event === 'dialout_stopped') call.room.tell(event, LEG);
      else call.room.goes(CALLEE);
      await call.wait(1_000);
      await call.run;
      expect(call.link.types).toEqual(['over caller_hung_up']);
      expect(call.room.asked).toEqual(['leave']);
    },
  );

  test('and whose leg breaks is lost by a fault of the provider', async () => {
    const call = await talking();
    call.room.tell('dialout_error', { sessionId: 'leg-1', errorMsg: 'media timeout' });
    await call.run;
    expect(call.link.types).toEqual(['over telephony_error']);
  });

  test('may be hung up by the bot, whose end it is then', async () => {
    const call = await talking();
    await call.transport.stopDialout();
    call.room.tell('dialout_stopped', LEG);
    await call.run;
    expect(call.link.types).toEqual(['over bot_ended']);
    expect(call.room.asked).toEqual(['stopDialout leg-1', 'leave']);
  });

  test('and hangs up after the bot could not hang up has done so', async () => {
    const call = await talking();
    call.room.refuse('stopDialout', new Error('no'));
    await expect(call.transport.stopDialout()).rejects.toThrow('no');
    call.room.tell('dialout_stopped', LEG);
    await call.run;
    expect(call.link.types).toEqual(['over caller_hung_up']);
  });

  test.each([
    ['answers', 'dialout_answered', 'connected'],
    ['stops', 'dialout_stopped', 'over no_answer'],
    ['fails', 'dialout_error', 'over busy'],
  ] as const)('and %s before the provider has said which leg it is', async (_, event, last) => {
    const call = await startRoom();
    const request = call.room.hold('startDialout');
    const [dialled] = [call.transport.startDialout({ phoneNumber: NUMBER })];
    await call.turn();
    call.room.tell('dialout_connected', { sessionId: 'somebody else' });
    call.room.tell('dialout_connected', LEG);
    if (event === 'dialout_error') call.room.tell(event, { sessionId: 'leg-1', errorMsg: 'Busy' });
    else call.room.tell(event, LEG);
    request.accept();
    expect(await dialled).toEqual({ sessionId: 'leg-1' });
    expect(call.link.types).toEqual(['joined', 'dialled', last]);
    if (event === 'dialout_answered') await call.task.cancel();
    else await call.run;
  });
});

describe('somebody who is called besides', () => {
  test.each([
    ['a caller', () => roomWithCaller()],
    ['somebody who was called', () => talking()],
  ])('%s does not end the pipeline', async (_, start) => {
    const call = await start();
    const specialist = call.room.legs[0] as string;
    await call.transport.startDialout({ phoneNumber: NUMBER });
    for (const event of ['dialout_connected', 'dialout_answered', 'dialout_stopped'] as const) {
      call.room.tell(event, { sessionId: specialist });
    }
    await call.transport.startDialout({ phoneNumber: NUMBER });
    call.room.tell('dialout_error', { sessionId: call.room.legs[0] as string, errorMsg: 'Busy' });
    call.room.tell('dialout_error', { errorMsg: 'Busy' });
    await call.turn();
    expect(call.isOver()).toBe(false);
    expect(call.link.told).toEqual([]);
    await call.task.cancel();
  });

  test('is seen off at the end', async () => {
    const call = await roomWithCaller();
    await call.transport.startDialout({ phoneNumber: NUMBER });
    call.task.queueFrame(new EndFrame());
    await call.run;
    expect(call.room.asked).toEqual([`startDialout ${NUMBER}`, 'eject caller', 'stopDialout leg-1', 'leave']);
  });

  test('is hung up by the session', async () => {
    const call = await roomWithCaller();
    const leg = await call.transport.startDialout({ phoneNumber: NUMBER });
    await call.transport.stopDialout(leg);
    call.room.tell('dialout_stopped', leg);
    call.room.tell('dialin_stopped', { sessionId: 'caller' });
    await call.run;
    expect(call.room.asked).toEqual([`startDialout ${NUMBER}`, 'stopDialout leg-1', 'leave']);
    expect(call.link.types).toEqual(['over caller_hung_up']);
  });

  test('while the held caller has not come is not who the bot serves', async () => {
    const call = await startRoom({ params: { dialinSettings: DIALIN }, past: { isForwarded: true } });
    await call.transport.startDialout({ phoneNumber: NUMBER });
    call.room.comes(CALLER);
    call.room.tell('dialout_stopped', LEG);
    await call.turn();
    expect(call.isOver()).toBe(false);
    expect(call.link.types).toEqual(['joined', 'connected']);
    await call.task.cancel();
  });
});

describe('whom an earlier bot has called', () => {
  const past = { dialout: { sessionId: 'leg-1', isAnswered: true } };

  test('is not called again, and has answered', async () => {
    const call = await startRoom({ past, before: ({ room }) => void room.participants.set('leg-1', CALLEE) });
    expect(call.link.types).toEqual(['joined', 'connected']);
    const [dialled] = [call.transport.startDialout({ phoneNumber: NUMBER })];
    expect(call.events).not.toContain('dialout_answered');
    expect(await dialled).toEqual({ sessionId: 'leg-1' });
    await call.turn();
    expect(call.told('dialout_answered')).toEqual([ANSWERED]);
    expect(call.room.asked).toEqual([]);
    await call.wait(20_000);
    expect(call.isOver()).toBe(false);
    call.room.tell('dialout_stopped', LEG);
    await call.run;
    expect(call.link.types.at(-1)).toBe('over caller_hung_up');
  });

  test('has answered also for a bot that asks before it is in the room', async () => {
    let enter = () => {};
    const before: RoomStart['before'] = ({ room }) => {
      room.participants.set('leg-1', CALLEE);
      enter = room.hold('join').accept;
    };
    const call = await startRoom({ past, before });
    const dialled = call.transport.startDialout({ phoneNumber: NUMBER });
    await call.turn();
    enter();
    expect(await dialled).toEqual({ sessionId: 'leg-1' });
    await call.turn();
    expect(call.told('dialout_answered')).toEqual([ANSWERED]);
    await call.task.cancel();
    await call.turn();
  });

  test('and has answered while no bot was there has answered', async () => {
    const call = await startRoom({
      past: { dialout: { sessionId: 'leg-1', isAnswered: false } },
      before: ({ room }) => void room.participants.set('leg-1', CALLEE),
    });
    await call.transport.startDialout({ sipUri: SIP });
    await call.turn();
    expect(call.told('dialout_answered')).toEqual([{ toEndPoint: SIP, sessionId: 'leg-1' }]);
    expect(call.link.types).toEqual(['joined', 'connected']);
    await call.task.cancel();
    expect(call.room.asked).toEqual(['stopDialout leg-1', 'leave']);
  });

  test('goes on ringing', async () => {
    const call = await startRoom({ past: { dialout: { sessionId: 'leg-1', isAnswered: false } } });
    await call.transport.startDialout({ phoneNumber: NUMBER });
    await call.turn();
    expect(call.events).toEqual(['joined']);
    call.room.tell('dialout_answered', LEG);
    expect(call.events).toEqual(['joined', 'dialout_answered']);
    expect(call.link.types).toEqual(['joined', 'connected']);
    await call.task.cancel();
  });

  test('and has hung up meanwhile ends the call after ten seconds', async () => {
    const call = await startRoom({ past });
    await call.transport.startDialout({ phoneNumber: NUMBER });
    await call.wait(10_000);
    await call.run;
    expect(call.link.types).toEqual(['joined', 'over caller_hung_up']);
  });

  test('and somebody else besides is called for real', async () => {
    const call = await startRoom({ past, before: ({ room }) => void room.participants.set('leg-1', CALLEE) });
    await call.transport.startDialout({ phoneNumber: NUMBER });
    await call.transport.startDialout({ phoneNumber: '+12025550102' });
    expect(call.room.asked).toEqual(['startDialout +12025550102']);
    await call.turn();
    await call.task.cancel();
  });

  test('is not told to have answered when the pipeline has ended by then', async () => {
    const call = await startRoom({ past, before: ({ room }) => void room.participants.set('leg-1', CALLEE) });
    await call.transport.startDialout({ phoneNumber: NUMBER });
    void call.transport.leave();
    await call.run;
    await call.turn();
    expect(call.events).not.toContain('dialout_answered');
  });
});

describe('keys', () => {
  test('are pressed for who the bot serves', async () => {
    const call = await talking();
    await call.transport.sendDtmf('12*#');
    expect(call.room.asked).toEqual(['sendDtmf leg-1 12*#']);
    await call.task.cancel();
  });

  test.each(['', '1 2', '12x', '+1', '1'.repeat(21)])('%j are none', async (digits) => {
    const call = await talking();
    await expect(call.transport.sendDtmf(digits)).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
    expect(call.room.asked).toEqual([]);
    await call.task.cancel();
  });

  test('are refused before anybody has answered', async () => {
    const call = await dialling();
    await expect(call.transport.sendDtmf('1')).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
    await call.task.cancel();
  });
});
