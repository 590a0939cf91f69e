// biome-ignore-all lint/suspicious/noThenProperty: a branch has one, which is a list
import type { ScenarioOptions } from '../../../src/lab/scenario/scenario-options.js';
import { spokenOf, spokenReason, textOnlyWords } from '../../../src/lab/test/text-only.js';
import { scenarioOf } from './results.js';

const reasonOf = (options: Partial<ScenarioOptions>) => spokenReason(scenarioOf({ name: 'x', ...options }));

test('what is said, heard, pressed and called needs no speech, nor does what needs real time by itself', () => {
  const caller = [
    { press: '1', during: 'welcome' },
    { say: 'hello' },
    { either: [{ hear: 'bye', then: [{ press: '2' }] }, { hear: 'no' }] },
  ];
  expect(
    reasonOf({
      caller,
      realTime: true,
      limit: '120s',
      expect: { heard: 'x', contextAsHeard: true, nowhere: '4711' },
    }),
  ).toBeUndefined();
});

test.each<[string, Partial<ScenarioOptions>]>([
  ['words that are talked over', { expect: { stopsWithin: '1s' } }],
  ['words that are talked over', { caller: [{ say: 'a' }], expect: { cutOffs: 0 } }],
  ['words that are talked over', { caller: [{ say: 'a' }], expect: { talkOver: '1s' } }],
  ['words that are talked over', { caller: [{ say: 'a' }], expect: { falseStops: 0 } }],
  ['words that are talked over', { caller: [{ say: 'a' }], expect: { resumes: 0 } }],
  ['words that are talked over', { caller: [{ say: 'a' }], expect: { hole: '1s' } }],
  ['how long speech takes', { expect: { endsWithin: '20s' } }],
  ['how long speech takes', { expect: { silentAtMost: '5s' } }],
  ['how long speech takes', { expect: { firstWordWithin: '5s' } }],
  ['how long speech takes', { expect: { answerWithin: '5s' } }],
  ['how long speech takes', { limit: '20s' }],
  ['how long speech takes', { caller: [{ hear: 'bye', within: '5s' }] }],
  ['how long speech takes', { caller: [{ either: [{ hear: 'a' }, { hear: 'b' }], within: '5s' }] }],
  ['how long speech takes', { caller: [{ repeat: [{ wait: '5s' }, { press: '1' }] }] }],
  ['how long speech takes', { caller: [{ wait: '5s' }, { hangUp: true }] }],
  ['how long speech takes', { caller: [{ wait: '5s' }, { repeat: [{ press: '1' }] }] }],
  ['how long speech takes', { caller: [{ repeat: [{ press: '1' }, { wait: '5s' }] }] }],
  ['how long speech takes', { caller: [{ press: 'w2 1' }] }],
  [
    'how long speech takes',
    { caller: [{ either: [{ hear: 'a', then: [{ wait: '5s' }] }, { hear: 'b' }] }, { press: '1' }] },
  ],
  ['how long speech takes', { caller: [{ say: 'hello', after: '2s' }] }],
  ['how long speech takes', { then: { caller: [{ press: '1', after: '2s' }] } }],
  ['faults', { faults: [{ killBot: true, after: '1s' }] }],
  ['network', { network: { loss: '1%' } }],
  ['real services', { services: 'real' }],
  ['words that are talked over', { caller: [{ repeat: [{ say: 'a', during: 'welcome' }] }] }],
  [
    'words that are talked over',
    { caller: [{ either: [{ hear: 'a', then: [{ say: 'b', talkOver: true }] }, { hear: 'c' }] }] },
  ],
])('%s are a reason for speech: %j', (reason, options) => {
  expect(reasonOf(options)).toBe(reason);
});

test('how many are spoken is told, with why', () => {
  const plan = [{ spoken: undefined }, { spoken: 'sounds' }, { spoken: 'faults' }, { spoken: 'sounds' }] as const;
  expect(spokenOf(plan)).toEqual({ sounds: 2, faults: 1 });
  expect(textOnlyWords(plan)).toBe('wording alone; 3 scenarios are spoken: sounds 2, faults 1');
  expect(textOnlyWords(plan.slice(0, 1))).toBe('wording alone');
});
