import {
  ErrorFrame,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { UnheardVoice } from '../../../../src/bot/services/stt/unheard-voice.js';
import { HastyClock } from '../../../hasty-clock.js';
import { loud, silence, startEars } from './start-ears.js';
import { counting, startStt, until } from './start-stt.js';

test('ears that tell no words of fifteen seconds of voice are connected anew, and that is told', async () => {
  using _clock = new HastyClock();
  await using call = await startStt({ stt: { answersWithinMs: false } });
  const first = await call.connecting;
  const connecting = call.fake.nextSession();
  call.task.queueFrame(new UserStartedSpeakingFrame());
  call.hear(counting(400));
  const second = await connecting;
  await first.closed;
  second.say('Hello.');
  await call.after.sees(ErrorFrame);
  expect(call.errors).toMatchObject([{ isFinal: false, code: 'VB_PROVIDER_FAILED' }]);
  expect(call.errors[0]?.message).toMatch(/told no words of 15 s of the caller's voice/);
  call.task.queueFrame(new UserStoppedSpeakingFrame());
});

test('of several ears the next take the place of deaf ones', async () => {
  using _clock = new HastyClock();
  await using call = await startEars({ fakes: [{}, { texts: ['Hello?'] }] });
  call.voice(true);
  for (let s = 0; s < 16; s += 1) await call.hear(loud(1_000));
  call.voice(false);
  await call.hear(silence(1_500));
  await until(() => call.words.finals.length === 1);
  expect(call.switches).toMatchObject([{ from: { model: 'ears-1' }, to: { model: 'ears-2' } }]);
  expect(call.switches[0]?.why).toMatch(/told no words of 15 s of the caller's voice/);
});

test('music, of which the next hear nothing either, is held against no ears', async () => {
  using _clock = new HastyClock();
  await using call = await startEars({ fakes: [{}, {}] });
  call.voice(true);
  for (let s = 0; s < 16; s += 1) await call.hear(loud(1_000));
  expect(call.fakes[1]?.sessions).toHaveLength(1);
  for (let s = 0; s < 6; s += 1) await call.hear(loud(1_000));
  await until(() => call.fakes[1]?.session.isOpen === false);
  expect([call.fakes[0]?.session.isOpen, call.switches, call.health.failing]).toEqual([true, [], []]);
});

describe('voice without words', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => jest.useRealTimers());

  function heard() {
    const told: number[] = [];
    return { told, voice: new UnheardVoice((ms) => told.push(Math.round(ms / 1_000))) };
  }

  test('counts while it lasts, and pauses do not count', () => {
    const { told, voice } = heard();
    for (const ms of [6_000, 6_000, 2_999]) {
      voice.voice(true);
      jest.advanceTimersByTime(ms);
      voice.voice(false);
      jest.advanceTimersByTime(60_000);
    }
    expect(told).toEqual([]);
    voice.voice(true);
    jest.advanceTimersByTime(2);
    expect(told).toEqual([15]);
  });

  test('any word begins it anew', () => {
    const { told, voice } = heard();
    voice.voice(true);
    jest.advanceTimersByTime(14_000);
    voice.words();
    jest.advanceTimersByTime(14_000);
    expect(told).toEqual([]);
    jest.advanceTimersByTime(1_000);
    expect(told).toEqual([15]);
  });

  test('music is told more and more seldom, and nothing when the call is over', () => {
    const { told, voice } = heard();
    voice.voice(true);
    jest.advanceTimersByTime(600_000);
    expect(told).toEqual([15, 30, 60, 120, 240]);
    voice.close();
    voice.voice(true);
    jest.advanceTimersByTime(600_000);
    expect(told).toHaveLength(5);
  });
});
