import { createOpenAI } from '@ai-sdk/openai';
import { z } from 'zod';
import { LLMContext } from '../../../../src/bot/conversation/llm-context.js';
import { LLMContextFrame } from '../../../../src/bot/conversation/llm-context-frame.js';
import { EndFrame, LLMTextFrame, TTSSpeakFrame, Turn } from '../../../../src/bot/pipeline/frames/index.js';
import { Pipeline, PipelineTask } from '../../../../src/bot/pipeline/index.js';
import { LLMService } from '../../../../src/bot/services/llm/index.js';
import { FakeLanguageModel, type FakeModelReply } from '../../../../src/lab/kit/index.js';
import { Recorder } from '../../pipeline/recorder.js';
import { until } from './llm-rig.js';

const contextOf = (endCall = false) => {
  const bye = {
    name: 'bye',
    description: 'Ends the call',
    parameters: z.object({}),
    execute: (_: unknown, context: { endCall(): void }) => (endCall ? context.endCall() : 'no'),
  };
  return new LLMContext({ messages: [{ role: 'user', content: 'Hello?' }], tools: [bye] });
};

async function start(replies: FakeModelReply[]) {
  const fake = await FakeLanguageModel.start({ replies });
  const model = createOpenAI({ baseURL: fake.url, apiKey: 'any' }).chat('fake');
  const after = new Recorder();
  const task = new PipelineTask(new Pipeline([new LLMService({ model }), after]));
  const names = () => after.seen.slice(1).map(({ frame }) => frame.constructor.name);
  return { fake, after, task, names, [Symbol.asyncDispose]: () => fake.close() };
}

test('what is said, and the end, wait for the whole answer', async () => {
  await using bot = await start([{ text: 'We open', delayMs: 20 }]);
  const done = bot.task.run();
  bot.task.queueFrame(new LLMContextFrame(contextOf(), new Turn(1)));
  bot.task.queueFrame(new TTSSpeakFrame('Good-bye.'));
  bot.task.queueFrame(new EndFrame());
  await done;
  expect(bot.names()).toEqual([
    'LLMResponseStartFrame',
    'LLMTextFrame',
    'LLMTextFrame',
    'LLMResponseEndFrame',
    'TTSSpeakFrame',
    'EndFrame',
  ]);
});

test('a function ends the call behind what the model has said', async () => {
  await using bot = await start([{ text: 'Good-bye.', toolCalls: [{ name: 'bye', input: {} }] }]);
  const done = bot.task.run();
  bot.task.queueFrame(new LLMContextFrame(contextOf(true), new Turn(1)));
  await done;
  const names = bot.names();
  expect(names.slice(0, 3)).toEqual(['LLMResponseStartFrame', 'LLMTextFrame', 'LLMResponseEndFrame']);
  expect(names.indexOf('EndFrame')).toBeGreaterThan(2);
  expect(bot.fake.requests).toHaveLength(1);
});

test('ends at once when it is cancelled in the middle of an answer', async () => {
  await using bot = await start([{ text: 'We', hang: true }]);
  const done = bot.task.run();
  bot.task.queueFrame(new LLMContextFrame(contextOf(), new Turn(1)));
  await until(() => bot.after.of(LLMTextFrame).length === 1);
  await bot.task.cancel();
  await done;
  expect(await bot.fake.requests[0]?.ended).toBe(true);
});
