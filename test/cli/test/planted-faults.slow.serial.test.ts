import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliEvent, Voicebot } from '../../e2e/voicebot.js';

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

async function runAll(environment: Record<string, string>) {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-planted-'));
  await using voicebot = new Voicebot(['test', 'test/cli/test/planted', '--at-once', '6'], { home, environment });
  const exitCode = await voicebot.exit;
  const ran: CliEvent[] = voicebot.events.all.filter(({ event }) => event === 'scenario_ran');
  return {
    exitCode,
    noticed: Object.fromEntries(
      ran.map(({ name, failures }) => [name, failures.map(({ field }: { field: string }) => field)]),
    ),
  };
}

test('no scenario raises a false alarm on the mended bot', async () => {
  const none = Object.fromEntries(Object.keys(NOTICED).map((name) => [name, []]));
  expect(await runAll({})).toEqual({ exitCode: 0, noticed: none });
}, 180_000);

test('each scenario catches the fault that is planted, by what it is about and nothing else', async () => {
  expect(await runAll({ FAULT: 'planted' })).toEqual({ exitCode: 1, noticed: NOTICED });
}, 180_000);
