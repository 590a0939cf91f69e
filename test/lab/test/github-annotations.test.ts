import { PassThrough } from 'node:stream';
import { resultOf } from '../../../src/lab/scenario/scenario-result.js';
import {
  type Annotation,
  annotate,
  annotationsOf,
  annotationsOfProblems,
} from '../../../src/lab/test/github-annotations.js';
import { Output } from '../../../src/terminal/output.js';
import { readAll } from '../../terminal/read-all.js';
import { CLOSED, DIRECTORY, runOf, scenarioOf } from './results.js';

const GITHUB = { GITHUB_ACTIONS: 'true' };

function written(annotations: readonly Annotation[], environment: Record<string, string> = GITHUB, json = false) {
  const stdout = new PassThrough();
  const output = new Output({ stdout, stderr: new PassThrough(), json });
  annotate(annotations, output, { environment, directory: DIRECTORY });
  return readAll(stdout).split('\n').filter(Boolean);
}

test('a scenario that failed has one, at its line, with all that did not hold; a reason why some did not run has one', () => {
  const scenario = scenarioOf({ name: 'tells, within 2s: open or not' });
  const failed = runOf({ failures: [{ ...CLOSED, happened: '100% wrong:\r\nno, yes' }] });
  const results = [resultOf(scenario, 'plivo', [failed]), resultOf(scenario, 'twilio', [runOf()])];
  const why = 'no such file';
  const notRun = [
    { scenario, wire: 'telnyx' as const, why },
    { scenario, wire: 'rooms' as const, why },
  ];
  expect(written(annotationsOf({ results, notRun }))).toEqual([
    '::error file=scenarios/bakery.yaml,line=12,title=tells%2C within 2s%3A open or not (plivo)::' +
      'expected  heard: "closed"%0Ahappened  at 2.34 s: 100%25 wrong:%0D%0Ano, yes%0A' +
      'folder    /home/ada/.voicebot/calls/c-1%0Aopen      npx voicebot calls c-1 --open',
    '::error title=Not run%3A 2::no such file',
  ]);
});

test('a problem of a file has one, from the root of the repository', () => {
  const problems = [
    { file: `${DIRECTORY}/a.yaml`, line: 3, field: 'caller[0].press', message: 'must be keys in quotes' },
    { file: '/elsewhere/b.yaml', line: undefined, field: '', message: 'cannot be read' },
  ];
  expect(written(annotationsOfProblems(problems), { ...GITHUB, GITHUB_WORKSPACE: '/home/ada' })).toEqual([
    '::error file=bakery/a.yaml,line=3,title=A scenario is not valid::caller[0].press  must be keys in quotes',
    '::error file=/elsewhere/b.yaml,title=A scenario is not valid::cannot be read',
  ]);
});

test('elsewhere, and in the output for programs, there are none', () => {
  const one = [{ title: 'a', message: 'b' }];
  expect(written(one)).toHaveLength(1);
  expect(written(one, {})).toEqual([]);
  expect(written(one, GITHUB, true)).toEqual([]);
});
