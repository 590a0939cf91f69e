import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlacedScenario } from '../../../src/lab/scenario/placed-scenario.js';
import { resultOf } from '../../../src/lab/scenario/scenario-result.js';
import { type Choice, chooseScenarios, onlyProblems } from '../../../src/lab/test/choose-scenarios.js';
import { LastResults } from '../../../src/lab/test/last-results.js';
import { NameFilter, parseShard, TagFilter } from '../../../src/lab/test/test-filters.js';
import { CLOSED, DIRECTORY, runOf, scenarioOf } from './results.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-choose-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const HOURS = scenarioOf({ name: 'tells the hours', tags: ['menu'] });
const WRONG = scenarioOf({ name: 'a wrong PIN', tags: ['pin'] });
const SLOW = scenarioOf({ name: 'a second wrong PIN', tags: ['pin', 'slow'], runs: 3 });
const ALL = [HOURS, WRONG, SLOW];

interface Asked {
  name?: string;
  tag?: string;
  failed?: boolean;
  shard?: string;
}

const planned = (scenarios: readonly PlacedScenario[]) =>
  scenarios.map((scenario) => ({ scenario, wire: 'plivo' as const, runs: scenario.runs }));

function choose({ name, tag, failed = false, shard }: Asked, scenarios: readonly PlacedScenario[] = ALL) {
  const choice: Choice = {
    name: name === undefined ? undefined : new NameFilter(name),
    tags: tag === undefined ? undefined : new TagFilter(tag),
    isFailed: failed,
    shard: shard === undefined ? undefined : parseShard(shard),
  };
  const chosen = chooseScenarios(planned(scenarios), choice, new LastResults(home, DIRECTORY), DIRECTORY);
  return { ...chosen, names: chosen.plan.map(({ scenario }) => scenario.name) };
}

test.each<[Asked, string[]]>([
  [{}, ALL.map(({ name }) => name)],
  [{ name: 'wrong' }, [WRONG.name, SLOW.name]],
  [{ name: '/^a|hours/' }, ALL.map(({ name }) => name)],
  [{ tag: 'pin' }, [WRONG.name, SLOW.name]],
  [{ tag: '!slow' }, [HOURS.name, WRONG.name]],
  [{ tag: '!gone' }, ALL.map(({ name }) => name)],
  [{ tag: 'pin,!slow', name: 'pin' }, [WRONG.name]],
])('%j leaves %j', (asked, names) => {
  expect(choose(asked)).toMatchObject({ names, skipped: [], notes: [], lastWords: [] });
});

test.each<[Asked, string]>([
  [
    { name: 'wrnog' },
    'no scenario has "wrnog" in its name; nearest: "a wrong PIN" (scenarios/bakery.yaml:12), ' +
      '"a second wrong PIN" (scenarios/bakery.yaml:12), "tells the hours" (scenarios/bakery.yaml:12)',
  ],
  [{ name: '/wrnog$/' }, 'no scenario has a name that /wrnog$/ fits; nearest: "a wrong PIN" ('],
  [{ tag: 'slwo' }, '--tag slwo: no scenario has the tag slwo: did you mean slow?'],
  [{ tag: 'menu,other' }, 'no scenario has the tag other: there are menu, pin, slow'],
  [{ tag: 'slow,!pin' }, '--tag slow,!pin: none of 3 scenarios has such tags'],
  [
    { tag: 'menu', name: 'pin' },
    'no scenario that --tag menu leaves has "pin" in its name; nearest: "tells the hours"',
  ],
])('%j, which leaves nothing, is refused', (asked, words) => {
  expect(() => choose(asked)).toThrow(words);
});

test('at most five names are shown in place of one that does not exist', () => {
  const many = Array.from({ length: 9 }, (_, at) => scenarioOf({ name: `pin ${at}` }));
  const refused = () => choose({ name: 'pinn' }, many);
  expect(refused).toThrow('"pin 4"');
  expect(refused).not.toThrow('"pin 5"');
});

