import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GENERATOR, reportFolder } from '../../../src/lab/report/report-folder.js';
import { addResult, commitOf, readResults, resultLine } from '../../../src/lab/report/results-file.js';
import { writeReport } from '../../../src/lab/report/write-report.js';
import { reportedRun, reportedScenario, testOf } from './reports.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'voicebot-report-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('each test adds a line, whatever an earlier one has left, and only the last ones are read', () => {
  const path = join(folder, 'results.jsonl');
  const failed = reportedRun({ no: 2, failures: [{ expected: 'a', happened: 'b' }] });
  const first = testOf(
    reportedScenario({ runs: [reportedRun(), failed] }),
    reportedScenario({ name: 'x', outcome: 'not_run', runs: [], answers: undefined }),
  );
  addResult(path, resultLine(first, { commit: 'abc', coverage: 71 }));
  appendFileSync(path, '{"version":2}\n{"version":1,"at":"cut o');
  addResult(path, resultLine(testOf()));
  expect(readResults(path, 30)).toEqual([
    {
      version: 1,
      at: '2026-01-02T03:04:00.000Z',
      commit: 'abc',
      passed: 1,
      failed: 0,
      notRun: 1,
      skipped: 0,
      callsMs: 16_000,
      coverage: 71,
      scenarios: [
        {
          name: 'tells when the bakery is open',
          file: 'scenarios/bakery.yaml',
          wire: 'plivo',
          outcome: 'passed',
          runs: 2,
          passedRuns: 1,
          answers: { medianMs: 400, worstMs: 900 },
        },
        { name: 'x', file: 'scenarios/bakery.yaml', wire: 'plivo', outcome: 'not_run', runs: 0, passedRuns: 0 },
      ],
    },
    expect.objectContaining({ scenarios: [], callsMs: 0 }),
  ]);
  expect(readResults(path, 1)).toHaveLength(1);
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(5);
  expect(readResults(join(folder, 'gone.jsonl'), 30)).toEqual([]);
});

test('a folder without a commit has none', async () => {
  expect(await commitOf(folder)).toBeUndefined();
  expect(await commitOf(join(folder, 'gone'))).toBeUndefined();
});

test('takes a folder that is not there, is empty, or is that of an earlier test', () => {
  const check = reportFolder(folder);
  expect(check('out/deep')).toBe(join(folder, 'out/deep'));
  expect(check('.')).toBe(folder);
  mkdirSync(join(folder, 'calls'));
  for (const name of ['junit.xml', 'results.jsonl', '.gitignore']) writeFileSync(join(folder, name), '');
  writeFileSync(join(folder, 'index.html'), `<html>${GENERATOR}`);
  expect(check('.')).toBe(folder);
});

test('takes a folder that a test was killed in while it wrote there', async () => {
  const check = reportFolder(folder);
  const out = join(folder, 'out');
  mkdirSync(out);
  writeFileSync(join(out, 'index.html'), '');
  expect(check('out')).toBe(out);
  const run = {
    ...reportedRun(),
    get folder(): never {
      throw new Error('killed'); // before the page of the first call
    },
  };
  const test = testOf(reportedScenario({ runs: [run] }));
  await expect(writeReport(test, { folder: out, directory: folder, junit: '' })).rejects.toThrow('killed');
  expect(existsSync(join(out, 'calls'))).toBe(true);
  expect(check('out')).toBe(out);
});

test('refuses a file, a folder that holds other things, and one with the page of somebody else', () => {
  const check = reportFolder(folder);
  writeFileSync(join(folder, 'index.html'), '<html>');
  expect(() => check('index.html')).toThrow('must be a folder');
  expect(() => check('.')).toThrow('holds other things (index.html): name an empty folder');
  rmSync(join(folder, 'index.html'));
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(folder, name), '');
  expect(() => check('.')).toThrow('holds other things (a, b, c and 1 more)');
});
