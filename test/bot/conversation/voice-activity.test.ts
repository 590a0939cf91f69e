import { EnergyDetector, energyDetector } from '../../../src/base/audio/energy-detector.js';
import type { CreateVoiceDetector, VoiceDetector } from '../../../src/base/audio/voice-detector.js';
import type { VoicebotError } from '../../../src/base/errors.js';
import { VoiceActivity } from '../../../src/bot/conversation/voice-activity.js';
import { ErrorFrame, UserStartedSpeakingFrame } from '../../../src/bot/pipeline/frames/index.js';
import { cut } from '../../base/audio/signals.js';
import { hiss, vowel } from '../../base/audio/voices.js';
import { setUpStage } from './stage.js';

const RATE = 8_000;
const QUIET = new Int16Array(160);
/** A voice after a moment of a quiet room, in pieces of 20 ms. */
const SPEAKING = [...cut(hiss(200, 20), [160]), ...cut(vowel(400), [160])];

/** A detector whose answers a test gives, one by one. */
function handDetector() {
  const asked: Array<{ pcm: Int16Array; resolve(isSpeech: boolean): void; reject(error: Error): void }> = [];
  let closed = 0;
  const detector: VoiceDetector = {
    hangoverMs: 333,
    isSpeech: (pcm) => new Promise((resolve, reject) => asked.push({ pcm, resolve, reject })),
    close: () => {
      closed += 1;
    },
  };
  return { detector, asked, closed: () => closed };
}

function listen(create: CreateVoiceDetector) {
  const heard: Array<[isSpeech: boolean, ms: number]> = [];
  const replaced: VoicebotError[] = [];
  const failed: Error[] = [];
  const voice = new VoiceActivity(create, {
    heard: (isSpeech, ms) => heard.push([isSpeech, ms]),
    replaced: (error) => replaced.push(error),
    failed: (error) => failed.push(error),
  });
  voice.start(RATE);
  return { voice, heard, replaced, failed, told: () => heard.map(([isSpeech]) => isSpeech) };
}

/** What the energy detector says of each piece. */
function energyOf(pieces: readonly Int16Array[]): boolean[] {
  const detector = new EnergyDetector(RATE);
  return pieces.map((pcm) => detector.isSpeech(pcm));
}

const settle = async () => {
  for (let i = 0; i < 10; i += 1) await Promise.resolve();
};

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test('says at once what a detector says that answers at once, and how long each piece is', () => {
  const { voice, heard } = listen(() => ({ isSpeech: (pcm) => pcm[0] !== 0 }));
  voice.hear(QUIET);
  voice.hear(new Int16Array(240).fill(9));
  expect(heard).toEqual([
    [false, 20],
    [true, 30],
  ]);
  expect(voice.hangoverMs).toBe(0);
});

test('says the answers in the order of the audio, in whatever order they come', async () => {
  const { detector, asked } = handDetector();
  const { voice, heard, told } = listen(() => detector);
  for (let i = 0; i < 4; i += 1) voice.hear(QUIET);
  asked[2]?.resolve(false);
  asked[1]?.resolve(true);
  await settle();
  expect(heard).toEqual([]);
  asked[0]?.resolve(false);
  await settle();
  expect(told()).toEqual([false, true, false]);
  asked[3]?.resolve(true);
  await settle();
  expect(told()).toEqual([false, true, false, true]);
  expect(voice.hangoverMs).toBe(333);
});

test('an answer at once waits for the answers to earlier audio', async () => {
  const { detector, asked } = handDetector();
  let count = 0;
  const mixed: VoiceDetector = { isSpeech: (pcm) => (count++ === 0 ? detector.isSpeech(pcm) : true) };
  const { voice, told } = listen(() => mixed);
  voice.hear(QUIET);
  voice.hear(QUIET);
  expect(told()).toEqual([]);
  asked[0]?.resolve(false);
  await settle();
  expect(told()).toEqual([false, true]);
});

test.each([
  ['throws', fail],
  ['rejects', async () => fail()],
])('when a detector %s, the energy detector goes on alone, told once', async (_, isSpeech) => {
  let count = 0;
  let closed = 0;
  const { voice, replaced, told } = listen(() => ({
    isSpeech: () => (count++ < 5 ? false : isSpeech()),
    close: () => {
      closed += 1;
    },
  }));
  for (const pcm of SPEAKING) voice.hear(pcm);
  await settle();
  const energy = energyOf(SPEAKING);
  expect(told()).toEqual([...energy.slice(0, 5).fill(false), ...energy.slice(5)]);
  expect(energy).toContain(true);
  expect(replaced).toEqual([
    expect.objectContaining({ code: 'VB_DETECTOR_FAILED', message: expect.stringContaining('no more memory') }),
  ]);
  expect(voice.hangoverMs).toBe(new EnergyDetector(RATE).hangoverMs);
  const asked = count;
  voice.hear(QUIET);
  expect(count).toBe(asked);
  voice.stop();
  expect(closed).toBe(1);
});

function fail(): never {
  throw new Error('no more memory');
}

