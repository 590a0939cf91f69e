import type { Failure } from '../../../src/lab/scenario/call-story.js';
import { testScenarios } from '../../e2e/tested-scenarios.js';

/** What each scenario notices its fault by. */
const NOTICED: Readonly<Record<string, readonly string[]>> = {
  lying_transfer: ['heard', 'notHeard'],
  late_first_word: ['firstWordWithin'],
  lost_key: ['heard'],
  said_twice: ['nothingTwice'],
  unheard_words: ['contextAsHeard'],
  unanswered_voicemail: ['heard', 'end'],
  wrong_day: ['tools', 'heard'],
  goodbye_cut_off: ['heard'],
  silence_after_crash: ['silentAtMost'],
  loop: ['limit', 'end'],
  barge_in_ignored: ['stopsWithin'],
  answers_too_early: ['cutOffs'],
  stops_for_listeners: ['falseStops'],
  slow_calendar: ['hole'],
  number_read_wrongly: ['heard'],
};

const FILES = ['test/lab/test/planted'];
const AT_ONCE = ['--at-once', '2']; // more would make a slow machine's answers late, which is a fault by itself

test('no scenario raises a false alarm on the mended bot', async () => {
  const outcome = await testScenarios(FILES, AT_ONCE);
  expect(outcome).toEqual({ exitCode: 0, passed: Object.keys(NOTICED).length, notRun: 0, failed: [] });
}, 300_000);

test('each scenario catches the fault that is planted, by what it is about and nothing else', async () => {
  const { failed, ...outcome } = await testScenarios(FILES, AT_ONCE, { FAULT: 'planted' });
  const fieldsOf = (failures: readonly Failure[]) => failures.map(({ field }) => field);
  const noticed = Object.fromEntries(failed.map(([name, , failures]) => [name, fieldsOf(failures)]));
  expect({ noticed, ...outcome }).toEqual({ noticed: NOTICED, exitCode: 1, passed: 0, notRun: 0 });
}, 300_000);
