import { PassThrough } from 'node:stream';
import { traitsOf } from '../../../src/lab/mutate/call-traits.js';
import { MutationReport } from '../../../src/lab/mutate/mutation-report.js';
import type { Mutant, ReachingCall } from '../../../src/lab/mutate/plan-mutants.js';
import { Output } from '../../../src/terminal/output.js';
import { readAll } from '../../terminal/read-all.js';
import { at, storyOf } from '../scenario/stories.js';
import { CLOSED, DIRECTORY, scenarioOf } from '../test/results.js';

const CALL: ReachingCall = {
  scenario: scenarioOf({ name: 'tells when the bakery is open' }),
  wire: 'plivo',
  saysTones: false,
  traits: traitsOf(storyOf()),
};
const mutantOf = (title: string, calls = [CALL]): Mutant => ({
  mutation: { kind: 'keys_shifted' },
  title,
  advice: `advice for: ${title}`,
  calls,
});
const [THROWS, CHANGED, UNUSED] = [mutantOf('hours throws'), mutantOf('hours is changed'), mutantOf('unused', [])];
const UNTRIED = mutantOf('keys are shifted');

function reportOf(json: boolean) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const clock = { ms: 0 };
  const output = new Output({ stdout, stderr, json });
  const report = new MutationReport({ output, directory: DIRECTORY, atOnce: 2, now: () => clock.ms });
  const read = (stream: PassThrough) => readAll(stream);
  return { report, clock, shown: () => read(stderr), events: () => read(stdout).trim().split('\n') };
}

async function told(json: boolean) {
  const { report, clock, shown, events } = reportOf(json);
  await report.begin([THROWS, CHANGED, UNTRIED, UNUSED], [CALL]);
  for (const mutant of [THROWS, CHANGED, UNTRIED]) report.started(mutant);
  report.ended({ mutant: THROWS, is: 'noticed', by: CALL, failure: CLOSED });
  report.ended({ mutant: CHANGED, is: 'unnoticed' });
  report.ended({ mutant: UNTRIED, is: 'not_tried', why: 'bot.ts does not load' });
  report.ended({ mutant: UNUSED, is: 'not_reached' });
  clock.ms = 65_000;
  return { score: report.end(), text: json ? '' : shown(), events: json ? events().map((one) => JSON.parse(one)) : [] };
}

test('people are told how many calls there will be, by which scenario a mutant was noticed, and what to expect for the others', async () => {
  const { text } = await told(false);
  expect(text.split('\n').map((line) => line.trimEnd())).toEqual([
    '',
    'Breaking the bot in 4 ways: at most 3 calls of 30 s together, 2 at once, some 15 s',
    '✓ hours throws  tells when the bakery is open (scenarios/bakery.yaml:12)  heard: at 2.34 s: the caller heard "We are open."',
    '✖ hours is changed  no scenario notices',
    '- keys are shifted  could not be tried: bot.ts does not load',
    '- unused  no scenario goes there',
    '',
    'No scenario notices:',
    '  hours is changed',
    '    expect  advice for: hours is changed',
    '',
    'No scenario goes there:',
    '  unused',
    '    expect  advice for: unused',
    '',
    'Could not be tried:',
    '  keys are shifted',
    '    why     bot.ts does not load',
    '',
    'noticed 1 of 4 (25 %), in 1 min 5 s',
    '',
  ]);
});

test('programs are told the same', async () => {
  const { events, score } = await told(true);
  expect(events).toMatchObject([
    { event: 'mutation_began', mutants: 4, calls: 3, callsMs: 30_000, scenarios: [{ line: 12, wire: 'plivo' }] },
    {
      event: 'mutant',
      title: 'hours throws',
      mutation: { kind: 'keys_shifted' },
      is: 'noticed',
      by: { name: 'tells when the bakery is open', line: 12, wire: 'plivo' },
      failure: { field: 'heard' },
    },
    { event: 'mutant', title: 'hours is changed', is: 'unnoticed', expect: 'advice for: hours is changed' },
    { event: 'mutant', title: 'keys are shifted', is: 'not_tried', why: 'bot.ts does not load' },
    { event: 'mutant', title: 'unused', is: 'not_reached' },
    {
      event: 'mutation_ended',
      mutants: 4,
      planned: 4,
      noticed: 1,
      unnoticed: 1,
      notReached: 1,
      notTried: 1,
      percent: 25,
    },
  ]);
  expect(score.percent).toBe(25);
});

test('people are told where keys are masked, so that none can be ignored', async () => {
  const { report, shown } = reportOf(false);
  const keys = at(10, { type: 'keys', direction: 'in', keys: '•' });
  await report.begin([THROWS], [CALL, { ...CALL, traits: traitsOf(storyOf({ events: [keys] })) }]);
  report.stop();
  expect(shown()).toContain('Keys in one scenario are masked and not known: which of them is ignored, no mutant tries');
});

test('a bot of which nothing can be broken has shown nothing', async () => {
  const { report, shown } = reportOf(false);
  await report.begin([], [CALL]);
  expect(report.end()).toMatchObject({ mutants: 0, percent: 0 });
  expect(shown()).toMatch(/there is nothing to break\n$/);
});

test('where it was stopped, the figure is of those that are known, and it says how many are not', async () => {
  const { report, shown } = reportOf(false);
  await report.begin([THROWS, CHANGED, UNUSED], [CALL]);
  report.ended({ mutant: THROWS, is: 'noticed', by: CALL, failure: CLOSED });
  expect(report.end()).toMatchObject({ mutants: 1, noticed: 1, percent: 100 });
  expect(shown()).toContain('noticed 1 of 1 (100 %) (2 more were not begun), in');
});
