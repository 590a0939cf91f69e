import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCallingRules } from '../../src/config/calling-rules-file.js';
import { command } from './in-process.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-rules-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const run = (line: string, environment = {}) =>
  command(['calling-rules', ...line.split(' ').filter(Boolean)], directory, environment).finished;

test('all rules are shown with their hours and sources', async () => {
  const { exitCode, stdout } = await run('');
  expect(exitCode).toBe(0);
  for (const { country, source } of readCallingRules().rules) {
    expect(stdout).toMatch(new RegExp(`^${country}  mon`, 'm'));
    expect(stdout).toContain(`    ${source?.title}, ${source?.url}`);
  }
});

test('one country is shown, in either case; one without a rule is told of', async () => {
  const { stdout } = await run('fr');
  expect(stdout).toMatch(/^FR {2}mon-fri 10:00-13:00, mon-fri 14:00-20:00 {2}\(/);
  expect(stdout).not.toMatch(/^US/m);
  expect(await run('DE')).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: 'No rule for DE: calls there are placed at any hour.\n',
  });
  expect(await run('XX')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('country XX: must be a country code'),
  });
});

test('what --json shows can stand in a file of rules', async () => {
  const { events } = await run('--json');
  const [{ rules }] = events as [{ rules: object[] }];
  const path = join(directory, 'rules.json');
  writeFileSync(path, JSON.stringify({ rules }));
  expect(readCallingRules(path).rules.map(({ file, ...rule }) => rule)).toEqual(
    readCallingRules()
      .rules.map(({ file, ...rule }) => rule)
      .toSorted((a, b) => (a.country < b.country ? -1 : 1)),
  );
});

test('a file of the user shows, with what it switches off and why; a damaged one is refused', async () => {
  writeFileSync(
    join(directory, 'rules.yaml'),
    'rules: [{ country: FR, off: by consent }, { country: DE, hours: [mon-fri 9-18] }]',
  );
  const environment = { VOICEBOT_CALLING_RULES: 'rules.yaml' };
  const { stdout } = await run('', environment);
  expect(stdout).toContain('FR  off: by consent\n');
  expect(stdout).toContain('DE  mon-fri 9:00-18:00  (calls)\n    from rules.yaml\n');
  writeFileSync(join(directory, 'rules.yaml'), 'off: customers only');
  expect((await run('', environment)).stderr).toContain('switches them off (customers only)');
  writeFileSync(join(directory, 'rules.yaml'), 'of: 1');
  expect(await run('', environment)).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('it has neither rules nor off'),
  });
});
