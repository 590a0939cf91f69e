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

describe.each<FarEnd>(['openai', 'xai', 'google'])('functions of a live model of %s', (farEnd) => {
  test('a function is run, and the model goes on with its result', async () => {
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
  });

  test('what the model was told by hand, and the end of the call', async () => {
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
  });
});
