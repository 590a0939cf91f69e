import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { Voicebot } from '../../e2e/voicebot.js';

const scenarios = (heard: string) => `
bot: ${join(PACKAGE_ROOT, 'test/lab/mutate/bank/bot.ts')}
scenarios:
  - name: tells the balance
    caller: [{ hear: the bank }, { say: How much money do I have? }, { hear: You have }, { say: "Thank you, goodbye." }]
    model:
      - { when: how much money, call: { balance: { account: "47" } } }
      - { after: balance, say: You have some money. }
      - { when: goodbye, call: { end_call: {} } }
    expect: { heard: [This is the bank, ${heard}], end: bot_ended }
`;

/** What `voicebot test --mutate` tells of a bank whose callers expect these words. */
async function mutated(heard: string, ...args: string[]) {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-mutated-tests-'));
  writeFileSync(join(home, 'bank.yaml'), scenarios(heard));
  await using voicebot = new Voicebot(['test', 'bank.yaml', '--mutate', ...args], { home, cwd: home });
  const exitCode = await voicebot.exit;
  return { exitCode, events: voicebot.events.all };
}

test('mutants that a scenario notices are told from those that none notices and from those that none reaches', async () => {
  const { exitCode, events } = await mutated('some money', '--mutate-min', '99');
  const of = (kind: string, name?: string) =>
    events.find(({ event, mutation }) => event === 'mutant' && mutation.kind === kind && mutation.name === name);
  expect(events.find(({ event }) => event === 'test_ended')).toMatchObject({ passed: 1, failed: 0 });
  expect(of('function_throws', 'balance')).toMatchObject({
    is: 'noticed',
    by: { name: 'tells the balance' },
    failure: { field: 'tools' },
  });
  expect(of('never_hangs_up')).toMatchObject({ is: 'noticed', failure: { field: 'end' } });
  expect(of('function_result_changed', 'balance')).toMatchObject({
    is: 'unnoticed',
    title: 'balance returns {"amount":300} in place of {"amount":3}',
    expect: expect.stringContaining('result: {"amount":3}'),
  });
  expect(of('greeting_late')).toMatchObject({ is: 'unnoticed', expect: 'firstWordWithin: 3s' });
  expect(of('goodbye_missing')).toMatchObject({ is: 'unnoticed' });
  expect(of('function_throws', 'block_card')).toMatchObject({ is: 'not_reached' });
  expect(of('interruptions_off')).toMatchObject({ is: 'not_reached' });
  const end = events.find(({ event }) => event === 'mutation_ended');
  expect(end?.mutants).toBe(end?.noticed + end?.unnoticed + end?.notReached);
  expect(events.filter(({ event }) => event === 'mutant')).toHaveLength(end?.mutants);
  expect(exitCode).toBe(1);
}, 400_000);

test('a bot whose scenarios fail is not broken any further', async () => {
  const { exitCode, events } = await mutated('no money at all');
  expect(exitCode).toBe(1);
  expect(events.find(({ event }) => event === 'test_ended')).toMatchObject({ passed: 0, failed: 1, notRun: 0 });
  expect(events.find(({ event }) => event === 'problem')?.message).toContain('The bot was not broken');
  expect(events.filter(({ event }) => event.startsWith('mut'))).toEqual([]);
}, 120_000);
