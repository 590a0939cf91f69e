import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resultOf, type Wire } from '../../../src/lab/scenario/scenario-result.js';
import { LastResults } from '../../../src/lab/test/last-results.js';
import type { NotRun, TestOutcome } from '../../../src/lab/test/test-outcome.js';
import { CLOSED, runOf, scenarioOf } from './results.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-last-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const scenario = (name: string) => ({ ...scenarioOf({ name }), file: join(home, 'a.yaml') });
const on = (name: string, wire: Wire = 'plivo') => ({ scenario: scenario(name), wire, runs: 1 });
const result = (name: string, hasFailed: boolean, wire: Wire = 'plivo') =>
  resultOf(scenario(name), wire, [runOf({ failures: hasFailed ? [CLOSED] : [] })]);
const outcome = (change: Partial<TestOutcome>): TestOutcome => ({
  results: [],
  notRun: [],
  bailed: [],
  skipped: [],
  ...change,
});
const read = (directory = '/work') => new LastResults(home, directory);
const noRun = (name: string): NotRun => ({ ...on(name), why: 'x' });

test('what failed, or could not be run, is known the next time, by wire and working directory', () => {
  expect(read().isKnown).toBe(false);
  const results = [result('a', true), result('a', false, 'twilio'), result('b', false)];
  read().note(outcome({ results, notRun: [noRun('c')], bailed: [noRun('d')], skipped: [noRun('e')] }), []);
  const last = read();
  expect(last.isKnown).toBe(true);
  expect([on('a'), on('a', 'twilio'), on('b'), on('c'), on('d'), on('e')].map((one) => last.hasFailed(one))).toEqual([
    true,
    false,
    false,
    true,
    false,
    false,
  ]);
  expect(read('/elsewhere').isKnown).toBe(false);
  expect(read('/elsewhere').hasFailed(on('a'))).toBe(false);
});

test('a scenario that was not run keeps what it was, until it is run or is not there any more', () => {
  const file = join(home, 'a.yaml');
  writeFileSync(file, '');
  read().note(outcome({ results: [result('a', true), result('b', true), result('c', true)] }), []);
  read().note(outcome({ results: [result('a', false)] }), [on('a'), on('b')]);
  const last = read();
  expect([on('a'), on('b'), on('c')].map((one) => last.hasFailed(one))).toEqual([false, true, false]);
  rmSync(file);
  read().note(outcome({}), []);
  expect(read().hasFailed(on('b'))).toBe(false);
});

test('only the user can read it, nothing is left beside it, and a file that is damaged is none', () => {
  read().note(outcome({ results: [result('a', true)] }), []);
  const folder = join(home, 'tests');
  const [name = '', ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  for (const damaged of ['{', '{"version":2}', readFileSync(join(folder, name), 'utf8').replace('/work', '/other')]) {
    writeFileSync(join(folder, name), damaged);
    expect(read().isKnown).toBe(false);
  }
});

test('a state directory that cannot be written to is told', () => {
  mkdirSync(join(home, 'blocked'));
  writeFileSync(join(home, 'blocked', 'tests'), 'a file');
  expect(() => new LastResults(join(home, 'blocked'), '/work').note(outcome({}), [])).toThrow();
});
