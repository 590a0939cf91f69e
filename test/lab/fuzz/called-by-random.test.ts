import type { TimelineEvent } from '../../../src/call/timeline.js';
import { functionsCalled, functionWordsOf } from '../../../src/lab/fuzz/called-by-random.js';
import { at } from '../scenario/stories.js';
import { runOf } from '../test/results.js';

const called = (ms: number, name: string) => at(ms, { type: 'tool_called', call: '1', name, input: {} });
const asked = (functions: Record<string, string>) =>
  at(0, { type: 'model_asked', turn: 1, response: 1, model: 'm', provider: 'p', functions });
const callsOf = (...calls: TimelineEvent[][]) => calls.map((events) => ({ run: runOf({ events }) }));

test('functions are told with the calls that have called them, and those that none has, written or told to the model', () => {
  const calls = callsOf(
    [asked({ balance: 'ab', made_up: 'cd' }), called(10, 'balance'), called(20, 'balance')],
    [called(10, 'end_call'), called(20, 'balance')],
  );
  const functions = functionsCalled('/bot.ts', calls, ['end_call', 'block_card']);
  expect(functions).toEqual({ bot: '/bot.ts', called: { balance: 2, end_call: 1 }, never: ['block_card', 'made_up'] });
  expect(functionWordsOf(functions)).toBe(
    'functions called: balance in 2 calls, end_call in 1 call; never: block_card, made_up',
  );
});

test('a bot of which none was called is told so, and one that has none is not', () => {
  expect(functionWordsOf(functionsCalled('/bot.ts', callsOf([]), ['balance']))).toBe(
    'functions called: none; never: balance',
  );
  expect(functionWordsOf(functionsCalled('/bot.ts', callsOf([]), []))).toBe('');
});
