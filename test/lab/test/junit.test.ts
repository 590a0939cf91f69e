import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resultOf } from '../../../src/lab/scenario/scenario-result.js';
import { junitPath, junitXml, writeJunit } from '../../../src/lab/test/junit.js';
import { reportedTest } from '../../../src/lab/test/reported-outcome.js';
import { parseXml, type XmlElement } from '../../../src/sandbox/carrier/xml.js';
import { CLOSED, DIRECTORY, runOf, scenarioOf } from './results.js';

const OPEN = scenarioOf({ name: 'tells when the bakery is open' });
const MOVED = scenarioOf({ name: 'transfers <to> "Ada" & Bob &amp; co', carrier: 'all' });
const LEFT = scenarioOf({ name: 'is left out' }, 'left.yaml');
const ELSEWHERE = { ...OPEN, name: 'elsewhere', file: '/srv/elsewhere.scenario.ts', line: undefined };

const outcome = () => ({
  results: [
    resultOf(OPEN, 'plivo', [runOf(), runOf({ no: 2, folder: '/calls/b', lengthMs: 1_500 })]),
    resultOf(MOVED, 'twilio', [
      runOf({
        failures: [
          { ...CLOSED, happened: 'heard "a < b" &amp; \u0000]]>' },
          { ...CLOSED, field: 'end' },
        ],
      }),
    ]),
    resultOf(ELSEWHERE, 'rooms', [runOf({ folder: undefined })]),
  ],
  notRun: [{ scenario: MOVED, wire: 'plivo' as const, why: 'The bot file could not be loaded' }],
  bailed: [{ scenario: LEFT, wire: 'plivo' as const, why: '--bail 1: 1 scenario has failed' }],
  skipped: [
    { scenario: LEFT, wire: 'rooms' as const, why: 'no "back end"' },
    { scenario: LEFT, wire: 'twilio' as const, why: '' },
  ],
});

/** Attributes by name; under the name of each element in it the same, or its text. */
const shown = ({ attributes, children, text }: XmlElement): object => ({
  ...Object.fromEntries(attributes),
  ...(children.length === 0 ? { text } : { children: children.map((one) => ({ element: one.name, ...shown(one) })) }),
});

test('has a suite for each file, and in it a case for each scenario and wire', () => {
  const properties = (values: Record<string, string | readonly string[]>) => ({
    element: 'properties',
    children: Object.entries(values).flatMap(([name, value]) =>
      [value].flat().map((one) => ({ element: 'property', name, value: one, text: '' })),
    ),
  });
  const where = { element: 'testcase', classname: 'scenarios.bakery', file: 'scenarios/bakery.yaml', line: '12' };
  expect(shown(parseXml(junitXml(outcome(), DIRECTORY)))).toEqual({
    name: 'voicebot test',
    tests: '7',
    failures: '1',
    errors: '1',
    skipped: '3',
    time: '25.500',
    children: [
      {
        element: 'testsuite',
        name: 'scenarios/bakery.yaml',
        file: 'scenarios/bakery.yaml',
        tests: '3',
        failures: '1',
        errors: '1',
        skipped: '0',
        time: '17.500',
        timestamp: '2026-01-02T03:04:05.000Z',
        children: [
          {
            ...where,
            name: 'tells when the bakery is open',
            time: '9.500',
            children: [
              properties({
                wire: 'plivo',
                runs: '2',
                passedRuns: '2',
                lengthMs: '9500',
                answersMedianMs: '400',
                answersWorstMs: '400',
                folder: ['/home/ada/.voicebot/calls/c-1', '/calls/b'],
              }),
              { element: 'system-out', text: '/home/ada/.voicebot/calls/c-1\n/calls/b' },
            ],
          },
          {
            ...where,
            name: 'transfers <to> "Ada" & Bob &amp; co (twilio)',
            time: '8.000',
            children: [
              properties({
                wire: 'twilio',
                runs: '1',
                passedRuns: '0',
                lengthMs: '8000',
                answersMedianMs: '400',
                answersWorstMs: '400',
                kind: 'answered_wrongly',
                folder: '/home/ada/.voicebot/calls/c-1',
              }),
              {
                element: 'failure',
                type: 'heard',
                message: 'heard: "closed"; at 2.34 s: heard "a < b" &amp; ]]>',
                text: expect.stringContaining(
                  '\nhappened  at 2.34 s: heard "a < b" &amp; ]]>\nexpected  end: "closed"\n',
                ),
              },
              { element: 'system-out', text: '/home/ada/.voicebot/calls/c-1' },
            ],
          },
          {
            ...where,
            name: 'transfers <to> "Ada" & Bob &amp; co (plivo)',
            time: '0.000',
            children: [
              {
                element: 'error',
                type: 'not_run',
                message: 'The bot file could not be loaded',
                text: 'The bot file could not be loaded',
              },
            ],
          },
        ],
      },
      expect.objectContaining({ name: '/srv/elsewhere.scenario.ts', skipped: '0' }),
      expect.objectContaining({ name: 'scenarios/left.yaml', tests: '3', errors: '0', skipped: '3' }),
    ],
  });
});

