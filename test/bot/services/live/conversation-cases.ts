import { z } from 'zod';
import { endCallTool } from '../../../../src/bot/conversation/end-call-tool.js';
import { defineTool } from '../../../../src/bot/conversation/tool.js';
import { type FarEnd, LiveStage } from './live-stage.js';

const hours = (run: (day: string) => unknown) =>
  defineTool({
    name: 'opening_hours',
    description: 'When the shop is open.',
    parameters: z.object({ day: z.string() }),
    execute: ({ day }) => run(day),
  });

/** A turn of the caller ends by their voice, is answered, and its words are added when they come. */
export async function answers(farEnd: FarEnd): Promise<void> {
  await using stage = await LiveStage.start({
    farEnd,
    fake: { texts: ['Where is my order?'], replies: { text: 'It is on its way.' }, transcriptDelayMs: 300 },
  });
  stage.join();
  stage.speak(800);
  await stage.says('It is on its way.');
  await stage.until(() => stage.told.some((line) => line.startsWith('caller:')), 'the words of the caller are told');
  expect(stage.told).toContain('caller: Where is my order?');
  expect(stage.errors).toEqual([]);
  expect(stage.conversation.context.messages).toEqual([
    { role: 'user', content: 'Where is my order?' },
    { role: 'assistant', content: 'It is on its way.' },
  ]);
  expect(stage.reports).toHaveLength(1);
}

/** The greeting is said by the session, which knows it. */
export async function greets(farEnd: FarEnd): Promise<void> {
  await using stage = await LiveStage.start({
    farEnd,
    fake: { replies: [{ text: 'Hello, this is the bakery.' }, { text: 'We open at seven.' }] },
    conversation: { greeting: 'Hello, this is the bakery.', system: 'You are a bakery.' },
  });
  stage.join();
  await stage.says('Hello, this is the bakery.');
  await stage.until(() => stage.stopped.length > 0, 'the bot is silent');
  stage.speak(600);
  await stage.says('We open at seven.');
  expect(stage.errors).toEqual([]);
  const said = stage.fake.items.filter(({ role }) => role === 'assistant').map(({ text }) => text);
  expect(said).toEqual(['Hello, this is the bakery.', 'We open at seven.']);
}

/** A function is run, and the model goes on with its result. */
export async function runsFunctions(farEnd: FarEnd): Promise<void> {
  const days: string[] = [];
  await using stage = await LiveStage.start({
    farEnd,
    fake: {
      replies: ({ items, tools }) => {
        if (items.some(({ type }) => type === 'function_call_output')) return { text: 'From seven to noon.' };
        return { toolCalls: tools.map((name) => ({ name, input: { day: 'Sunday' } })) };
      },
    },
    conversation: {
      tools: [
        hours((day) => {
          days.push(day);
          return { open: '7-12' };
        }),
      ],
    },
  });
  stage.join();
  stage.speak(600);
  await stage.says('From seven to noon.');
  expect(days).toEqual(['Sunday']);
  const result = stage.fake.items.find(({ type }) => type === 'function_call_output');
  expect(result?.text).toContain('7-12');
  expect(stage.conversation.context.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
  expect(stage.errors).toEqual([]);
}

/** The model hears what it is told by hand, and ends the call. */
export async function instructs(farEnd: FarEnd): Promise<void> {
  const asked: string[] = [];
  await using stage = await LiveStage.start({
    farEnd,
    fake: {
      replies: ({ items, count }) => {
        asked.push(items.map(({ text }) => text).join('\n'));
        return count === 0 ? { text: 'Good bye.' } : { toolCalls: [{ name: 'end_call', input: {} }] };
      },
    },
    conversation: { tools: [endCallTool({ name: 'end_call' })] },
  });
  stage.join();
  expect(await stage.conversation.instruct('Say good bye.')).toBe(true);
  expect(asked[0]).toContain('<system>Say good bye.</system>');
  void stage.conversation.instruct('End the call.');
  await stage.until(() => stage.hungUp, 'the call is over');
  expect(asked[1]).toContain('<system>End the call.</system>');
  expect(stage.errors).toEqual([]);
}
