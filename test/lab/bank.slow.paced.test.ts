import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Failure } from '../../src/lab/scenario/call-story.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { testScenarios } from '../e2e/tested-scenarios.js';

const BANK = join(PACKAGE_ROOT, 'test/lab/bank');

/** Bugs that people make, by the scenario that notices each, and the cause as its first failure tells it. */
const BUGS: Readonly<Record<string, readonly [scenario: string, cause: RegExp]>> = {
  throws: ['tells the balance', /answered_wrongly tools: .*balance\(.*\) failed: the ledger has no table accounts/],
  refuses: ['tells the balance', /answered_wrongly tools: .*balance\(.*\) failed: the input does not fit: iban/],
  hundred_times: ['tells the balance', /answered_wrongly tools: .*balance.* = \{"amount":125000/],
  any_pin: ['refuses a PIN', /answered_wrongly caller\[3\]\.hear: after 15 s the bot had said ".*Thank you, Ada/],
  unhandled_rejection: ['tells the balance', /broke bot: Error: the audit log is lost, at .*bank\/bot\.ts:\d+: /],
  exits: ['tells the balance', /broke bot: its process ended by itself with code 0/],
  no_goodbye: ['asks a silent customer', /answered_wrongly caller\[0\]\.hear: the call had ended \(bot_ended\)/],
  pin_in_log: ['tells the balance', /answered_wrongly nowhere: it stands in what the bot has written: PIN 4711/],
  keys_in_log: ['tells the balance', /answered_wrongly nowhere: it stands in .*, a digit a line: 14711/],
  handler_throws: [
    'tells the balance',
    /broke bot: Error: no such customer, at .*bank\/bot\.ts:\d+: a handler has thrown it/,
  ],
  throws_after: ['asks a silent customer', /broke bot: TypeError: no ledger to close, at .*bank\/bot\.ts:\d+: /],
  keys_kept: ['tells the balance', /answered_wrongly nowhere: it stands in the keys of the caller/],
  late_first_word: ['speaks at once', /answered_wrongly firstWordWithin: the bot was heard after/],
  interruptions_off: ['is silent when a customer', /answered_wrongly (stopsWithin: the bot went on|caller)/],
  forgets_the_lock: ['locks a customer out', /answered_wrongly then\[0\]\./],
  no_type_ahead: ['takes the keys', /answered_wrongly caller\[1\]\.hear: /],
  key_ignored: ['tells that nobody is free', /answered_wrongly heard: the caller heard .*not heard anything/],
  wrong_number: ['tells that nobody is free', /answered_wrongly (caller|heard|transfer).*/],
  lying_transfer: ['tells that nobody is free', /answered_wrongly (heard|notHeard): .*You are connected/],
  silent_voicemail: ['leaves a message', /answered_wrongly heard: /],
  said_twice: ['tells that nobody is free', /answered_wrongly nothingTwice: the bot said "Nobody is free/],
};

interface Scenario {
  readonly name: string;
  readonly environment?: Readonly<Record<string, string>>;
}

test('a bank: no scenario raises a false alarm, and none misses the bug that it is about', async () => {
  const { scenarios } = parse(readFileSync(join(BANK, 'bank.yaml'), 'utf8')) as { scenarios: readonly Scenario[] };
  const planted = Object.entries(BUGS).map(([FAULT, [beginning]]) => {
    const scenario = scenarios.find(({ name }) => name.startsWith(beginning));
    if (!scenario) throw new Error(`no scenario begins with ${beginning}`);
    return { ...scenario, name: FAULT, environment: { ...scenario.environment, FAULT } };
  });
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-bank-'));
  const file = join(folder, 'planted.yaml');
  writeFileSync(file, stringify({ bot: join(BANK, 'bot.ts'), scenarios: planted }));
  const healthy = await testScenarios(['test/lab/bank/bank.yaml'], ['--at-once', '6']);
  expect(healthy).toEqual({ exitCode: 0, passed: scenarios.length, notRun: 0, failed: [] });
  const { exitCode, passed, failed } = await testScenarios([file], ['--at-once', '6']);
  const causeOf = ([first]: readonly Failure[]) => `${first?.kind} ${first?.field}: ${first?.happened}`;
  const causes = Object.fromEntries(failed.map(([name, , failures]) => [name, causeOf(failures)]));
  expect(causes).toEqual(
    Object.fromEntries(Object.entries(BUGS).map(([fault, [, cause]]) => [fault, expect.stringMatching(cause)])),
  );
  expect({ exitCode, passed }).toEqual({ exitCode: 1, passed: 0 });
  rmSync(folder, { recursive: true });
}, 600_000);