test('one that has passed, though its bot broke in a run of several, is no error', () => {
  const broke = { kind: 'broke' as const, field: 'bot', expected: 'that no bot fails', happened: 'it ended' };
  const scenario = scenarioOf({ name: 'now and then', runs: 2, passRate: '50%' });
  const result = resultOf(scenario, 'plivo', [runOf(), runOf({ no: 2, failures: [broke] })]);
  const all = { results: [result], notRun: [], bailed: [], skipped: [] };
  expect(parseXml(junitXml(all, DIRECTORY)).attributes.get('errors')).toBe('0');
  const { scenarios } = reportedTest(
    {
      ...all,
      bailed: [{ scenario, wire: 'telnyx', why: '--bail 1' }],
      skipped: [{ scenario, wire: 'rooms', why: '' }],
    },
    0,
    DIRECTORY,
  );
  expect(scenarios.map(({ wire, outcome, kind }) => [wire, outcome, kind])).toEqual([
    ['plivo', 'passed', undefined],
    ['telnyx', 'not_run', undefined],
    ['rooms', 'skipped', undefined],
  ]);
});

test('one whose command before the call failed is an error that says so', () => {
  const failed = { kind: 'before_failed' as const, field: 'before', expected: 'that it succeeds', happened: 'code 3' };
  const result = resultOf(scenarioOf({ name: 'seeds' }), 'plivo', [runOf({ failures: [failed] })]);
  const xml = junitXml({ results: [result], notRun: [], bailed: [], skipped: [] }, DIRECTORY);
  expect(xml).toContain('<error type="before_failed" message="before: that it succeeds; code 3">');
});

test('one that was not run is skipped, with the reason where there is one', () => {
  const [, , left] = parseXml(junitXml(outcome(), DIRECTORY)).children;
  expect(left?.children.map((one) => [one.attributes.get('name'), one.children.map(shown)])).toEqual([
    ['is left out (plivo)', [{ message: '--bail 1: 1 scenario has failed', text: '' }]],
    ['is left out (rooms)', [{ message: 'no "back end"', text: '' }]],
    ['is left out (twilio)', [{ text: '' }]],
  ]);
});

test('a case of a file outside of the working directory is named by the name of the file', () => {
  expect(shown(parseXml(junitXml(outcome(), DIRECTORY)))).toMatchObject({
    children: expect.arrayContaining([
      expect.objectContaining({
        name: '/srv/elsewhere.scenario.ts',
        children: [
          {
            element: 'testcase',
            name: 'elsewhere',
            classname: 'elsewhere.scenario',
            file: '/srv/elsewhere.scenario.ts',
            time: '8.000',
            children: [expect.objectContaining({ element: 'properties' })],
          },
        ],
      }),
    ]),
  });
});

test('tells all that failed in every run, and what the bots have written', () => {
  const output = (line: string, at: number) => ({ type: 'output', line, at, source: 'runner' }) as const;
  const runs = [
    runOf({ failures: [CLOSED], events: [output('<warn> & "more"', 1)] }),
    runOf({ no: 2, events: [output('quiet', 2)] }),
    runOf({ no: 3, failures: [CLOSED, { field: 'end', expected: 'bot_ended', happened: 'caller_hung_up' }] }),
  ];
  const [suite] = parseXml(
    junitXml({ results: [resultOf(OPEN, 'plivo', runs)], notRun: [], bailed: [], skipped: [] }, DIRECTORY),
  ).children;
  const [one] = suite?.children ?? [];
  const textOf = (name: string) => one?.children.find((child) => child.name === name)?.text;
  const body = textOf('failure') ?? '';
  expect(body.match(/^in run \d of 3$/gm)).toEqual(['in run 1 of 3', 'in run 3 of 3']);
  expect(body.match(/^expected {2}heard: "closed"$/gm)).toHaveLength(2);
  expect(body).toContain('expected  end: bot_ended');
  expect(textOf('system-err')).toBe('run 1:\n<warn> & "more"\nrun 2:\nquiet');
});

test('is written in place of the file of an earlier test, in a folder that is there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-junit-'));
  try {
    writeFileSync(join(folder, 'junit.xml'), 'old');
    const path = junitPath(folder)('junit.xml');
    writeJunit(path, outcome(), DIRECTORY);
    expect(readFileSync(path, 'utf8')).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?><testsuites /);
    expect(() => junitPath(folder)('reports/junit.xml')).toThrow(`there is no folder ${join(folder, 'reports')}`);
    expect(() => junitPath(folder)('.')).toThrow('must be a file');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
