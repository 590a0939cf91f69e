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
  wrong_day: ['heard', 'tools'],
  goodbye_cut_off: ['heard'],
  silence_after_crash: ['silentAtMost'],
  loop: ['limit', 'end'],
  barge_in_ignored: ['stopsWithin'],
  number_read_wrongly: ['heard'],
};

test('each scenario catches the fault that is planted, by what it is about and nothing else, and raises no false alarm where it is mended', async () => {
  const { failed, ...outcome } = await testScenarios(['test/lab/test/planted'], ['--at-once', '4']);
  const fieldsOf = (failures: readonly Failure[]) => failures.map(({ field }) => field);
  const planted = Object.entries(NOTICED).map(([fault, fields]) => [`${fault} planted`, fields]);
  expect(Object.fromEntries(failed.map(([name, , failures]) => [name, fieldsOf(failures)]))).toEqual(
    Object.fromEntries(planted),
  );
  expect(outcome).toEqual({ exitCode: 1, passed: planted.length, notRun: 0 });
}, 300_000);
