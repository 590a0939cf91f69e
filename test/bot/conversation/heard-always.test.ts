import { ownSentence } from '../../../src/bot/conversation/own-sentences.js';
import { InterimTranscriptionFrame, TranscriptionFrame } from '../../../src/bot/pipeline/frames/index.js';
import { type Stage, setUpStage } from './stage.js';

afterEach(() => {
  jest.useRealTimers();
});

const SORRY = ownSentence('not_understood', 'en');

/** The caller speaks for `ms`, in words that speech to text takes back. */
async function losesWords({ pass, queue }: Stage, ms = 600): Promise<void> {
  await pass(ms / 2, true);
  queue(new InterimTranscriptionFrame('I would like'));
  await pass(ms / 2, true);
  queue(new InterimTranscriptionFrame(''));
}

async function callerSays({ pass, queue }: Stage, text: string): Promise<void> {
  await pass(600, true);
  queue(new TranscriptionFrame(text));
  await pass(540);
}

test.each(['en', 'de'] as const)(
  'a caller whose words are taken back is asked to say them again, in %s',
  async (language) => {
    const stage = setUpStage(['At nine.'], { language });
    stage.join();
    await losesWords(stage);
    await stage.pass(8_000);
    const sorry = ownSentence('not_understood', language);
    expect(stage.voice.said).toEqual([sorry]);
    expect(stage.model.asked).toEqual([]);
    await callerSays(stage, 'When do you open?');
    await stage.pass(1_500);
    expect(stage.voice.said).toEqual([sorry, 'At nine.']);
    expect(stage.messages().slice(0, 2)).toEqual([
      { role: 'assistant', content: sorry },
      { role: 'user', content: 'When do you open?' },
    ]);
  },
);

test('words that come after those that were taken back are answered, and nothing is asked', async () => {
  const stage = setUpStage(['At nine.']);
  stage.join();
  await losesWords(stage);
  await callerSays(stage, 'When do you open?');
  await stage.pass(4_000);
  expect(stage.voice.said).toEqual(['At nine.']);
});

test('a noise without words is not asked about', async () => {
  const stage = setUpStage();
  stage.join();
  await stage.pass(600, true);
  stage.queue(new InterimTranscriptionFrame(''));
  await stage.pass(8_000);
  expect(stage.voice.said).toEqual([]);
});

test('a bot that words have stopped which are then taken back goes on, and asks nothing', async () => {
  const answer = `We open at nine in the morning${', and at ten in the evening'.repeat(4)}, every day of the week.`;
  const stage = setUpStage([answer]);
  stage.join();
  await callerSays(stage, 'When do you open?');
  await stage.pass(5_000);
  await losesWords(stage);
  await stage.pass(8_000);
  expect([stage.model.asked.length, stage.voice.said.length]).toEqual([1, 2]);
  expect(answer).not.toBe(stage.voice.said[1]);
  expect(stage.voice.said[1]).toMatch(/week\.$/);
});

test('words that are taken back while the bot is thinking are not asked for: an answer comes', async () => {
  const stage = setUpStage([() => new Promise<string>((resolve) => setTimeout(resolve, 6_000, 'At nine.'))], {
    holdAfterMs: 0,
    bargeIn: false,
  });
  stage.join();
  await callerSays(stage, 'When do you open?');
  await losesWords(stage);
  await stage.pass(8_000);
  expect(stage.voice.said).toEqual(['At nine.']);
  expect(stage.voice.said).not.toContain(SORRY);
});
