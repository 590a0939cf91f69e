import {
  InterimTranscriptionFrame,
  TranscriptionFrame,
  UserWordsFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { type Stage, setUpStage } from './stage.js';

const IDLE = { afterMs: 10_000, prompts: ['Are you there?', 'Hello?'], goodbye: 'Goodbye.' };
/** More than what all questions need, with the delays for a voice that may be saying something. */
const LONG_MS = 90_000;

afterEach(() => {
  jest.useRealTimers();
});

/** Lets sound that the detector takes for a voice, and pauses, alternate. */
async function noise({ pass, call }: Stage, { onMs, offMs }: { onMs: number; offMs: number }): Promise<void> {
  for (let at = 0; at < LONG_MS && call.hungUp.length === 0; at += onMs + offMs) {
    await pass(onMs, true);
    await pass(offMs);
  }
}

test.each([
  ['without a pause', { onMs: 1_000, offMs: 0 }],
  ['that comes and goes', { onMs: 1_000, offMs: 1_000 }],
  ['such as music, with short pauses', { onMs: 5_000, offMs: 300 }],
  ['in bursts', { onMs: 300, offMs: 2_700 }],
])('a call on which there is only noise %s is asked, and ended', async (_title, pattern) => {
  const stage = setUpStage([], { greeting: 'Hi.', idle: IDLE });
  stage.join();
  await noise(stage, pattern);
  expect(stage.call.hungUp).toEqual(['bot_ended']);
  expect(stage.voice.said).toEqual(expect.arrayContaining(['Hi.', 'Are you there?', 'Hello?', 'Goodbye.']));
  expect(stage.model.asked).toEqual([]);
});

test('a caller who says a long sentence whose words arrive is not asked', async () => {
  const stage = setUpStage(['I see.'], { idle: IDLE });
  stage.join();
  for (let words = 1; words <= 20; words += 1) {
    await stage.pass(2_000, true);
    stage.queue(new InterimTranscriptionFrame('word '.repeat(words)));
  }
  stage.queue(new TranscriptionFrame('word '.repeat(20).trim()));
  await stage.pass(3_000);
  expect(stage.voice.said).toEqual(['I see.']);
});

test('words that came once, and are never told to be final, are answered, and do not stop the clock', async () => {
  const stage = setUpStage(['Sure.'], { idle: IDLE });
  stage.join();
  await stage.pass(1_000, true);
  stage.queue(new InterimTranscriptionFrame('a pizza please'));
  await stage.pass(5_900, true);
  expect(stage.voice.said).toEqual([]);
  await stage.pass(1_000, true);
  expect(stage.voice.said).toEqual(['Sure.']);
  await stage.pass(15_000, true);
  expect(stage.voice.said[1]).toBe('Are you there?');
});

test('a caller who has just begun to speak may finish', async () => {
  const stage = setUpStage(['Sure.'], { idle: IDLE });
  stage.join();
  await stage.pass(9_000);
  await stage.pass(3_000, true);
  stage.queue(new TranscriptionFrame('Could you repeat that?'));
  await stage.pass(3_000);
  expect(stage.voice.said).toEqual(['Sure.']);
});

test('a noise when the time is up puts the question off until it is over, and for six seconds at most', async () => {
  const stage = setUpStage([], { idle: IDLE });
  stage.join();
  await stage.pass(9_900);
  await stage.pass(400, true);
  expect(stage.voice.said).toEqual([]);
  await stage.pass(2_500);
  expect(stage.voice.said).toEqual(['Are you there?']);
});

test('the rest of the pipeline is told that words were understood, and not of words that are none', async () => {
  const stage = setUpStage();
  stage.queue(new InterimTranscriptionFrame('one'));
  stage.queue(new TranscriptionFrame('one two'));
  stage.queue(new InterimTranscriptionFrame(' '));
  stage.queue(new TranscriptionFrame(''));
  expect(stage.tail.frames.filter((frame) => frame instanceof UserWordsFrame)).toHaveLength(2);
});
