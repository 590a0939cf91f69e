import { latenessOf } from '../../../src/lab/scenario/lateness.js';
import type { ScenarioOptions } from '../../../src/lab/scenario/scenario-options.js';
import { realTimeReason } from '../../../src/lab/test/speed.js';
import { realTimeOf, repeatedFields, repeatedLines, speedWords } from '../../../src/lab/test/speed-text.js';
import { at, storyOf } from '../scenario/stories.js';
import { CLOSED, runOf, scenarioOf } from './results.js';

const reasonOf = (options: Partial<ScenarioOptions>, wire: 'plivo' | 'rooms' = 'plivo') =>
  realTimeReason(scenarioOf({ name: 'x', ...options }), wire);

test('words, keys, functions and transfers need no real time', () => {
  const caller = [{ say: 'hello', during: 'welcome' }, { press: '1' }, { hear: 'bye' }];
  const expected = {
    heard: 'x',
    tools: [],
    keys: '1',
    transfer: 'none',
    end: 'bot_ended',
    nothingTwice: true,
  } as const;
  expect(reasonOf({ caller, limit: '20s', expect: expected })).toBeUndefined();
});

test.each<[string, Partial<ScenarioOptions>]>([
  ['realTime: true', { realTime: true }],
  ['real services', { services: 'real' }],
  ['models that play or judge', { caller: { next: async () => ({ hangUp: true }) } }],
  ['models that play or judge', { expect: { judge: async () => ({ passed: true, because: '' }) } }],
  ['times that must hold', { expect: { firstWordWithin: '1s' } }],
  ['times that must hold', { expect: { answerWithin: { median: '1s' } } }],
  ['times that must hold', { expect: { stopsWithin: '1s' } }],
  ['times that must hold', { expect: { silentAtMost: '1s' } }],
  ['times that must hold', { expect: { endsWithin: '1s' } }],
  ['times that must hold', { caller: [{ say: 'a' }], expect: { cutOffs: 0 } }],
  ['times that must hold', { caller: [{ say: 'a' }], expect: { hole: '1s' } }],
  ['network', { network: { loss: '1%' } }],
  ['faults', { faults: [{ killBot: true, after: '1s' }] }],
])('%s is a reason for real time: %j', (reason, options) => {
  expect(reasonOf(options)).toBe(reason);
});

test('so are rooms', () => {
  expect(reasonOf({}, 'rooms')).toBe('rooms');
});

describe('a call at speed', () => {
  const measures = { firstWordMs: 500, answersMs: [900], silence: { ms: 1_000, atMs: 0 } };

  test('counts where nothing was late', () => {
    const events = [at(1_000, { type: 'audio_gap', ms: 100, frames: 5 })];
    expect(latenessOf(storyOf({ lineLateMs: 150, events }), measures)).toBeUndefined();
    expect(latenessOf(storyOf(), { ...measures, firstWordMs: undefined })).toBeUndefined();
  });

  test('does not count where the line, the speech or the answers of the bot were', () => {
    const gap = at(1_000, { type: 'audio_gap', ms: 800, frames: 40 });
    expect(latenessOf(storyOf({ lineLateMs: 450 }), measures)).toEqual({ of: 'line', ms: 450 });
    expect(latenessOf(storyOf({ events: [gap] }), measures)).toEqual({ of: 'speech', ms: 800 });
    expect(latenessOf(storyOf(), { ...measures, answersMs: [900, 3_100] })).toEqual({ of: 'answer', ms: 3_100 });
    expect(latenessOf(storyOf(), { ...measures, firstWordMs: 4_000 })).toEqual({ of: 'answer', ms: 4_000 });
  });
});

describe('what is told of speed', () => {
  const scenario = scenarioOf({ name: 'x' });
  const plan = [undefined, 'rooms', 'faults', 'rooms'] as const;
  const planned = plan.map((realTime) => ({ scenario, wire: 'plivo' as const, runs: 1, realTime }));

  test('is how many scenarios are in real time, and why', () => {
    expect(realTimeOf(planned)).toEqual({ rooms: 2, faults: 1 });
    expect(speedWords(4, planned)).toBe('4 times as fast; 3 scenarios in real time: rooms 2, faults 1');
    expect(speedWords(2, planned.slice(0, 1))).toBe('2 times as fast');
  });

  test('is what was made again, and what real time has told that speed had not', () => {
    const late = { speed: 4, failures: [CLOSED], late: { of: 'line', ms: 1_230 } } as const;
    const failed = { speed: 4, failures: [CLOSED], late: undefined };
    const runs = [
      { title: 'one', run: runOf({ speed: 4 }) },
      { title: 'two', run: runOf({ atSpeed: late }) },
      { title: 'three', run: runOf({ atSpeed: failed }) },
      { title: 'four', run: runOf({ atSpeed: failed, failures: [CLOSED] }) },
    ];
    expect(repeatedFields(4, runs)).toEqual({ speed: 4, repeated: { late: 1, failed: 2 } });
    expect(repeatedFields(undefined, runs)).toEqual({});
    expect(repeatedLines(runs)).toEqual([
      '',
      '3 calls made again in real time: the machine was late in 1 (audio up to 1.23 s), 2 failed at speed',
      '! three: failed 4 times as fast, and passed in real time',
      '      expected  heard: "closed"',
      '      happened  at 2.34 s: the caller heard "We are open."',
    ]);
    expect(repeatedLines(runs.slice(0, 1))).toEqual([]);
  });
});
