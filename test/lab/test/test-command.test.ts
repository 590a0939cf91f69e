import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { command } from '../../cli/in-process.js';

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-test-command-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const test_ = async (files: Readonly<Record<string, string>>, ...args: string[]) => {
  const folder = folderWith(files);
  const { exitCode, events, stderr } = await command(['test', ...args, '--json'], folder, { VOICEBOT_HOME: folder })
    .finished;
  return { exitCode, error: events.at(-1), stderr };
};

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
  ['code that throws', { 'a.scenario.mjs': '\nthrow new Error("not today");\n' }, ['a.scenario.mjs'], 'not today'],
])('%s is refused', async (_, files, args, words) => {
  const { exitCode, error } = await test_(files, ...args);
  expect(exitCode).toBe(2);
  expect(JSON.stringify(error)).toContain(words);
});

test('every option that cannot be is refused at once', async () => {
  const { exitCode, error } = await test_({}, '--runs', '0', '--at-once', 'many', '--junit', 'no/where.xml');
  expect(exitCode).toBe(2);
  for (const option of ['--runs', '--at-once', '--junit']) expect(error?.message).toContain(option);
});

test('options of mutants that mean nothing together are refused before any call', async () => {
  const { exitCode, error } = await test_({}, '--mutate', '--watch', '--mutate-min', '101');
  expect(exitCode).toBe(2);
  expect(error?.message).toContain('--mutate and --watch exclude each other');
  expect(error?.message).toContain('--mutate-min 101: must be a whole number from 0 to 100');
  const alone = await test_({}, '--mutate-min', '80');
  expect(alone.error?.message).toContain('--mutate-min is for --mutate');
});
