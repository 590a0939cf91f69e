import { clearLine, cursorTo, moveCursor } from 'node:readline';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { resultOf } from '../../../src/lab/scenario/scenario-result.js';
import { TestReport } from '../../../src/lab/test/test-report.js';
import { Output, type OutputOptions } from '../../../src/terminal/output.js';
import { readAll } from '../../terminal/read-all.js';
import { CLOSED, DIRECTORY, runOf, scenarioOf } from './results.js';

let report: TestReport;
afterEach(() => report.stop());

function reportOf(options: Partial<OutputOptions> = {}) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const clock = { ms: 0 };
  const output = new Output({ stdout, stderr, ...options });
  report = new TestReport({ output, directory: DIRECTORY, now: () => clock.ms });
  const shown = () => readAll(stderr);
  const events = () =>
    readAll(stdout)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { report, clock, shown, events };
}

/** A stream that is a terminal, and all that was ever written to it. */
function terminalOf(columns: number, rows: number) {
  const stream = new PassThrough();
  const written: string[] = [];
  stream.on('data', (chunk) => written.push(String(chunk)));
  const terminal = Object.assign(stream, {
    isTTY: true,
    columns,
    rows,
    cursorTo: (x: number) => cursorTo(stream, x),
    moveCursor: (x: number, y: number) => moveCursor(stream, x, y),
    clearLine: (direction: -1 | 0 | 1) => clearLine(stream, direction),
  });
  return { terminal, text: () => stripVTControlCharacters(written.join('')), forget: () => written.splice(0) };
}

const OPEN = scenarioOf({ name: 'tells when the bakery is open' });
const MOVED = scenarioOf({ name: 'transfers to the operator', carrier: 'all' });
const LOUD = scenarioOf({ name: 'understands a bad line', runs: 3 }, 'line.yaml');

describe('where lines cannot be written again', () => {
  test('each scenario is a line when it is over, with the wire where it runs on several, and below it what failed', async () => {
    const { report, shown } = reportOf();
    await report.begin([
      { scenario: OPEN, wire: 'plivo', runs: 1 },
      { scenario: MOVED, wire: 'plivo', runs: 1 },
      { scenario: MOVED, wire: 'twilio', runs: 1 },
    ]);
    report.started(OPEN, 'plivo', 1);
    report.ran(OPEN, 'plivo', runOf());
    report.finished(resultOf(OPEN, 'plivo', [runOf()]));
    const failed = runOf({
      lines: ['0.2 s  bot: We are open.', '2.0 s  you press 1, which the bot did not receive'],
      failures: [CLOSED, { field: 'end', expected: 'bot_ended', happened: 'the call ended: bot_crashed' }],
    });
    report.ran(MOVED, 'twilio', failed);
    report.finished(resultOf(MOVED, 'twilio', [failed]));
    report.notRun(MOVED, 'plivo', 'The bot file could not be loaded: no such file');
    report.end({ wallMs: 9_500 });
    expect(shown().split('\n')).toEqual([
      'Testing 3 scenarios of 1 file',
      '✓ scenarios/bakery.yaml  tells when the bakery is open  8.0 s  answers in 0.40 s',
      '✖ scenarios/bakery.yaml  transfers to the operator (twilio)  8.0 s  answers in 0.40 s',
      '      expected  heard: "closed"',
      '      happened  at 2.34 s: the caller heard "We are open."',
      '      expected  end: bot_ended',
      '      happened  the call ended: bot_crashed',
      '      call      0.2 s  bot: We are open.',
      '                2.0 s  you press 1, which the bot did not receive',
      '      folder    /home/ada/.voicebot/calls/c-1',
      '      open      npx voicebot calls c-1 --open',
      '      scenario  scenarios/bakery.yaml:12',
      '- scenarios/bakery.yaml  transfers to the operator (plivo)  not run',
      '',
      '! 1 scenario not run: The bot file could not be loaded: no such file',
      '',
      '✖ transfers to the operator (twilio)  scenarios/bakery.yaml:12',
      '',
      '1 passed, 1 failed, 1 not run: 2 calls of 16 s together, in 9.5 s',
      '',
    ]);
  });

  test('an expectation that several runs missed is told once, with the run and the others', async () => {
    const { report, shown } = reportOf();
    await report.begin([{ scenario: LOUD, wire: 'plivo', runs: 3 }]);
    const runs = [
      runOf(),
      runOf({ no: 2, callId: 'c-2', folder: undefined, failures: [CLOSED] }),
      runOf({ no: 3, callId: undefined, folder: undefined, failures: [{ ...CLOSED, atMs: 9 }] }),
    ];
    for (const run of runs) report.ran(LOUD, 'plivo', run);
    report.finished(resultOf(LOUD, 'plivo', runs));
    report.end({ wallMs: 65_000 });
    expect(shown().split('\n')).toEqual([
      'Testing 1 scenario of 1 file, 3 calls',
      '✖ scenarios/line.yaml  understands a bad line  1 of 3 passed  24 s  answers in 0.40 s',
      '      expected  passRate: 100%',
      '      happened  1 of 3 runs passed (33%)',
      '      in run 2 of 3',
      '      expected  heard: "closed"',
      '      happened  at 2.34 s: the caller heard "We are open." (missed in run 3 too)',
      '      open      npx voicebot calls c-2 --open',
      '      scenario  scenarios/line.yaml:12',
      '',
      '1 failed: 3 calls of 24 s together, in 1 min 5 s',
      '',
    ]);
  });
});

