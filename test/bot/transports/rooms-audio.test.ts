import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  CancelFrame,
  DtmfFrame,
  EndFrame,
  ErrorFrame,
  InputAudioFrame,
  InterruptionFrame,
  OutputAudioFrame,
  OutputDtmfFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { tone } from './start-pipeline.js';
import { roomWithCaller, startRoom } from './start-room.js';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

const bot = (ms: number, rate = 8_000) => new OutputAudioFrame(tone(ms, rate), rate);

describe('what is said in the room', () => {
  test('comes in as it is where the rates are the same', async () => {
    const call = await startRoom();
    const pcm = tone(20);
    call.room.speak(pcm);
    expect(call.heard.of(InputAudioFrame)).toMatchObject([{ sampleRate: 8_000 }]);
    expect(call.heard.of(InputAudioFrame)[0]?.pcm).toBe(pcm);
    await call.task.cancel();
  });

  test("is resampled to the pipeline's rate", async () => {
    const call = await startRoom({ audioInSampleRate: 24_000 });
    for (let i = 0; i < 3; i += 1) call.room.speak(tone(20, 16_000));
    const frames = call.heard.of(InputAudioFrame);
    expect(frames).toHaveLength(3);
    expect(frames.every(({ sampleRate }) => sampleRate === 24_000)).toBe(true);
    expect(frames.reduce((sum, { pcm }) => sum + pcm.length, 0)).toBeGreaterThanOrEqual(3 * 480 - 96);
    await call.task.cancel();
  });

  test('does not come in when that is switched off', async () => {
    const call = await startRoom({ params: { audioInEnabled: false } });
    call.room.speak(tone(20));
    call.room.tell('dtmf', { digit: '5', sessionId: 'caller' });
    expect(call.heard.of(InputAudioFrame)).toEqual([]);
    expect(call.heard.of(DtmfFrame)).toHaveLength(1);
    await call.task.cancel();
  });

  test('can be that of some participants only, where the room has a stream for each', async () => {
    const call = await startRoom();
    expect(call.transport.hearOnly(['caller'])).toBe(false);
    const asked: unknown[] = [];
    call.room.hearOnly = (sessionIds) => asked.push(sessionIds) > 0;
    expect(call.transport.hearOnly(['caller'])).toBe(true);
    expect(call.transport.hearOnly()).toBe(true);
    expect(asked).toEqual([['caller'], undefined]);
    await call.task.cancel();
    expect(() => call.transport.hearOnly()).toThrow(expect.objectContaining({ code: 'VB_STREAM_CLOSED' }));
  });

  test('comes with the keys that are pressed, as events too', async () => {
    const call = await startRoom();
    call.room.tell('dtmf', { digit: '5', sessionId: 'caller' });
    call.room.tell('dtmf', { digit: '#' });
    expect(call.heard.of(DtmfFrame)).toMatchObject([{ digit: '5' }, { digit: '#' }]);
    expect(call.told('dtmf')).toEqual([{ digit: '5', sessionId: 'caller' }, { digit: '#' }]);
    await call.task.cancel();
  });
});

