import { LiveStage } from './live-stage.js';

/** Calls at once, and interruptions of each. */
const [CALLS, EACH] = [4, 5] as const;
const LONG =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen.';

/** The same numbers every time, from 0 to 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** @returns how much more than the caller has heard the session remembers of each answer, in milliseconds */
async function interrupt(call: number): Promise<number[]> {
  const random = numbers(call + 1);
  await using stage = await LiveStage.start({ fake: { texts: [], replies: { text: LONG }, characterMs: 60 } });
  stage.join();
  stage.speak(600);
  for (let count = 1; count <= EACH; count += 1) {
    const frames = stage.sent.length + 45 + Math.round(random() * 120);
    await stage.until(() => stage.sent.length > frames, 'the bot has spoken for a while', 20_000);
    stage.speak(1_050 + random() * 400);
    await stage.until(() => stage.heard.length === count, 'the bot is interrupted', 20_000);
  }
  const answers = () => stage.fake.items.filter(({ role }) => role === 'assistant');
  await stage.until(
    () => answers().filter(({ isTruncated }) => isTruncated).length >= EACH,
    'the session has heard of it',
  );
  const spoken = stage.conversation.context.messages.filter(({ role }) => role === 'assistant');
  for (const [index, { text, wasInterrupted }] of stage.heard.entries()) {
    expect(wasInterrupted).toBe(true);
    expect(LONG.startsWith(text)).toBe(true);
    if (text) expect(spoken).toContainEqual({ role: 'assistant', content: text, isInterrupted: true });
    expect(answers()[index]?.isTruncated).toBe(true);
  }
  expect(stage.errors).toEqual([]);
  return stage.heard.map(({ heardMs }, index) => (answers()[index]?.audioMs ?? 0) - heardMs);
}

test('after random interruptions a session remembers what was heard, to 20 ms', async () => {
  const all = await Promise.all(Array.from({ length: CALLS }, (_, call) => interrupt(call)));
  const differences = all.flat().map(Math.abs);
  expect(differences).toHaveLength(CALLS * EACH);
  expect(Math.max(...differences)).toBeLessThanOrEqual(20);
}, 300_000);
