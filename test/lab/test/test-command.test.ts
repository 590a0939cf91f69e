// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the places of a table look like those of a template
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { command } from '../../cli/in-process.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';

const TWO = `- name: tells the hours
  tags: [menu]
  carrier: all
- name: a wrong PIN
  tags: [pin, slow]
  runs: 3
`;

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-test-command-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const test_ = (files: Readonly<Record<string, string>>, ...args: string[]) => testIn({}, files, ...args);

async function testIn(
  environment: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
  ...args: string[]
) {
  const folder = folderWith(files);
  const { exitCode, events, stderr } = await command(['test', ...args, '--json'], folder, {
    VOICEBOT_HOME: folder,
    ...environment,
  }).finished;
  return { exitCode, error: events.at(-1), events, stderr };
}

test('every problem of every file is told with its line before any call, and the exit code is 2', async () => {
  const { exitCode, error } = await test_({
    'scenarios/one.yaml': 'name: one\ncaller:\n  - press: "x"\n',
    'scenarios/deep/two.yml': 'name: two\nlimit: 5\nbot: gone.ts\n',
    'three.scenario.yaml': 'nam: three\n',
    'compose.yaml': 'services: {}\n',
    'node_modules/other/scenarios/four.yaml': 'nam: four\n',
  });
  expect(exitCode).toBe(2);
  expect(error).toMatchObject({ event: 'error', code: 'VB_SCENARIO_INVALID' });
  const problems = (error as unknown as { problems: Array<{ file: string; line: number; field: string }> }).problems;
  expect(
    problems
      .map(({ file, line, field }) => `${file.replace(/^.*voicebot-test-command-\w+\//, '')}:${line} ${field}`)
      .sort(),
  ).toEqual([
    'scenarios/deep/two.yml:2 limit',
    'scenarios/one.yaml:3 caller[0].press',
    'three.scenario.yaml:1 nam',
    'three.scenario.yaml:1 name',
  ]);
});

test.each<[string, Record<string, string>, string[], string]>([
  ['a folder without scenarios', { 'readme.md': '' }, [], 'has no scenarios'],
  ['a file that is not there', {}, ['gone.yaml'], 'is not there'],
  ['a file of another kind', { 'bot.ts': '' }, ['bot.ts'], 'is no file of scenarios'],
  ['a bot that is not there', { 'a.yaml': 'name: a\nbot: gone.ts\n' }, ['a.yaml'], 'gone.ts, which is not there'],
  ['a sound that is not there', { 'a.yaml': 'name: a\ncaller: [{ play: gone.wav }]\n' }, ['a.yaml'], 'gone.wav'],
  ['two scenarios of one name', { 'a.yaml': '- name: a\n- name: a\n' }, ['a.yaml'], 'is that of another scenario'],
  [
    'code without a scenario',
    { 'a.scenario.mjs': 'export const one = 1;\n' },
    ['a.scenario.mjs'],
    'exports no scenario',
  ],
  ['code that exports an empty list', { 'a.scenario.mjs': 'export default [];\n' }, [], 'exports no scenario'],
  ['an empty list of scenarios', { 'a.yaml': 'carrier: plivo\nscenarios: []\n' }, ['a.yaml'], 'has no scenarios'],
  ['an empty list', { 'a.yaml': '[]\n' }, ['a.yaml'], 'has no scenarios'],
  ['an empty file', { 'a.yaml': '' }, ['a.yaml'], 'has no scenarios'],
  [
    'one empty file beside one that is not',
    { 'scenarios/a.yaml': 'name: a\n', 'scenarios/b.yaml': '# later\n' },
    [],
    'b.yaml',
  ],
  ['a typed folder without scenarios', { 'specs/readme.md': '' }, ['specs'], 'has no scenarios'],
  [
    'a name that fits none',
    { 'a.yaml': TWO },
    ['a.yaml', '--name', 'wrnog'],
    'nearest: \\"a wrong PIN\\" (a.yaml:4), ',
  ],
  [
    'an expression that fits none',
    { 'a.yaml': TWO },
    ['a.yaml', '--name', '/^wrong/'],
    'has a name that /^wrong/ fits',
  ],
  ['a tag that none has', { 'a.yaml': TWO }, ['a.yaml', '--tag', 'slwo'], 'did you mean slow?'],
  [
    'filters that leave nothing together',
    { 'a.yaml': TWO },
    ['a.yaml', '--tag', '!slow', '--name', 'wrong'],
    'no scenario that --tag !slow leaves has \\"wrong\\" in its name',
  ],
  ['nothing but what is skipped', { 'a.yaml': 'name: a\nskip: true\n' }, ['a.yaml'], 'skip is set in \\"a\\"'],
  [
    'a list for a bot that is not there',
    { 'a.yaml': TWO },
    ['a.yaml', '--list', '--bot', 'no.ts'],
    '--bot no.ts: there',
  ],
  ['a list of nothing', { 'a.yaml': TWO }, ['a.yaml', '--list', '--name', 'other'], 'no scenario has'],
  ['code that throws', { 'a.scenario.mjs': '\nthrow new Error("not today");\n' }, ['a.scenario.mjs'], 'not today'],
])('%s is refused', async (_, files, args, words) => {
  const { exitCode, error } = await test_(files, ...args);
  expect(exitCode).toBe(2);
  expect(JSON.stringify(error)).toContain(words);
});