describe('the bot', () => {
  test.each([
    [8_000, 160],
    [16_000, 320],
  ])('is heard in 20 ms frames, one at a time, at %d Hz', async (audioInSampleRate, samples) => {
    const call = await startRoom({ audioInSampleRate });
    call.task.queueFrame(bot(1_000, 24_000));
    expect(call.room.said).toHaveLength(1);
    await call.wait(500);
    expect(call.room.said).toHaveLength(26);
    expect(new Set(call.room.said.map(({ length }) => length))).toEqual(new Set([samples]));
    await call.task.cancel();
  });

  test('who speaks before the room is joined is heard from the first word', async () => {
    let door = { accept: () => {} };
    const call = await startRoom({
      before: ({ room }) => {
        door = room.hold('join');
      },
    });
    call.task.queueFrame(bot(200));
    call.task.queueFrame(new EndFrame());
    await call.wait(3_000);
    expect(call.room.said).toEqual([]);
    door.accept();
    await call.wait(1_000);
    await call.run;
    expect(call.room.said).toHaveLength(10);
    expect(call.room.asked).toEqual(['leave']);
  });

  test('is silent when that is switched off', async () => {
    const call = await startRoom({ params: { audioOutEnabled: false } });
    call.task.queueFrame(bot(200));
    call.task.queueFrame(new EndFrame());
    await call.run;
    expect(call.room.said).toEqual([]);
  });

  test('who is interrupted is silent at once', async () => {
    const call = await startRoom();
    call.task.queueFrame(bot(5_000));
    await call.wait(1_000);
    const said = call.room.said.length;
    call.task.queueFrame(new InterruptionFrame());
    await call.wait(1_000);
    expect(call.room.said).toHaveLength(said);
    const [stopped] = call.after.of(BotStoppedSpeakingFrame);
    expect(stopped?.wasInterrupted).toBe(true);
    expect(stopped?.heardMs).toBeGreaterThanOrEqual(980);
    expect(stopped?.heardMs).toBeLessThanOrEqual(1_000);
    await call.task.cancel();
  });

  test('has stopped speaking when the last word is heard, without acknowledgements to wait for', async () => {
    const call = await startRoom();
    call.task.queueFrame(bot(100));
    expect(call.after.of(BotStartedSpeakingFrame)).toHaveLength(1);
    await call.wait(350);
    expect(call.after.of(BotStoppedSpeakingFrame)).toEqual([]);
    await call.wait(50);
    expect(call.after.of(BotStoppedSpeakingFrame)).toEqual([new BotStoppedSpeakingFrame(100, false)]);
    await call.task.cancel();
  });

  test('who has too much to say makes the pipeline wait, and drops it with the room', async () => {
    const call = await startRoom();
    for (let i = 0; i < 3; i += 1) call.task.queueFrame(bot(12_000));
    call.task.queueFrame(new EndFrame());
    await call.wait(1_000);
    call.room.tell('left', {});
    await call.run;
    expect(call.after.of(CancelFrame)).toHaveLength(1);
  });
});

describe('the end', () => {
  test('waits for the last word to be heard, then the caller is seen off and the bot leaves', async () => {
    const call = await roomWithCaller();
    call.task.queueFrame(bot(100));
    call.task.queueFrame(new EndFrame());
    await call.wait(290);
    expect(call.room.asked).toEqual([]);
    await call.wait(20);
    await call.run;
    expect(call.room.asked).toEqual(['eject caller', 'leave']);
    expect(call.events).toEqual(['left']);
    expect(call.after.of(EndFrame)).toHaveLength(1);
    expect(call.cancelled()).toEqual([]);
    expect(call.link.told).toEqual([{ type: 'over', reason: 'bot_ended' }]);
    expect(call.room.listenerCount).toBe(0);
  });

  test.each(['cancelled', 'idle', 'call_ended'] as const)('is at once when %s', async (reason) => {
    const call = await roomWithCaller();
    call.task.queueFrame(bot(5_000));
    call.task.queueFrame(new CancelFrame(reason));
    await call.run;
    expect(call.room.asked).toEqual(['eject caller', 'leave']);
    expect(call.room.said).toHaveLength(1);
  });

  test('of a bot that breaks leaves the caller to another one', async () => {
    const call = await roomWithCaller();
    const failed = expect(call.run).rejects.toThrow('broken');
    call.heard.receive(new ErrorFrame(new Error('broken'), true), 'upstream');
    await failed;
    expect(call.room.asked).toEqual(['leave']);
    expect(call.link.told).toEqual([]);
  });

  test('of a bot that was replaced leaves the caller to the other one', async () => {
    const call = await roomWithCaller();
    call.link.isReplacedNow = true;
    await call.task.cancel();
    expect(call.room.asked).toEqual(['leave']);
  });

  test('does not wait for a provider that does not answer', async () => {
    const call = await roomWithCaller();
    call.room.hold('eject');
    call.task.queueFrame(new EndFrame());
    await call.wait(2_999);
    expect(call.isOver()).toBe(false);
    await call.wait(1);
    await call.run;
    expect(call.room.asked).toEqual(['eject caller', 'leave']);
  });

  test('comes all the same when nobody can be seen off', async () => {
    const call = await roomWithCaller();
    call.room.refuse('eject', new Error('no'));
    call.task.queueFrame(new EndFrame());
    await call.run;
    expect(call.room.asked).toEqual(['eject caller', 'leave']);
  });

  test('makes what happens afterwards mean nothing', async () => {
    const call = await roomWithCaller();
    const { accept } = call.room.hold('leave');
    call.task.queueFrame(new EndFrame());
    await call.turn();
    call.room.tell('participant_left', { sessionId: 'caller', userName: '', isOwner: false, kind: 'dial-in' });
    call.room.tell('dialin_stopped', { sessionId: 'caller' });
    call.room.tell('dialin_error', { sessionId: 'caller', errorMsg: 'late' });
    call.room.tell('dialout_stopped', { sessionId: 'x' });
    accept();
    await call.run;
    expect(call.link.told).toEqual([{ type: 'over', reason: 'bot_ended' }]);
    expect(call.cancelled()).toEqual([]);
    expect(call.events.at(-1)).toBe('left');
    call.room.tell('participant_joined', { sessionId: 'late', userName: '', isOwner: false, kind: 'web' });
    expect(call.events.at(-1)).toBe('left');
  });
});

