import type { Failure } from '../../../src/lab/scenario/call-story.js';
import type { ScenarioOptions } from '../../../src/lab/scenario/scenario-options.js';
import { resultOf } from '../../../src/lab/scenario/scenario-result.js';
import { CLOSED, runOf, scenarioOf } from '../test/results.js';

const result = (options: Partial<ScenarioOptions>, ...runs: Array<{ answersMs?: number[]; failures?: Failure[] }>) =>
  resultOf(
    scenarioOf({ name: 'a', ...options }),
    'plivo',
    runs.map(({ answersMs = [], failures = [] }, at) =>
      runOf({ no: at + 1, failures, measures: { firstWordMs: 0, answersMs, silence: { ms: 0, atMs: 0 } } }),
    ),
  );
const failed = { failures: [CLOSED] };

describe('the share of the runs that must pass', () => {
  test('is all of them when nothing is said', () => {
    expect(result({}, {}, {})).toMatchObject({ passed: true, failures: [] });
    expect(result({}, {}, failed)).toMatchObject({
      passed: false,
      failures: [{ field: 'passRate', expected: '100%', happened: '1 of 2 runs passed (50%)' }],
    });
  });

  test('or what the scenario wants', () => {
    expect(result({ passRate: '50%' }, {}, failed).passed).toBe(true);
    expect(result({ passRate: '51%' }, {}, failed).passed).toBe(false);
    expect(result({ passRate: '0%' }, failed).passed).toBe(true);
  });

  test('says nothing beside the failures of runs of which none passed', () => {
    expect(result({}, failed)).toMatchObject({ passed: false, failures: [] });
    expect(result({})).toMatchObject({ passed: false, failures: [] });
  });
});

describe('how long the caller waited for an answer', () => {
  const runs = [{ answersMs: [900, 100] }, { answersMs: [300] }, { answersMs: [2_000] }];

  test('is measured over all runs', () => {
    expect(result({}, ...runs).answers).toEqual({ medianMs: 300, worstMs: 2_000 });
    expect(result({}, {}).answers).toBeUndefined();
  });

  test('is within what is expected', () => {
    expect(result({ expect: { answerWithin: '2s' } }, ...runs).passed).toBe(true);
    expect(result({ expect: { answerWithin: { median: '300ms' } } }, ...runs).passed).toBe(true);
  });

  test('is too long', () => {
    expect(result({ expect: { answerWithin: { median: '200ms', worst: '1s' } } }, ...runs)).toMatchObject({
      passed: false,
      failures: [
        { field: 'answerWithin', expected: 'median 0.20 s', happened: 'median 0.30 s' },
        { field: 'answerWithin', expected: 'worst 1.00 s', happened: 'worst 2.00 s' },
      ],
    });
  });

  test('cannot be measured: nothing was answered', () => {
    expect(result({ expect: { answerWithin: '2s' } }, {})).toMatchObject({
      passed: false,
      failures: [{ expected: 'an answer', happened: 'the bot answered nothing that the caller said' }],
    });
  });
});
