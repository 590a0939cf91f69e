import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import { allOf } from '../../../src/call/view/events.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { type CliEvent, Voicebot } from '../../e2e/voicebot.js';

const BOT = join(PACKAGE_ROOT, 'test/lab/test/functions/bot.ts');
const ASKS = `
    caller: [{ say: How much money do I have? }]
    model:
      - { when: how much money, call: { balance: { account: "47" } } }`;
const SCENARIOS = `
bot: ${BOT}
scenarios:
  - name: returns
    tools: { balance: { returns: { amount: 1250, currency: EUR } } }${ASKS}
      - { after: balance, say: "You have {{result.amount}} {{result.currency}}." }
    expect: { heard: You have 1250 EUR, tools: [{ name: balance, input: { account: "47" } }] }
  - name: fails
    tools: { balance: { fails: the database is down, takes: 1s } }${ASKS}
      - { after: balance, when: down, say: "I am sorry, {{result}}." }
    expect: { heard: "sorry, the database is down" }
  - name: takes
    tools: { balance: { takes: 1s } }${ASKS}
      - { after: balance, say: "You have {{result.amount}} euros." }
    expect: { heard: You have 3 euros }
  - name: refused, then played
    tools: { balance: { returns: { amount: 1250 } } }
    caller: [{ say: How much money do I have? }]
    model:
      - { when: how much money, call: { balance: { account: 47 } } }
      - { after: balance, when: does not fit, call: { balance: { account: "47" } } }
      - { after: balance, say: "You have {{result.amount}} euros." }
    expect: { heard: You have 1250 euros, tools: [{ name: balance, fails: does not fit }, balance] }
  - name: refused
    tools: { balance: { returns: { amount: 1250 } } }
    caller: [{ say: How much money do I have? }]
    model:
      - { when: how much money, call: { balance: { account: 47 } } }
      - { after: balance, say: You have 1250 euros. }
    expect: { heard: You have 1250 euros }
  - name: never called
    tools: { balance: { returns: 5 }, transfer_money: { returns: moved }, transfer_mony: { returns: moved } }${ASKS}
      - { after: balance, say: You are rich. }
    expect: { heard: You are rich }
  - name: speaks what is not there
    tools: { balance: { returns: { sum: 1250 } } }${ASKS}
      - { after: balance, say: "You have {{result.amount}} euros." }
  - name: real services
    services: real
    environment: { TELLS: "yes" }
    tools: { balance: { returns: { amount: 1250 } } }
    caller: [{ hear: 1250 euros }]
`;

describe('functions that scenarios play', () => {
  let events: readonly CliEvent[];
  let exitCode: number | null;
  beforeAll(async () => {
    const home = mkdtempSync(join(tmpdir(), 'voicebot-played-functions-'));
    writeFileSync(join(home, 'all.yaml'), SCENARIOS);
    await using voicebot = new Voicebot(['test', 'all.yaml'], { home, cwd: home });
    exitCode = await voicebot.exit;
    events = voicebot.events.all;
  }, 240_000);

  const ranOf = (scenario: string) => events.find(({ event, name }) => event === 'scenario_ran' && name === scenario);
  /** `field: happened` of each failure. */
  const failuresOf = (scenario: string): string[] =>
    ranOf(scenario)?.failures.map(
      ({ field, happened }: { field: string; happened: string }) => `${field}: ${happened}`,
    );
  const returnedIn = (scenario: string) => {
    const lines = readFileSync(join(ranOf(scenario)?.folder, 'events.ndjson'), 'utf8')
      .trim()
      .split('\n');
    return allOf(
      lines.map((line): TimelineEvent => JSON.parse(line)),
      'tool_returned',
    );
  };

  test('what one returns is what the model is told and speaks', () => {
    expect(failuresOf('returns')).toEqual([]);
    expect(returnedIn('returns')).toMatchObject([{ output: { amount: 1_250, currency: 'EUR' }, isError: false }]);
  });

  test('one that fails has thrown, after the time that it takes', () => {
    expect(failuresOf('fails')).toEqual([]);
    const [returned] = returnedIn('fails');
    expect(returned).toMatchObject({ output: 'the database is down', isError: true, errorType: 'Error' });
    expect(returned?.ms).toBeGreaterThanOrEqual(999);
  });

  test("one that only takes time gives what the bot's own function does, so much later", () => {
    expect(failuresOf('takes')).toEqual([]);
    const [returned] = returnedIn('takes');
    expect(returned).toMatchObject({ output: { amount: 3, currency: 'EUR' }, isError: false });
    expect(returned?.ms).toBeGreaterThanOrEqual(999);
  });

  test('an input that does not fit is refused by the bot: a scenario that shows nothing else fails', () => {
    expect(failuresOf('refused, then played')).toEqual([]);
    expect(returnedIn('refused, then played').map(({ errorType }) => errorType)).toEqual(['invalid_input', undefined]);
    expect(failuresOf('refused')).toEqual([
      expect.stringMatching(/^tools: balance\(\{"account":47\}\) failed: the input does not fit: account: /),
      expect.stringMatching(/^tools\.balance: it was called, and not played: the input does not fit: account: /),
    ]);
  });

  test('one that is never called fails the scenario, whatever else holds', () => {
    expect(failuresOf('never called')).toEqual([
      'tools.transfer_money: it was never called',
      'tools.transfer_mony: it was never called, and the bot has no such function: did you mean transfer_money?',
    ]);
  });

  test('what is not in a result fails the scenario, with the result', () => {
    expect(failuresOf('speaks what is not there')).toContain(
      'model: {{result.amount}} is not in the result of balance, which was {"sum":1250}',
    );
  });

  test("a model of the bot's own is given the same", () => {
    expect(failuresOf('real services')).toEqual([]);
    expect(returnedIn('real services')[0]).toMatchObject({ output: { amount: 1_250 } });
  });

  test('the test has failed for three scenarios', () => {
    expect(exitCode).toBe(1);
    expect(events.at(-1)).toMatchObject({ event: 'test_ended', passed: 5, failed: 3 });
  });
});
