import type { ModelMessage } from '../../../src/lab/scenario/model-script.js';
import { askedIn, RuleModel } from '../../../src/lab/scenario/rule-model.js';
import type { ModelRule } from '../../../src/lab/scenario/scenario-options.js';
import { scenarioSchema } from '../../../src/lab/scenario/scenario-schema.js';

function modelOf(rules: readonly ModelRule[]) {
  const { model } = scenarioSchema.parse({ name: 'one', model: rules });
  if (!Array.isArray(model)) throw new Error('no rules');
  return new RuleModel(model);
}
const user = (text: string): ModelMessage => ({ role: 'user', text });
const tool = (name: string, text: string): ModelMessage => ({ role: 'tool', text, tools: [name] });

test('the first rule that fits the words of the caller answers', () => {
  const model = modelOf([{ when: 'sunday', say: 'Closed.' }, { say: 'Open.' }]);
  expect(model.answer({ messages: [user('On Sunday?')] })).toMatchObject({ say: 'Closed.' });
  expect(model.answer({ messages: [user('On Monday?')] })).toMatchObject({ say: 'Open.' });
});

test('a rule after a function fits its result, and none that waits for words does', () => {
  const model = modelOf([
    { when: 'closed', say: 'wrong' },
    { after: 'hours', when: 'closed', say: 'It is closed.' },
    { after: 'hours', say: 'It is open.' },
  ]);
  expect(model.answer({ messages: [user('x'), tool('hours', 'closed')] })).toMatchObject({ say: 'It is closed.' });
  expect(model.answer({ messages: [user('x'), tool('hours', 'eight')] })).toMatchObject({ say: 'It is open.' });
});

test('a rule that holds once is not used again, and without one that fits there is no answer', () => {
  const model = modelOf([{ when: 'hello', say: 'Hello.', once: true }]);
  const messages = [user('Hello?')];
  expect(model.answer({ messages })).toMatchObject({ say: 'Hello.' });
  expect(model.answer({ messages })).toBeUndefined();
  expect(askedIn({ messages })).toBe('"Hello?"');
  expect(askedIn({ messages: [tool('hours', 'eight')] })).toBe('the result of hours: "eight"');
});

test('a question that replaces the one before finds the rule that holds once unused', () => {
  const model = modelOf([{ when: 'hello', say: 'Hello.', once: true }]);
  const messages = [user('Hello?')];
  expect(model.answer({ messages, replaces: false })).toMatchObject({ say: 'Hello.' });
  expect(model.answer({ messages, replaces: true })).toMatchObject({ say: 'Hello.' });
  expect(model.answer({ messages, replaces: false })).toBeUndefined();
  expect(model.answer({ messages, replaces: true })).toBeUndefined(); // the one before has used up nothing
});
