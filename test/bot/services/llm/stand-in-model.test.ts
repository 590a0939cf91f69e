import { z } from 'zod';
import { loadAiPackage } from '../../../../src/bot/services/llm/ai-package.js';
import { replyTo, standInModel } from '../../../../src/bot/services/llm/stand-in-model.js';

const TOOLS = [
  {
    name: 'openingHours',
    description: 'Tells when the bakery is open.',
    inputSchema: { properties: { day: { type: 'string', description: 'a weekday' } } },
  },
  {
    name: 'operator',
    description: 'Connects the caller with a person. Call it when the caller asks for a person.',
    inputSchema: { type: 'object', properties: { destination: { type: 'string', enum: ['sales', 'support'] } } },
  },
  { name: 'goodbye', description: 'Ends the call. Call it when the caller has said goodbye.' },
  {
    name: 'book_table',
    description: 'Books a table.',
    inputSchema: {
      type: 'object',
      properties: {
        guests: { type: 'integer' },
        name: { type: 'string' },
        isOutside: { type: 'boolean' },
        wishes: { type: 'array', items: { anyOf: [{ const: 'none' }] } },
      },
    },
  },
].map((tool) => ({ type: 'function', ...tool }));

const ask = (text: string, more = {}) =>
  replyTo({ prompt: [{ role: 'user', content: [{ type: 'text', text }] }], tools: TOOLS, ...more });

test.each([
  ['When are you open on Sunday?', 'openingHours', { day: 'Sunday' }],
  ['Opening hours, please.', 'openingHours', { day: 'hours' }],
  ['Can I talk to a person in support?', 'operator', { destination: 'support' }],
  ['Give me an operator.', 'operator', { destination: 'sales' }],
  ['Goodbye.', 'goodbye', {}],
  [
    'I want a table for 4, my name is Ada Lovelace, outside.',
    'book_table',
    { guests: 4, name: 'Ada Lovelace', isOutside: true, wishes: ['none'] },
  ],
])('"%s" calls %s with words of the sentence', (said, tool, input) => {
  expect(ask(said)).toEqual({ calls: [{ name: tool, input }] });
});

test.each([
  [
    'Tell me a joke',
    'You said: Tell me a joke. I am a stand-in for the language model. I can use opening hours, operator, goodbye, and book table.',
  ],
  [
    '<system>The call has just begun.</system>',
    'I was told: The call has just begun. I am a stand-in for the language model.',
  ],
  [
    'Goodbye.\n<system>Tell the caller to wait.</system>',
    'I was told: Tell the caller to wait. I am a stand-in for the language model.',
  ],
])('%j is answered in words', (said, text) => {
  expect(ask(said)).toEqual({ text });
});

test('a model that may call nothing says what it has heard', () => {
  const text = 'You said: Goodbye. I am a stand-in for the language model.';
  expect(ask('Goodbye!', { toolChoice: { type: 'none' } })).toEqual({ text });
  expect(ask('Goodbye!', { tools: undefined })).toEqual({ text });
});

test.each([
  [{ type: 'text', value: 'seven to six' }, 'The function opening hours says: seven to six.'],
  [
    { type: 'json', value: { transferred: false, reason: 'the line is busy' } },
    'The function opening hours says: transferred: false, reason: the line is busy.',
  ],
  [{ type: 'error-text', value: 'no such day' }, 'The function opening hours has failed: no such day.'],
])('says the result %j', (output, text) => {
  const content = [{ type: 'tool-result', toolName: 'opening_hours', output }];
  expect(replyTo({ prompt: [{ role: 'tool', content }], tools: TOOLS })).toEqual({ text });
});

test('is a model that the ai package takes, and calls its tools', async () => {
  const ai = await loadAiPackage();
  const asked: unknown[] = [];
  const { text } = ai.streamText({
    model: standInModel(undefined) as never,
    messages: [{ role: 'user', content: 'Are you open today?' }],
    stopWhen: ai.stepCountIs(2),
    tools: {
      opening_hours: ai.tool({
        description: 'Tells when we are open.',
        inputSchema: z.object({ day: z.string() }),
        execute: (input) => {
          asked.push(input);
          return 'seven to six';
        },
      }),
    },
  });
  expect(await text).toBe('The function opening hours says: seven to six.');
  expect(asked).toEqual([{ day: 'today' }]);
});
