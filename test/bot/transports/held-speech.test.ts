import { generateKeys } from '../../../src/base/audio/dtmf.js';
import { FRAME_MS } from '../../../src/base/audio/frame.js';
import { SpokenMarks } from '../../../src/bot/api/spoken-marks.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  EndFrame,
  HoldSpeechFrame,
  InterruptionFrame,
  ResumeSpeechFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { Pipeline, PipelineTask } from '../../../src/bot/pipeline/index.js';
import { HeardText } from '../../../src/bot/transports/heard-text.js';
import { Playout } from '../../../src/bot/transports/playout.js';
import { CARRIER_PACE } from '../../../src/bot/transports/playout-wire.js';
import { SpeechOutput } from '../../../src/bot/transports/speech-output.js';
import { SILENT_WIRE } from './silent-wire.js';

const RATE = 8_000;
const FRAME = (RATE * FRAME_MS) / 1_000;

afterEach(() => {
  jest.useRealTimers();
});

/** A carrier that acknowledges nothing; each frame of what is said has its own number. */
function setUp() {
  jest.useFakeTimers();
  const log: string[] = [];
  const sent: number[] = [];
  const playout = new Playout(
    RATE,
    {
      sendAudio: (pcm) => sent.push(pcm[0] as number),
      sendMark: () => {},
      sendClear: () => log.push('clear'),
      isCongested: () => false,
    },
    {
      started: () => log.push('started'),
      released: () => {},
      late: (frames) => log.push(`late ${frames}`),
      stopped: (heardMs, wasInterrupted) => log.push(`stopped ${heardMs}${wasInterrupted ? ' interrupted' : ''}`),
    },
    { ...CARRIER_PACE, acknowledges: false },
  );
  let frames = 0;
  return {
    playout,
    log,
    sent,
    says: (ms: number) => {
      const pcm = new Int16Array((ms / FRAME_MS) * FRAME);
      for (let at = 0; at < pcm.length; at += FRAME) {
        frames += 1;
        pcm.fill(frames, at, at + FRAME);
      }
      playout.write(pcm, true);
    },
  };
}

const here = (ms: number) => ms;

test('what is held is silent at once, and goes on with the first sound that was not heard', async () => {
  const { playout, log, sent, says } = setUp();
  says(1_000);
  await jest.advanceTimersByTimeAsync(500);
  playout.hold(here);
  const before = sent.length;
  await jest.advanceTimersByTimeAsync(3_000);
  expect([sent.length, log]).toEqual([before, ['started', 'clear']]);
  playout.resume();
  await jest.advanceTimersByTimeAsync(2_000);
  expect(before - (sent[before] as number) + 1).toBe(CARRIER_PACE.leadMs / FRAME_MS); // what the far end had not played
  expect(new Set(sent).size).toBe(50);
  expect(log).toEqual(['started', 'clear', 'stopped 1000']);
});

test('it goes on with the beginning of the word that was cut', async () => {
  const { playout, sent, says } = setUp();
  says(1_000);
  await jest.advanceTimersByTimeAsync(500);
  playout.hold((heardUntilMs) => heardUntilMs - 200);
  const before = sent.length;
  playout.resume();
  expect(sent[before]).toBe(300 / FRAME_MS + 1);
});

test('an interruption tells all that was heard, also the part of a word that it would have gone on with', async () => {
  const { playout, log, says } = setUp();
  says(1_000);
  await jest.advanceTimersByTimeAsync(500);
  playout.hold((heardUntilMs) => heardUntilMs - 200);
  playout.interrupt();
  expect(log).toEqual(['started', 'clear', 'stopped 500 interrupted']);
  says(100);
  await jest.advanceTimersByTimeAsync(500);
  expect(log.slice(3)).toEqual(['started', 'stopped 100']);
});

test('a frame that is being played when it is cut off is heard to its end', async () => {
  const { playout, log, says } = setUp();
  says(1_000);
  await jest.advanceTimersByTimeAsync(509);
  playout.interrupt();
  expect(log).toEqual(['started', 'clear', 'stopped 520 interrupted']);
});