test('when a detector is late, the energy detector judges what it has not, and no audio is judged twice', async () => {
  const { detector, asked, closed } = handDetector();
  const { voice, replaced, told } = listen(() => detector);
  for (const pcm of SPEAKING.slice(0, 2)) voice.hear(pcm);
  asked[0]?.resolve(true);
  asked[1]?.resolve(true);
  for (const pcm of SPEAKING.slice(2)) {
    voice.hear(pcm);
    await jest.advanceTimersByTimeAsync(20);
  }
  await jest.advanceTimersByTimeAsync(100);
  expect(told()).toEqual([true, true, ...energyOf(SPEAKING).slice(2)]);
  expect(replaced).toMatchObject([{ code: 'VB_DETECTOR_FAILED' }]);
  expect(closed()).toBe(1);
  for (const { resolve } of asked) resolve(false);
  asked.at(-1)?.reject(new Error('too late'));
  await settle();
  expect(told()).toHaveLength(SPEAKING.length);
  expect(replaced).toHaveLength(1);
});

test('a detector that catches up with audio that came all at once is not late', async () => {
  const { detector, asked } = handDetector();
  const { voice, replaced, told } = listen(() => detector);
  for (let i = 0; i < 60; i += 1) voice.hear(QUIET);
  await jest.advanceTimersByTimeAsync(50);
  for (const { resolve } of asked) resolve(true);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(replaced).toEqual([]);
  expect(told()).toEqual(new Array(60).fill(true));
});

test('the energy detector judges while a detector is being made', async () => {
  let made: ((detector: VoiceDetector) => void) | undefined;
  const { voice, told } = listen(() => new Promise<VoiceDetector>((resolve) => (made = resolve)));
  for (const pcm of SPEAKING) voice.hear(pcm);
  expect(told()).toEqual(energyOf(SPEAKING));
  expect(voice.hangoverMs).toBe(new EnergyDetector(RATE).hangoverMs);
  made?.({ hangoverMs: 50, isSpeech: (pcm) => pcm[0] === 7 });
  await settle();
  expect(voice.hangoverMs).toBe(50);
  voice.hear(new Int16Array(160).fill(7));
  voice.hear(QUIET);
  expect(told().slice(-2)).toEqual([true, false]);
});

test('a voice that the energy detector hears goes on when a detector takes over that has not noticed it yet', async () => {
  let made: ((detector: VoiceDetector) => void) | undefined;
  const { voice, told } = listen(() => new Promise<VoiceDetector>((resolve) => (made = resolve)));
  for (const pcm of SPEAKING) voice.hear(pcm);
  let count = 0;
  made?.({ isSpeech: () => count++ % 3 === 2 });
  await settle();
  for (const pcm of cut(vowel(100), [160])) voice.hear(pcm);
  expect(told().slice(-5)).toEqual([true, true, true, false, false]);
});

test('says when a detector cannot be made, and goes on', async () => {
  const error = new Error('not installed');
  const { voice, failed, replaced, told } = listen(() => Promise.reject(error));
  await settle();
  for (const pcm of SPEAKING) voice.hear(pcm);
  expect(failed).toEqual([error]);
  expect(replaced).toEqual([]);
  expect(told()).toEqual(energyOf(SPEAKING));
  expect(() => listen(() => fail())).toThrow('no more memory');
});

test('says nothing after the stop, and closes the detector once, also one that is made too late', async () => {
  const { detector, asked, closed } = handDetector();
  const { voice, heard, replaced } = listen(() => detector);
  voice.hear(QUIET);
  voice.hear(QUIET);
  voice.stop();
  voice.stop();
  asked[0]?.resolve(true);
  asked[1]?.reject(new Error('closed'));
  voice.hear(QUIET);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(heard).toEqual([]);
  expect(replaced).toEqual([]);
  expect(closed()).toBe(1);

  const late = handDetector();
  const other = listen(async () => late.detector);
  other.voice.stop();
  await settle();
  expect(late.closed()).toBe(1);
});

test('asks the energy detector only once when it is the detector', () => {
  const isSpeech = jest.spyOn(EnergyDetector.prototype, 'isSpeech');
  const { voice, heard } = listen(energyDetector({ hangoverMs: 400 }));
  voice.hear(QUIET);
  expect(isSpeech).toHaveBeenCalledTimes(1);
  expect(heard).toEqual([[false, 20]]);
  expect(voice.hangoverMs).toBe(new EnergyDetector(RATE, { hangoverMs: 400 }).hangoverMs);
  isSpeech.mockRestore();
});

test('a conversation hears a detector that answers later, and is told of its failure by one warning', async () => {
  let isBroken = false;
  const detector = (): VoiceDetector => ({
    isSpeech: async (pcm) => (isBroken ? fail() : pcm[0] !== 0),
  });
  const stage = setUpStage([], { detector });
  stage.join();
  await stage.pass(200, true);
  await stage.pass(100);
  const started = stage.tail.frames.filter((frame) => frame instanceof UserStartedSpeakingFrame);
  expect(started).toHaveLength(1);
  isBroken = true;
  await stage.pass(200);
  const errors = stage.head.frames.filter((frame) => frame instanceof ErrorFrame);
  expect(errors).toEqual([expect.objectContaining({ isFatal: false })]);
  expect(errors[0]?.error).toMatchObject({ code: 'VB_DETECTOR_FAILED' });
});
