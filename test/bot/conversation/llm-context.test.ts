import { z } from 'zod';
import { LLMContext } from '../../../src/bot/conversation/llm-context.js';
import { defineTool } from '../../../src/bot/conversation/tool.js';
import { type ModelResponse, Turn, type Utterance } from '../../../src/bot/pipeline/frames/index.js';

const turn = new Turn(1);
const utteranceOf = (response?: ModelResponse): Utterance => ({ id: 1, response, appendToContext: true });

function answer(
  context: LLMContext,
  text: string,
  isFinished = true,
): { response: ModelResponse; utterance: Utterance } {
  const response = context.beginResponse(turn);
  context.addText(response, text);
  if (isFinished) context.finishResponse(response);
  return { response, utterance: utteranceOf(response) };
}

test('shows the task, what was said before, and what is said', () => {
  const context = new LLMContext({ system: 'Be kind.', messages: [{ role: 'assistant', content: 'Last week …' }] });
  context.addCallerWords('Hello');
  expect(context.messages).toEqual([
    { role: 'system', content: 'Be kind.' },
    { role: 'assistant', content: 'Last week …' },
    { role: 'user', content: 'Hello' },
  ]);
});

test('an answer stands there as a whole while it is being said, and as far as it was heard afterwards', () => {
  const context = new LLMContext();
  const { utterance } = answer(context, 'It is five. Would you like to book?');
  expect(context.messages).toEqual([{ role: 'assistant', content: 'It is five. Would you like to book?' }]);
  context.heard(utterance, 'It is five. Would', true);
  expect(context.messages).toEqual([{ role: 'assistant', content: 'It is five. Would', isInterrupted: true }]);
});

test('an answer of which nothing was heard is not there, and the words around it are one message', () => {
  const context = new LLMContext();
  context.addCallerWords('I want a pizza');
  answer(context, 'Which one?');
  context.addCallerWords('with cheese.');
  expect(context.messages).toEqual([{ role: 'user', content: 'I want a pizza with cheese.' }]);
});

test('an answer that is heard on while the caller says something is complete in the end', () => {
  const context = new LLMContext();
  const { utterance } = answer(context, 'One, two, three.');
  context.addCallerWords('uh-huh');
  context.heard(utterance, 'One, two, three.', false);
  expect(context.messages).toEqual([
    { role: 'assistant', content: 'One, two, three.' },
    { role: 'user', content: 'uh-huh' },
  ]);
});

test('what was heard of words that are not in the context changes nothing', () => {
  const context = new LLMContext();
  context.addCallerWords('Hello');
  context.heard(utteranceOf(), 'One moment, please.', false);
  expect(context.messages).toEqual([{ role: 'user', content: 'Hello' }]);
});

test('calls stand behind the words of their answer, with results or the news that there are none yet', () => {
  const context = new LLMContext();
  const { response, utterance } = answer(context, 'Let me see.');
  const calls = [
    { id: 'a', name: 'look', input: {} },
    { id: 'b', name: 'ask', input: { of: 1 } },
  ];
  context.addToolCalls(response, calls);
  context.setToolResult({ callId: 'a', name: 'look', output: 5, isError: false });
  answer(context, 'It is five.');
  context.heard(utterance, 'Let me', true);
  expect(context.messages).toEqual([
    { role: 'assistant', content: 'Let me', isInterrupted: true },
    { role: 'assistant', content: '', toolCalls: calls },
    {
      role: 'tool',
      results: [
        { callId: 'a', name: 'look', output: 5, isError: false },
        { callId: 'b', name: 'ask', output: 'still running; its result will follow', isError: false },
      ],
    },
    { role: 'assistant', content: 'It is five.' },
  ]);
});

test('a later result takes the place of an earlier one', () => {
  const context = new LLMContext();
  const { response } = answer(context, '');
  context.addToolCalls(response, [{ id: 'a', name: 'look', input: {} }]);
  for (const output of ['cancelled', 'found'])
    context.setToolResult({ callId: 'a', name: 'look', output, isError: false });
  expect(context.messages.at(-1)).toMatchObject({ results: [{ output: 'found' }] });
});

test('what the bot says of its own accord is there too', () => {
  const context = new LLMContext();
  const utterance = utteranceOf();
  context.beginSpeech(utterance);
  context.addSpeech(utterance, 'Welcome to the shop.');
  context.heard(utterance, 'Welcome to', true);
  expect(context.messages).toEqual([{ role: 'assistant', content: 'Welcome to', isInterrupted: true }]);
});

test('what a function has the bot say stands before its result', () => {
  const context = new LLMContext();
  const { response } = answer(context, '');
  context.addToolCalls(response, [{ id: 'a', name: 'transfer', input: {} }]);
  const utterance = utteranceOf();
  context.beginSpeech(utterance);
  context.addSpeech(utterance, 'One moment.');
  context.setToolResult({ callId: 'a', name: 'transfer', output: 'busy', isError: false });
  expect(context.messages.map(({ role }) => role)).toEqual(['assistant', 'assistant', 'tool']);
  expect(context.messages[0]).toEqual({ role: 'assistant', content: 'One moment.' });
});

test('gives what was not heard once, as long as nothing has been added', () => {
  const context = new LLMContext();
  const { utterance } = answer(context, 'The first bus leaves at nine.');
  context.heard(utterance, 'The first bus', true);
  expect(context.takeUnheard()).toBe('leaves at nine.');
  expect(context.takeUnheard()).toBe('');
  expect(context.messages).toEqual([{ role: 'assistant', content: 'The first bus' }]);
});