describe('only', () => {
  const one = scenarioOf({ name: 'at work', only: true, tags: ['menu'] });

  test('keeps the others from running, which is told in the end', () => {
    const { names, lastWords } = choose({}, [...ALL, one]);
    expect(names).toEqual(['at work']);
    expect(lastWords).toEqual(['Only 1 of 4 scenarios ran: those with only: true']);
  });

  test('counts among those that are asked for', () => {
    expect(choose({ tag: 'pin' }, [...ALL, one]).names).toEqual([WRONG.name, SLOW.name]);
    expect(choose({ tag: 'menu' }, [...ALL, one])).toMatchObject({
      names: ['at work'],
      lastWords: ['Only 1 of 2 scenarios ran: those with only: true'],
    });
    expect(choose({}, [one]).lastWords).toEqual([]);
  });

  test('is a problem of its line on a build server', () => {
    expect(onlyProblems([...ALL, one])).toEqual([
      { file: one.file, line: 12, field: 'only', message: expect.stringContaining('CI is set') },
    ]);
    expect(onlyProblems(ALL)).toEqual([]);
  });
});

describe('skip', () => {
  const why = scenarioOf({ name: 'not today', skip: 'no back end' });
  const plain = scenarioOf({ name: 'nor this', skip: true });

  test('keeps a scenario from running, with the reason', () => {
    const { names, skipped } = choose({}, [why, HOURS, plain]);
    expect(names).toEqual([HOURS.name]);
    expect(skipped).toEqual([
      { scenario: why, wire: 'plivo', why: 'no back end' },
      { scenario: plain, wire: 'plivo', why: '' },
    ]);
  });

  test('of all that is asked for leaves nothing to measure, which is refused', () => {
    expect(() => choose({}, [why, plain])).toThrow('nothing is left to run: skip is set in "not today", "nor this"');
    expect(() => choose({ name: 'today' }, [why, HOURS])).toThrow('skip is set in "not today"');
  });
});

describe('failures of the last time', () => {
  const result = (scenario: PlacedScenario, ...failures: (typeof CLOSED)[]) =>
    resultOf(scenario, 'plivo', [runOf({ failures })]);
  const note = (...results: ReturnType<typeof result>[]) =>
    new LastResults(home, DIRECTORY).note({ results, notRun: [], bailed: [], skipped: [] }, planned(ALL));

  test('are all that runs', () => {
    note(result(HOURS, CLOSED), result({ ...SLOW, runs: 1 }), result(WRONG, CLOSED));
    expect(choose({ failed: true })).toMatchObject({ names: [HOURS.name, WRONG.name], notes: [] });
    expect(choose({ failed: true, tag: 'pin' }).names).toEqual([WRONG.name]);
  });

  test('where there were none all run, which is told', () => {
    const names = ALL.map(({ name }) => name);
    expect(choose({ failed: true })).toMatchObject({ names, notes: ['there was no last time: all are run'] });
    note(result(HOURS));
    expect(choose({ failed: true })).toMatchObject({ names, notes: ['nothing failed last time: all are run'] });
    expect(choose({ failed: true, name: 'hours' })).toMatchObject({
      names: [HOURS.name],
      notes: ['none of those that hours fits failed last time: all are run'],
    });
  });
});

describe('shards', () => {
  const many = Array.from({ length: 23 }, (_, at) => scenarioOf({ name: `s${at}`, runs: (at % 4) + 1 }));
  const shardsOf = (count: number, scenarios: readonly PlacedScenario[]) =>
    Array.from({ length: count }, (_, at) => choose({ shard: `${at + 1}/${count}` }, scenarios));

  test.each([1, 2, 3, 5, 23])('%i together run each scenario once, the same each time', (count) => {
    const shards = shardsOf(count, many);
    expect(shards.flatMap(({ names }) => names).sort()).toEqual(many.map(({ name }) => name).sort());
    expect(shards.map(({ names }) => names)).toEqual(shardsOf(count, many).map(({ names }) => names));
    for (const { names, lastWords } of shards) {
      expect(names.length).toBeGreaterThan(0);
      expect(lastWords).toEqual([]);
    }
  });

  test('have about as many calls each', () => {
    const calls = shardsOf(5, many).map(({ plan }) => plan.reduce((sum, { runs }) => sum + runs, 0));
    expect(Math.max(...calls) - Math.min(...calls)).toBeLessThanOrEqual(4);
  });

  test('are empty only where there are more of them than scenarios, which is told; what is skipped is told by one of them', () => {
    const left = scenarioOf({ name: 'left', skip: true });
    const shards = shardsOf(5, [...ALL, left]);
    expect(shards.map(({ names }) => names.length)).toEqual([1, 1, 1, 0, 0]);
    expect(shards.map(({ skipped }) => skipped.length)).toEqual([1, 0, 0, 0, 0]);
    expect(shards[4]?.lastWords).toEqual(['Shard 5 of 5 is empty: there are fewer scenarios (3) than shards']);
  });
});