describe('a frame of keys', () => {
  test('is sent when what was said before has been heard, and before what is said next', async () => {
    const call = await roomWithCaller();
    call.task.queueFrame(bot(60));
    call.task.queueFrame(new OutputDtmfFrame('42'));
    call.task.queueFrame(bot(20));
    await call.wait(250);
    expect(call.room.asked).toEqual([]);
    await call.wait(50);
    expect(call.room.asked).toEqual(['sendDtmf caller 42']);
    expect(call.room.said).toHaveLength(4);
    await call.task.cancel();
  });

  test('that cannot be sent is a problem that the pipeline survives', async () => {
    const call = await roomWithCaller();
    const problems: unknown[] = [];
    call.task.on('problem', (error) => problems.push(error));
    call.room.refuse('sendDtmf', new Error('no'));
    call.task.queueFrame(new OutputDtmfFrame('x'));
    call.task.queueFrame(new OutputDtmfFrame('1'));
    await call.turn();
    expect(problems).toEqual([expect.objectContaining({ code: 'VB_REQUEST_INVALID' }), new Error('no')]);
    expect(call.isOver()).toBe(false);
    await call.task.cancel();
  });
});

describe('silence', () => {
  const quiet = new Int16Array(160).fill(50); // -56 dB
  type Call = Awaited<ReturnType<typeof roomWithCaller>>;

  /** Lets time pass while the others say this. */
  async function hear(call: Call, pcm: Int16Array, ms: number): Promise<void> {
    for (let at = 0; at < ms; at += 20) {
      call.room.speak(pcm);
      await call.wait(20);
    }
  }

  test('of both sides is told once', async () => {
    const call = await roomWithCaller({ silenceMs: 3_000 });
    await hear(call, quiet, 2_980);
    expect(call.link.types).toEqual([]);
    await hear(call, quiet, 5_000);
    expect(call.link.types).toEqual(['silent']);
    expect(call.isOver()).toBe(false);
    await call.task.cancel();
  });

  test.each<[string, (call: Call) => Promise<void> | void]>([
    ['the caller speaks', (call) => hear(call, tone(20), 1_000)],
    ['a key is pressed', (call) => call.room.tell('dtmf', { digit: '1' })],
    ['the bot speaks', (call) => call.task.queueFrame(bot(500))],
  ])('is none while %s', async (_, speak) => {
    const call = await roomWithCaller({ silenceMs: 3_000 });
    await hear(call, quiet, 2_000);
    await speak(call);
    await hear(call, quiet, 2_500);
    expect(call.link.types).toEqual([]);
    await hear(call, quiet, 3_000);
    expect(call.link.types).toEqual(['silent']);
    await call.task.cancel();
  });

  test('means nothing before anybody is there, while the caller hears somebody else, and without a limit', async () => {
    const alone = await startRoom({ silenceMs: 3_000 });
    const unlimited = await roomWithCaller();
    const call = await roomWithCaller({ silenceMs: 3_000 });
    const transfer = call.transport.sipCallTransfer();
    await call.turn();
    call.room.tell('dialout_connected', { sessionId: 'operator' });
    for (const each of [alone, unlimited, call]) await hear(each, quiet, 10_000);
    expect(alone.link.types).toEqual(['joined']);
    expect(unlimited.link.types).toEqual([]);
    expect(call.link.types).toEqual(['transferring', 'transferring']);
    call.room.tell('dialout_error', { errorMsg: 'Busy' });
    await transfer;
    await hear(call, quiet, 2_900);
    expect(call.link.types).toEqual(['transferring', 'transferring', 'transfer_failed']);
    await hear(call, quiet, 200);
    expect(call.link.types.at(-1)).toBe('silent');
    for (const each of [alone, unlimited, call]) await each.task.cancel();
  });
});