test('gives the rest of an answer that was written with formatting', () => {
  const context = new LLMContext();
  const { utterance } = answer(context, '**Monday**: nine to five.\n\n- *Tuesday*: closed.');
  context.heard(utterance, 'Monday: nine', true);
  expect(context.takeUnheard()).toBe('to five. - *Tuesday*: closed.');
});

test.each([
  ['Press', '* to go back, or *67 #.'],
  ['Press star', 'to go back, or *67 #.'],
  ['Press star to go back, or', '*67 #.'],
  ['Press star to go back, or star 67', '#.'],
  ['Press star to go back, or star 67 pound.', ''],
])('gives the rest of an answer whose keys were said: behind %j it is %j', (heard, rest) => {
  const context = new LLMContext();
  const { utterance } = answer(context, 'Press * to go back, or *67 #.');
  context.heard(utterance, heard, true);
  expect(context.takeUnheard()).toBe(rest);
});

test('does not know the rest of an answer that was not written to its end', () => {
  const context = new LLMContext();
  const { utterance } = answer(context, 'The first bus leaves', false);
  context.heard(utterance, 'The first', true);
  expect(context.takeUnheard()).toBeUndefined();
});

test('gives the rest of all answers that were interrupted', () => {
  const context = new LLMContext();
  const { utterance } = answer(context, 'One, two.');
  answer(context, 'Three, four.');
  context.heard(utterance, 'One,', true);
  context.settle();
  expect(context.takeUnheard()).toBe('two. Three, four.');
});

test('the last hundred of a thousand answers do not make the first ones forgotten', () => {
  const context = new LLMContext();
  for (let index = 0; index < 1_000; index += 1) {
    const { utterance } = answer(context, `Answer ${index}.`);
    context.heard(utterance, `Answer ${index}.`, false);
  }
  expect(context.messages).toHaveLength(1_000);
  expect(context.messages[0]).toEqual({ role: 'assistant', content: 'Answer 0.' });
});

describe('a context that is too large', () => {
  const exchange = (context: LLMContext, index: number) => {
    context.addCallerWords(`Question ${index} ${'x'.repeat(200)}`);
    const { response, utterance } = answer(context, `Answer ${index}.`);
    context.addToolCalls(response, [{ id: `${index}`, name: 'look', input: {} }]);
    context.setToolResult({ callId: `${index}`, name: 'look', output: 'y'.repeat(100), isError: false });
    context.heard(utterance, `Answer ${index}.`, false);
  };

  test('loses its oldest messages, and begins with what the caller said', () => {
    const context = new LLMContext({ system: 'Be kind.', limit: { maxCharacters: 2_000 } });
    for (let index = 0; index < 40; index += 1) {
      exchange(context, index);
      const [system, first] = context.messages;
      expect(system).toEqual({ role: 'system', content: 'Be kind.' });
      expect(first?.role).toBe('user');
      expect(JSON.stringify(context.messages).length).toBeLessThan(4_000);
    }
    expect(JSON.stringify(context.messages)).toContain('Answer 39.');
  });

  test('loses no more than leaves half of it', () => {
    const context = new LLMContext({ limit: { maxCharacters: 2_000 } });
    exchange(context, 0);
    for (let index = 1; index < 20; index += 1) {
      exchange(context, index);
      expect(JSON.stringify(context.messages)).toContain(`Answer ${index - 1}.`);
    }
  });

  test('shows a summary in their place, and them until there is one', async () => {
    let summarised = 0;
    const summarise = async (messages: readonly unknown[]) => {
      summarised += messages.length;
      return 'They asked many things.';
    };
    const context = new LLMContext({ limit: { maxCharacters: 2_000, summarise } });
    for (let index = 0; index < 6; index += 1) exchange(context, index);
    expect(JSON.stringify(context.messages)).toContain('Question 0');
    await new Promise(setImmediate);
    expect(context.messages[0]).toEqual({ role: 'system', content: 'They asked many things.' });
    expect(context.messages[1]?.role).toBe('user');
    expect(summarised).toBeGreaterThan(5);
  });

  test('stays as it is when it cannot be summarised', async () => {
    const summarise = () => Promise.reject(new Error('no model'));
    const context = new LLMContext({ limit: { maxCharacters: 1_000, summarise } });
    for (let index = 0; index < 6; index += 1) exchange(context, index);
    await new Promise(setImmediate);
    expect(JSON.stringify(context.messages)).toContain('Question 0');
  });
});

test('a summary that throws at once, or never comes, is none', async () => {
  const summarise = () => {
    throw new Error('no model');
  };
  const context = new LLMContext({ limit: { maxCharacters: 1_000, summarise } });
  context.addCallerWords('x'.repeat(600));
  context.addCallerWords('x'.repeat(600));
  await new Promise(setImmediate);
  expect(context.messages).toHaveLength(1);
});

test('tools that may run for ever are refused', () => {
  const tool = defineTool({
    name: 'a',
    description: '',
    parameters: z.object({}),
    timeoutMs: Infinity,
    execute: () => 1,
  });
  expect(() => new LLMContext({ tools: [tool] })).toThrow(/timeoutMs of the tool a/);
});

test('tools with malformed or equal names and a tiny limit are refused, all at once', () => {
  const tool = (name: string) => defineTool({ name, description: '', parameters: z.object({}), execute: () => 1 });
  const options = { tools: [tool('a b'), tool('look'), tool('look')], limit: { maxCharacters: 5 } };
  expect(() => new LLMContext(options)).toThrow(/"a b".*"look".*maxCharacters/);
});