test('a command before the call that failed is not said to be the doing of the bot', async () => {
  const failures = [
    {
      kind: 'before_failed',
      field: 'before',
      expected: 'that the command succeeds: seed',
      happened: 'it ended with code 3',
    },
  ] as const;
  for (const json of [false, true]) {
    const { report, shown, events } = reportOf({ json });
    await report.begin([OPEN, LOUD].map((scenario) => ({ scenario, wire: 'plivo' as const, runs: 1 })));
    for (const scenario of [OPEN, LOUD]) {
      report.ran(scenario, 'plivo', runOf({ failures }));
      report.finished(resultOf(scenario, 'plivo', [runOf({ failures })]));
    }
    report.end({ wallMs: 9_500 });
    if (json)
      expect(events().filter(({ event }) => event === 'scenario')).toMatchObject(
        Array(2).fill({ kind: 'before_failed' }),
      );
    else expect(shown()).toContain(`✖ ${OPEN.name}: the command before the call failed  scenarios/bakery.yaml:12\n`);
  }
});

test('a bot that broke is told by what it said last, and counted', async () => {
  const { report, shown } = reportOf();
  await report.begin([OPEN, LOUD].map((scenario) => ({ scenario, wire: 'plivo' as const, runs: 1 })));
  const broken = {
    kind: 'broke',
    field: 'bot',
    expected: 'that no bot fails',
    happened: 'Error: lost',
    atMs: 900,
  } as const;
  for (const [scenario, failures] of [
    [OPEN, [broken, CLOSED]],
    [LOUD, [CLOSED]],
  ] as const) {
    report.ran(scenario, 'plivo', runOf({ failures }));
    report.finished(resultOf(scenario, 'plivo', [runOf({ failures })]));
  }
  report.end({ wallMs: 9_500 });
  const text = shown();
  expect(text).toContain('      broke     at 0.90 s: Error: lost\n      expected  heard: "closed"\n');
  expect(text).toContain(
    `✖ ${OPEN.name}: the bot broke  scenarios/bakery.yaml:12\n✖ ${LOUD.name}  scenarios/line.yaml:12\n`,
  );
  expect(text).toContain('2 failed (1 because the bot broke): ');
});

test('a reason why nothing ran is told once, for all scenarios that have it', async () => {
  const { report, shown } = reportOf();
  const plan = [OPEN, LOUD].map((scenario) => ({ scenario, wire: 'plivo' as const, runs: 1 }));
  await report.begin(plan);
  for (const { scenario, wire } of plan) report.notRun(scenario, wire, 'The bot file could not be loaded');
  report.end({ wallMs: 100 });
  expect(shown()).toContain('\n! 2 scenarios not run: The bot file could not be loaded\n');
  expect(shown()).not.toContain('loaded');
});

test('for programs: an event for the plan, each run, each scenario and the end', async () => {
  const { report, shown, events } = reportOf({ json: true });
  await report.begin([
    { scenario: LOUD, wire: 'plivo', runs: 1 },
    { scenario: OPEN, wire: 'rooms', runs: 1 },
  ]);
  const run = runOf({ failures: [CLOSED] });
  report.started(LOUD, 'plivo', 1);
  report.ran(LOUD, 'plivo', run);
  report.finished(resultOf(LOUD, 'plivo', [run]));
  report.notRun(OPEN, 'rooms', 'no bot');
  report.end({ wallMs: 9_500 });
  const loud = { name: LOUD.name, file: LOUD.file, line: 12, wire: 'plivo' };
  const open = { name: OPEN.name, file: OPEN.file, line: 12, wire: 'rooms' };
  const told = events().map(({ version: _, time: __, ...event }) => event);
  expect(told).toEqual([
    {
      event: 'test_began',
      calls: 2,
      scenarios: [
        { ...loud, runs: 1 },
        { ...open, runs: 1 },
      ],
    },
    {
      event: 'scenario_ran',
      ...loud,
      run: 1,
      callId: 'c-1',
      folder: run.folder,
      startedAt: '2026-01-02T03:04:05.000Z',
      lengthMs: 8_000,
      measures: run.measures,
      lines: [],
      failures: [{ ...CLOSED, kind: 'answered_wrongly' }],
      kind: 'answered_wrongly',
      passed: false,
    },
    {
      event: 'scenario',
      ...loud,
      runs: 1,
      passedRuns: 0,
      lengthMs: 8_000,
      answers: { medianMs: 400, worstMs: 400 },
      failures: [],
      kind: 'answered_wrongly',
      passed: false,
    },
    { event: 'scenario_not_run', ...open, kind: 'never_started', reason: 'no bot' },
    { event: 'test_ended', passed: 0, failed: 1, notRun: 1, skipped: 0, calls: 1, callsMs: 8_000, wallMs: 9_500 },
  ]);
  expect(shown()).toBe('');
});

