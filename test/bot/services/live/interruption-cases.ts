import type { SpeechHeardFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { type FarEnd, LiveStage } from './live-stage.js';

const LONG =
  'The first thing is a loaf of rye bread, the second is a cake, and the third is a dozen rolls with poppy seed.';

/** The caller speaks over the first answer, and is answered again. @returns what they heard of the first */
async function interrupts(stage: LiveStage): Promise<SpeechHeardFrame | undefined> {
  stage.join();
  stage.speak(600);
  await stage.until(() => stage.sent.length > 60, 'the bot speaks');
  stage.speak(1_600);
  await stage.says('Yes?');
  return stage.heard.find(({ wasInterrupted }) => wasInterrupted);
}

/** An interruption takes back from the session what the caller has not heard, to 20 ms. */
export async function takesBack(): Promise<void> {
  await using stage = await LiveStage.start({
    fake: { texts: ['What is there?', 'Stop, please.'], replies: [{ text: LONG }, { text: 'Yes?' }], characterMs: 60 },
  });
  const cut = await interrupts(stage);
  const [item] = stage.fake.items.filter(({ role }) => role === 'assistant');
  expect(cut?.heardMs).toBeGreaterThan(500);
  expect(Math.abs((item?.audioMs ?? 0) - (cut?.heardMs ?? 0))).toBeLessThanOrEqual(20);
  expect(LONG).toMatch(new RegExp(`^${cut?.text}`));
  const messages = stage.conversation.context.messages;
  expect(messages[1]).toEqual({ role: 'assistant', content: cut?.text, isInterrupted: true });
  expect(stage.errors).toEqual([]);
}

/** A cough holds the bot, which goes on; the session remembers nothing of it. */
export async function goesOnAfterCough(): Promise<void> {
  await using stage = await LiveStage.start({
    fake: { texts: ['What is there?', ''], replies: [{ text: LONG.slice(0, 60) }, { text: 'No.' }], characterMs: 60 },
  });
  stage.join();
  stage.speak(600);
  await stage.until(() => stage.sent.length > 30, 'the bot speaks');
  const begun = performance.now();
  stage.speak(260);
  await stage.until(() => stage.clears.length > 0, 'the bot falls silent');
  expect((stage.clears[0] ?? 0) - begun).toBeLessThan(2_000);
  await stage.says(LONG.slice(30, 60));
  expect(stage.heard).toHaveLength(1);
  expect(stage.heard[0]?.wasInterrupted).toBe(false);
  const callers = stage.fake.items.filter(({ role }) => role === 'user');
  expect(callers).toHaveLength(1);
  expect(stage.fake.turns).toBe(1);
}

/** A vendor who takes nothing back is told what was heard. */
export async function tellsHeard(farEnd: FarEnd): Promise<void> {
  const asked: string[][] = [];
  await using stage = await LiveStage.start({
    farEnd,
    fake: {
      characterMs: 60,
      replies: ({ items, count }) => {
        asked.push(items.map(({ text }) => text));
        return { text: count === 0 ? LONG : 'Yes?' };
      },
    },
  });
  const cut = await interrupts(stage);
  expect(asked[1]?.join('\n')).toContain(`they heard only: ${cut?.text}`);
  expect(stage.errors).toEqual([]);
}