test('every option that cannot be is refused at once', async () => {
  const options = [
    '--runs=0',
    '--at-once=many',
    '--junit=no/where.xml',
    '--name=/(/',
    '--tag=a b',
    '--shard=3/2',
    '--output=.',
    '--coverage-min=101',
  ];
  const { exitCode, error } = await test_({ 'bot.ts': '' }, ...options, '--bail=0', '--list', '--watch');
  expect(exitCode).toBe(2);
  for (const option of [
    '--runs',
    '--at-once',
    '--junit',
    '--name',
    '--tag',
    '--shard',
    '--bail',
    '--list',
    '--output',
    '--coverage-min',
  ])
    expect(error?.message).toContain(option);
});

describe('only, where CI is set,', () => {
  const files = { 'a.yaml': '- name: a\n- name: b\n  only: true\n' };

  test('is refused with its line, whatever else is asked for', async () => {
    for (const args of [['a.yaml'], ['a.yaml', '--list', '--name', 'a']]) {
      const { exitCode, error } = await testIn({ CI: 'true' }, files, ...args);
      expect(exitCode).toBe(2);
      expect(error).toMatchObject({ code: 'VB_SCENARIO_INVALID', problems: [{ line: 2, field: 'only' }] });
    }
  });

  test('is taken elsewhere', async () => {
    const { exitCode, error } = await testIn({ CI: 'false' }, files, 'a.yaml', '--list');
    expect(exitCode).toBe(0);
    expect(error).toMatchObject({ event: 'scenarios', scenarios: [{ name: 'b' }] });
  });
});

test('--list has the scenarios that would run, with where they stand, and makes no call', async () => {
  const files = { 'a.yaml': `${TWO}- name: not today\n  skip: no back end\n` };
  const { exitCode, events } = await test_(files, 'a.yaml', '--list');
  expect(exitCode).toBe(0);
  const file = expect.stringMatching(/a\.yaml$/);
  expect(events).toEqual([
    {
      version: 1,
      event: 'scenarios',
      scenarios: [
        { name: 'tells the hours', file, line: 1, tags: ['menu'], wires: ['plivo', 'twilio', 'telnyx'], runs: 1 },
        { name: 'a wrong PIN', file, line: 4, tags: ['pin', 'slow'], wires: ['plivo'], runs: 3 },
      ],
      skipped: [{ name: 'not today', file, line: 7, tags: [], reason: 'no back end' }],
    },
  ]);
  const folder = folderWith(files);
  const people = await command(['test', 'a.yaml', '--list', '--failed'], folder, { VOICEBOT_HOME: folder }).finished;
  expect(people.stdout.split('\n')).toEqual([
    'a.yaml:1  tells the hours  #menu       plivo, twilio, telnyx',
    'a.yaml:4  a wrong PIN      #pin #slow  plivo                  3 runs',
    '',
  ]);
  expect(people.stderr).toContain('there was no last time: all are run');
  expect(people.stderr).toContain('2 scenarios, calls: 6; skipped: 1');
});

test('--list of a table has each row, of a shard its part', async () => {
  const files = {
    'a.yaml': 'name: wrong\neach: [{ pin: "1" }, { pin: "2" }, { pin: "3" }]\ncaller: [{ press: "${pin}" }]\n',
  };
  const names = async (...args: string[]) => {
    const { error } = await test_(files, 'a.yaml', '--list', ...args);
    return (error as unknown as { scenarios: Array<{ name: string }> }).scenarios.map(({ name }) => name);
  };
  expect(await names()).toEqual(['wrong (pin 1)', 'wrong (pin 2)', 'wrong (pin 3)']);
  expect(await names('--shard', '1/2')).toEqual(['wrong (pin 1)', 'wrong (pin 3)']);
  expect(await names('--shard', '2/2')).toEqual(['wrong (pin 2)']);
});

test('a table in TypeScript has each row, and its problems', async () => {
  const module = (pin: string) =>
    `import { scenario } from ${JSON.stringify(join(PACKAGE_ROOT, 'dist/lab/scenario/scenario.js'))};
export default scenario({ name: 'wrong', each: [{ pin: '1' }, { pin: '${pin}' }], caller: [{ press: '\${pin}' }] });\n`;
  const good = await test_({ 'a.scenario.mjs': module('2') }, '--list');
  expect(good.error).toMatchObject({ scenarios: [{ name: 'wrong (pin 1)' }, { name: 'wrong (pin 2)' }] });
  const bad = await test_({ 'a.scenario.mjs': module('z') }, '--list');
  expect(bad.exitCode).toBe(2);
  expect(bad.error).toMatchObject({
    problems: [{ field: 'caller[0].press', message: expect.stringContaining('(pin of row 2)') }],
  });
});

test('options of mutants that mean nothing together are refused before any call', async () => {
  const { exitCode, error } = await test_({}, '--mutate', '--watch', '--mutate-min', '101');
  expect(exitCode).toBe(2);
  expect(error?.message).toContain('--mutate cannot be combined with --watch, --list and --fuzz');
  expect(error?.message).toContain('--mutate-min 101: must be a whole number from 0 to 100');
  const alone = await test_({}, '--mutate-min', '80');
  expect(alone.error?.message).toContain('--mutate-min is for --mutate');
});

test('options of random callers that mean nothing together are refused before any call', async () => {
  const { exitCode, error } = await test_({}, '--fuzz', '0', '--seed', 'x', '--watch');
  expect(exitCode).toBe(2);
  for (const option of ['--fuzz 0', '--seed x']) expect(error?.message).toContain(option);
  const beside = await test_({}, '--fuzz', '3', '--speed');
  expect(beside.error?.message).toContain('--fuzz makes calls of its own');
  const alone = await test_({}, '--seed', '3');
  expect(alone.error?.message).toContain('--seed and --fuzz-silence are for --fuzz');
});