test('what is said meanwhile waits, and begins to be heard when it is let go', async () => {
  const { playout, log, sent, says } = setUp();
  playout.hold(here);
  says(200);
  const drained = jest.fn();
  void playout.drain().then(drained);
  await jest.advanceTimersByTimeAsync(3_000);
  expect([sent, log, playout.isSpeaking, drained.mock.calls.length]).toEqual([[], [], true, 0]);
  playout.resume();
  await jest.advanceTimersByTimeAsync(1_000);
  expect([sent.length, log, drained.mock.calls.length]).toEqual([10, ['started', 'stopped 200'], 1]);
});

test.each([
  ['what has begun', 300, ['started', 'clear', 'stopped 200 interrupted']],
  ['what has not', 0, []],
])('an interruption drops it, and what comes next is heard: %s', async (_, spokenMs, expected) => {
  const { playout, log, sent, says } = setUp();
  if (spokenMs > 0) {
    says(1_000);
    await jest.advanceTimersByTimeAsync(200);
  }
  playout.hold(here);
  says(400);
  const drained = jest.fn();
  void playout.drain().then(drained);
  playout.interrupt();
  await jest.advanceTimersByTimeAsync(10);
  expect([log, drained.mock.calls.length]).toEqual([expected, 1]);
  const before = sent.length;
  says(100);
  await jest.advanceTimersByTimeAsync(500);
  expect(sent.length - before).toBe(5);
});

test('where a word begins is known by its times, else in proportion to the text', () => {
  const heard = new HeardText(() => {});
  const one = { id: 1, appendToContext: true };
  heard.start(one, 1_000);
  heard.addText(one, 'The first bus leaves at nine.', 1_000);
  heard.stop(one, 3_900);
  const proportional = heard.wordStart(2_050);
  expect(proportional).toBeGreaterThanOrEqual(1_850);
  expect(proportional).toBeLessThanOrEqual(2_050);
  heard.addTiming(one, [
    { text: 'The', startMs: 0, endMs: 300 },
    { text: 'first', startMs: 350, endMs: 800 },
  ]);
  expect([heard.wordStart(1_500), heard.wordStart(1_320), heard.wordStart(5_000)]).toEqual([1_350, 1_320, 5_000]);
});

test('tones of keys are played although they were held and interrupted', async () => {
  jest.useFakeTimers();
  const sent: Int16Array[] = [];
  const output = new SpeechOutput({ ...SILENT_WIRE, pressesKeys: false, sendAudio: (pcm) => sent.push(pcm) }, true, {
    hangUp: async () => {},
    released: async () => {},
  });
  const task = new PipelineTask(new Pipeline([output]));
  const run = task.run();
  await jest.advanceTimersByTimeAsync(10);
  output.receive(new HoldSpeechFrame(), 'downstream');
  const pressed = output.press('12');
  await jest.advanceTimersByTimeAsync(100);
  output.receive(new InterruptionFrame(), 'downstream');
  await jest.advanceTimersByTimeAsync(3_000);
  await pressed;
  const tones = generateKeys(['1', '2'], RATE);
  expect(sent.length * FRAME).toBeGreaterThanOrEqual(tones.length);
  task.queueFrame(new EndFrame());
  await jest.advanceTimersByTimeAsync(1_000);
  await run;
});

test.each([
  ['goes on', [new ResumeSpeechFrame()], true],
  ['is dropped', [new InterruptionFrame()], false],
])('a text that waits while the bot is held has been heard only when it was: it %s', async (_, frames, wasHeard) => {
  const marks = new SpokenMarks();
  const mark = marks.next();
  const settled = jest.fn();
  void mark.heard.then(settled);
  marks.see(new HoldSpeechFrame());
  marks.see(mark);
  await Promise.resolve();
  expect(settled).not.toHaveBeenCalled();
  if (wasHeard) marks.see(new BotStartedSpeakingFrame());
  for (const frame of frames) marks.see(frame);
  if (wasHeard) {
    await Promise.resolve();
    expect(settled).not.toHaveBeenCalled();
    marks.see(new BotStoppedSpeakingFrame(100, false));
  }
  await mark.heard;
  expect(settled.mock.calls).toEqual([[wasHeard]]);
});
