import type { ModelMessage } from '../../../src/lab/scenario/model-script.js';
import { placeScenario } from '../../../src/lab/scenario/placed-scenario.js';
import { RuleModel } from '../../../src/lab/scenario/rule-model.js';
import type { ModelRule } from '../../../src/lab/scenario/scenario-options.js';

function modelOf(...model: ModelRule[]): RuleModel {
  const placed = placeScenario({ name: 'a', model }, '/a.yaml', () => 1);
  if (Array.isArray(placed) || !Array.isArray(placed.model)) throw new Error(JSON.stringify(placed));
  return new RuleModel(placed.model);
}

const results = (given: Readonly<Record<string, unknown>>): { messages: ModelMessage[] } => {
  const list = Object.entries(given).map(([name, value]) => ({ name, value }));
  return { messages: [{ role: 'tool', text: '', tools: Object.keys(given), results: list }] };
};

/** What a rule after `balance` says of a result. */
const spoken = (say: string, value: unknown) =>
  modelOf({ after: 'balance', say }).answer(results({ balance: value }))?.say;

test.each<[string, unknown, string]>([
  ['It is {{result}}.', 'closed', 'It is closed.'],
  ['It is {{result}}.', { amount: 5, all: [1, 2] }, 'It is {"amount":5,"all":[1,2]}.'],
  ['You have {{result.amount}} {{result.currency}}.', { amount: 1_250, currency: 'EUR' }, 'You have 1250 EUR.'],
  ['{{ result.items.0.name }}, {{result.items.1}}', { items: [{ name: 'rye' }, ['x']] }, 'rye, ["x"]'],
  ['{{result.0}}', ['{{result.1}}', 2], '{{result.1}}'],
  ['Sorry: {{result}}.', 'the database is down', 'Sorry: the database is down.'],
  ['It is {{result.open}}.', { open: false }, 'It is false.'],
])('a rule that says %j of %j says %j', (say, value, words) => {
  expect(spoken(say, value)).toBe(words);
});

test.each<[string, unknown, string]>([
  ['{{result.amount}}', { sum: 5 }, '{{result.amount}} is not in the result of balance, which was {"sum":5}'],
  ['{{result.amount}}', 'closed', '{{result.amount}} is not in the result of balance, which was closed'],
  [
    '{{result.items.2}}',
    { items: [1, 2] },
    '{{result.items.2}} is not in the result of balance, which was {"items":[1,2]}',
  ],
  [
    '{{result.items.length}}',
    { items: [1] },
    '{{result.items.length}} is not in the result of balance, which was {"items":[1]}',
  ],
  ['{{result.toString}}', {}, '{{result.toString}} is not in the result of balance, which was {}'],
  ['{{result.a}}', 'x'.repeat(300), `{{result.a}} is not in the result of balance, which was ${'x'.repeat(200)}…`],
])('what is not in a result, such as %s of %j, is an error that tells the result', (say, value, words) => {
  expect(() => spoken(say, value)).toThrow(new Error(words));
});

test('of several functions in one answer, a rule speaks of the one that it comes after, and looks for words in that one', () => {
  const model = modelOf(
    { after: 'hours', when: 'closed', say: 'never' },
    { after: 'hours', when: 'open', say: 'The shop is {{result}}.' },
  );
  expect(model.answer(results({ door: 'closed', hours: 'open' }))).toMatchObject({ say: 'The shop is open.' });
});

test('a place for a result is refused where there is none, or where it is not written as one', () => {
  const model = [
    { say: 'It is {{result}}.' },
    { after: 'balance', say: 'It is {{result.}}.' },
    { after: 'balance', say: '{{result.a}} and {{results}}' },
    { after: 'balance', say: 'It is {{result.a}}.' },
    { say: 'It is {{amount}}.' },
  ];
  const placed = placeScenario({ name: 'a', model }, '/a.yaml', () => 1);
  if (!Array.isArray(placed)) throw new Error('it is taken');
  expect(placed.map(({ field, message }) => `${field} ${message}`)).toEqual([
    'model[0].say speaks a result, and needs after: the function whose result it is',
    'model[1].say has a place for a result that is not written as {{result}} or {{result.field}}',
    'model[2].say has a place for a result that is not written as {{result}} or {{result.field}}',
  ]);
});
