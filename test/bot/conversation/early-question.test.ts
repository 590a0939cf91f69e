import { defineTool } from '../../../src/bot/conversation/tool.js';
import { type EarlyStage, MODEL_MS, setUpEarlyStage, VOICE_MS } from './early-stage.js';

afterEach(() => {
  jest.useRealTimers();
});

const answer = (said: string) => ({ text: `Answer to ${said}` });

/** The first turns of a call are given more time. */
async function known(stage: EarlyStage): Promise<EarlyStage> {
  stage.join();
  for (let turn = 0; turn < 3; turn += 1) {
    await stage.pass(400, true);
    stage.hears(`Turn ${turn}.`);
    await stage.pass(3_000);
  }
  for (const list of [stage.asked, stage.events, stage.sent]) list.length = 0;
  return stage;
}

test('the answer is heard when the caller has finished, not when the model has', async () => {
  const stage = await known(await setUpEarlyStage(answer));
  await stage.pass(500, true);
  stage.hears('What time is it?');
  const at = stage.now();
  await stage.pass(2_500);
  expect(stage.heard()).toEqual(['Answer to What time is it?']);
  const waited = (stage.sent[0]?.at ?? 0) - at;
  expect(waited).toBeGreaterThanOrEqual(800);
  expect(waited).toBeLessThan(800 + MODEL_MS);
  expect(MODEL_MS + VOICE_MS).toBeLessThan(800);
  expect(stage.messages().slice(-2)).toEqual([
    { role: 'user', content: 'What time is it?' },
    { role: 'assistant', content: 'Answer to What time is it?' },
  ]);
});

test('is asked once where words only change their marks', async () => {
  const stage = await known(await setUpEarlyStage(answer));
  await stage.pass(500, true);
  stage.hearsPart('what time is it');
  await stage.pass(300);
  stage.hears('What time is it?');
  await stage.pass(2_500);
  expect(stage.asked).toHaveLength(1);
  expect(stage.heard()).toEqual(['Answer to what time is it']);
  expect(stage.messages().at(-2)).toEqual({ role: 'user', content: 'What time is it?' });
});

test('a caller who goes on hears nothing of the first answer, and it never was', async () => {
  const stage = await known(await setUpEarlyStage(answer));
  await stage.pass(500, true);
  stage.hears('I want a pizza.');
  await stage.pass(740);
  await stage.pass(300, true);
  stage.hears('With cheese.');
  await stage.pass(3_000);
  expect(stage.heard().join('')).toBe('Answer to I want a pizza. With cheese.');
  expect(stage.messages().slice(-2)).toEqual([
    { role: 'user', content: 'I want a pizza. With cheese.' },
    { role: 'assistant', content: 'Answer to I want a pizza. With cheese.' },
  ]);
  const ofAnswers = stage.events.filter(({ type }) => type === 'model_asked' || type === 'voice_asked');
  expect(ofAnswers).toHaveLength(2);
  const ended = stage.events.find((event) => event.type === 'turn_ended');
  expect(ended).toMatchObject({ turn: 4, early: { asked: 2, isKept: true, droppedTokens: expect.any(Number) } });
});

test('a function is not called before the caller has finished, nor for half of what they say', async () => {
  const called: unknown[] = [];
  const order = defineTool({
    name: 'order',
    description: 'Orders.',
    parameters: { type: 'object', properties: { said: { type: 'string' } } },
    execute: (input) => {
      called.push((input as { said: string }).said);
      return 'ok';
    },
  });
  const stage = await known(
    await setUpEarlyStage((said) => (said.startsWith('Turn') ? { text: 'Yes.' } : { calls: ['order'] }), {
      tools: [order],
    }),
  );
  await stage.pass(500, true);
  stage.hears('I want a pizza.');
  await stage.pass(720);
  expect(called).toEqual([]);
  await stage.pass(300, true);
  stage.hears('With cheese.');
  await stage.pass(4_000);
  expect(called).toEqual(['I want a pizza. With cheese.']);
  expect(stage.heard()).toEqual(['It is done.']);
});

test('a text of the bot waits for no early answer that is dropped', async () => {
  const stage = await known(await setUpEarlyStage(answer));
  await stage.pass(500, true);
  stage.hears('I want a pizza and');
  await stage.pass(1_400);
  stage.conversation.say('By the way.');
  await stage.pass(100);
  await stage.pass(400, true);
  stage.hearsPart('cheese');
  await stage.pass(2_000, true);
  expect(stage.heard()).toEqual(['By the way.']);
});

test('what the model is told meanwhile is part of what it answers', async () => {
  const stage = await known(await setUpEarlyStage(answer));
  await stage.pass(500, true);
  stage.hears('What time is it?');
  await stage.pass(300);
  void stage.conversation.instruct('Be brief.');
  await stage.pass(3_000);
  expect(stage.asked.at(-1)).toContain('Be brief.');
  expect(stage.heard()).toHaveLength(1);
});

test('is not asked early where that is switched off', async () => {
  const stage = await known(await setUpEarlyStage(answer, { turns: { askEarly: false } }));
  await stage.pass(500, true);
  stage.hears('What time is it?');
  await stage.pass(500);
  expect(stage.asked).toEqual([]);
  await stage.pass(3_000);
  expect([stage.asked.length, stage.heard().length]).toEqual([1, 1]);
});

test('a model that fails when it is asked early is asked again when the caller has finished', async () => {
  let fails = false;
  const stage = await known(
    await setUpEarlyStage((said) => {
      if (!fails) return answer(said);
      fails = false;
      throw new Error('503 overloaded');
    }),
  );
  fails = true;
  await stage.pass(500, true);
  stage.hears('What time is it?');
  await stage.pass(3_700);
  expect([stage.asked.length, stage.heard()]).toEqual([2, ['Answer to What time is it?']]);
});