test('what is skipped is told with why, beside what runs and before it', async () => {
  const { report, shown, events } = reportOf();
  await report.begin(
    [{ scenario: OPEN, wire: 'plivo', runs: 1 }],
    [
      { scenario: MOVED, wire: 'plivo', why: 'no operator' },
      { scenario: LOUD, wire: 'plivo', why: '' },
    ],
  );
  report.ran(OPEN, 'plivo', runOf());
  report.finished(resultOf(OPEN, 'plivo', [runOf()]));
  report.end({ wallMs: 9_500 });
  expect(shown().split('\n')).toEqual([
    'Testing 1 scenario of 1 file',
    '- scenarios/bakery.yaml  transfers to the operator  skipped  no operator',
    '- scenarios/line.yaml  understands a bad line  skipped',
    '✓ scenarios/bakery.yaml  tells when the bakery is open  8.0 s  answers in 0.40 s',
    '',
    '1 passed, 2 skipped: 1 call of 8.0 s together, in 9.5 s',
    '',
  ]);
  expect(events()).toEqual([]);
  const json = reportOf({ json: true });
  await json.report.begin([], [{ scenario: MOVED, wire: 'rooms', why: 'no operator' }]);
  json.report.notRun(OPEN, 'plivo', 'enough', 'bailed');
  json.report.end({ wallMs: 0 });
  expect(json.events()).toMatchObject([
    { event: 'test_began', scenarios: [], calls: 0 },
    { event: 'scenario_skipped', name: MOVED.name, wire: 'rooms', reason: 'no operator' },
    { event: 'scenario_not_run', kind: 'bailed', reason: 'enough' },
    { event: 'test_ended', skipped: 1 },
  ]);
});

describe('on a terminal', () => {
  test('a tree shows what waits, runs and is over; a file is written above it when all of it is over', async () => {
    const { terminal, text, forget } = terminalOf(80, 24);
    const { report, clock } = reportOf({ stderr: terminal, canRewriteLines: true });
    await report.begin([
      { scenario: OPEN, wire: 'plivo', runs: 1 },
      { scenario: MOVED, wire: 'plivo', runs: 1 },
      { scenario: LOUD, wire: 'plivo', runs: 3 },
    ]);
    report.ran(OPEN, 'plivo', runOf());
    report.finished(resultOf(OPEN, 'plivo', [runOf()]));
    report.ran(LOUD, 'plivo', runOf({ failures: [CLOSED] }));
    report.started(LOUD, 'plivo', 2);
    clock.ms = 1_500;
    forget();
    report.notRun(MOVED, 'plivo', 'no bot');
    const [file, tree] = text().split('- transfers to the operator');
    expect(file).toContain('scenarios/bakery.yaml');
    expect(file).toContain('  ✓ tells when the bakery is open  8.0 s    answers in 0.40 s');
    expect(tree).toContain('scenarios/line.yaml');
    expect(tree).toContain('  ▸ understands a bad line  1/3, 1 failed  1.5 s');
    expect(tree).toContain('1 passed, 1 not run, 1 running');
    report.stop();
    forget();
    report.stop();
    expect(text()).toBe('');
  });

  test('where the tree is higher than the terminal only what is running is in it', async () => {
    const { terminal, text } = terminalOf(30, 10);
    const { report } = reportOf({ stderr: terminal, canRewriteLines: true });
    const plan = Array.from({ length: 40 }, (_, at) =>
      scenarioOf({ name: `scenario ${at + 1}, one of more than fit` }),
    );
    const begun = report.begin(plan.map((scenario) => ({ scenario, wire: 'plivo', runs: 1 })));
    for (const scenario of plan.slice(0, 2)) report.started(scenario, 'plivo', 1);
    await begun;
    expect(text()).toContain(
      ['scenarios/bakery.yaml', '  ▸ scenario 1, one of more t…', '  ▸ scenario 2, one of more t…', '', ''].join('\n'),
    );
    expect(text()).toContain('2 running, 38 waiting');
    expect(text()).not.toContain('scenario 3');
  });

  test('more calls at once than there are rows: as many as fit', async () => {
    const { terminal, text } = terminalOf(80, 6);
    const { report } = reportOf({ stderr: terminal, canRewriteLines: true });
    const plan = Array.from({ length: 9 }, (_, at) => scenarioOf({ name: `scenario ${at + 1}` }));
    const begun = report.begin(plan.map((scenario) => ({ scenario, wire: 'plivo', runs: 1 })));
    for (const scenario of plan) report.started(scenario, 'plivo', 1);
    await begun;
    expect(text()).toContain('scenario 2');
    expect(text()).not.toContain('scenario 3');
    expect(text()).toContain('9 running');
  });
});
