import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE_ROOT } from '../cli/voicebot.js';

let clone: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'voicebot-reports-'));
  for (const name of ['src', 'dist', 'reports', 'package.json', 'tsconfig.json', 'CHANGELOG.md'])
    cpSync(join(PACKAGE_ROOT, name), join(clone, name), { recursive: true });
  for (const name of ['node_modules', 'assets', 'templates']) symlinkSync(join(PACKAGE_ROOT, name), join(clone, name));
});
afterEach(() => rmSync(clone, { recursive: true }));

/** @returns why it was refused; nothing where it was not */
async function reports(root: string, ...options: readonly string[]): Promise<string> {
  return (await script('reports.mjs', '--root', root, ...options)).refused;
}

async function script(name: string, ...options: readonly string[]): Promise<{ said: string; refused: string }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [join(PACKAGE_ROOT, 'scripts', name), ...options]);
    return { said: stdout, refused: '' };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    expect(code).toBe(1);
    return { said: '', refused: stderr };
  }
}

const text = (...path: readonly string[]) => readFileSync(join(clone, ...path), 'utf8');

/** Puts a text in the place of another one, in a file of the clone. */
function plant(path: string, before: string, after: string): void {
  expect(text(path)).toContain(before);
  writeFileSync(join(clone, path), text(path).replace(before, after));
}

/** Where each is planted, by the name that it gets in its report. */
const PLANTED: Readonly<Record<string, [report: string, path: string, before: string, after: string]>> = {
  'Call.juggle': [
    'api-voicebot',
    'dist/bot/api/call.d.ts',
    '    hangUp(): Promise<void>;',
    '    hangUp(): Promise<void>;\n    juggle(): void;',
  ],
  'dialout dialling.juggled': [
    'json-lines',
    'src/cli/dialout/dial-report.ts',
    "event('dialling', { ",
    "event('dialling', { juggled: true, ",
  ],
  VOICEBOT_JUGGLE: [
    'settings',
    'dist/config/settings.js',
    'const SETTINGS = {',
    "const SETTINGS = {\n  juggle: { variable: 'VOICEBOT_JUGGLE', inFile: true, parse: text },",
  ],
  'file juggling.json': [
    'call-folders',
    'src/call/folder/folder-file.ts',
    'export const FOLDER_VERSION',
    "export const JUGGLING = 'juggling.json';\nexport const FOLDER_VERSION",
  ],
  'TranscriptEntry.juggled': [
    'call-folders',
    'src/call/folder/transcript.ts',
    'readonly startMs: number;',
    'readonly startMs: number;\n  readonly juggled?: true;',
  ],
  'HangupEntry.juggled': [
    'journals',
    'src/runner/calls/debts/hangup-journal.ts',
    'readonly owedAt: number;',
    'readonly owedAt: number;\n  readonly juggled: number;',
  ],
};

test('the reports are those of the code, and the changelog names all that has changed since the last version', async () => {
  expect(await reports(PACKAGE_ROOT, '--check')).toBe('');
}, 600_000);

test('a change of the API, a JSON line, a setting, a folder or a journal fails until its report and the changelog have it', async () => {
  for (const [, path, before, after] of Object.values(PLANTED)) plant(path, before, after);
  const refused = await reports(clone, '--check');
  for (const [name, [report]] of Object.entries(PLANTED)) {
    expect(refused).toContain(`reports/${report}.txt is not what the code says:`);
    expect(refused).toMatch(new RegExp(`^ {2}\\+ ${name}: `, 'm'));
    expect(refused).toContain(`${name} has been added to reports/${report}.txt`);
  }
  expect(refused).toContain('npm run reports');
  expect(await reports(clone)).toBe('');
  const [, ...others] = Object.keys(PLANTED);
  const lines = ['A bot can `call.juggle()`.', ...others.map((name) => `\`${name}\``)];
  plant('CHANGELOG.md', '## Unreleased\n', `## Unreleased\n\n${lines.map((line) => `- ${line}\n`).join('')}`);
  expect(await reports(clone, '--check')).toBe('');
}, 600_000);

const hasGit = spawnSync('git', ['--version']).status === 0;
const testWithGit = hasGit ? test : test.skip;

testWithGit(
  'a release dates the changelog, writes the version, keeps the reports, and says what to type (needs git)',
  async () => {
    const git = (...words: readonly string[]) =>
      promisify(execFile)('git', ['-C', clone, '-c', 'user.name=test', '-c', 'user.email=test@example.com', ...words]);
    const release = (version: string) => script('release.mjs', '--root', clone, version);
    plant('CHANGELOG.md', '## Unreleased\n', '## Unreleased\n\n- `call.wait()` waits.\n');
    // Nothing has changed since the version before, so that any next one may follow.
    const names = readdirSync(join(clone, 'reports')).filter((name) => name.endsWith('.txt'));
    for (const name of names) cpSync(join(clone, 'reports', name), join(clone, 'reports', 'released', name));
    const { version } = JSON.parse(text('package.json'));
    writeFileSync(join(clone, '.gitignore'), 'node_modules\ndist\nassets\ntemplates\n');
    await git('init', '--quiet');
    await git('add', '--all');
    const following = version.replace(/\d+$/, (last: string) => String(Number(last) + 1));
    expect((await release(following)).refused).toContain('changes that are not committed');
    await git('commit', '--quiet', '--message', 'all');
    expect((await release('7.0.0')).refused).toContain(`7.0.0 does not follow ${version}`);
    const { said, refused } = await release(following);
    expect(refused).toBe('');
    expect(said).toContain(`git tag -s v${following}`);
    expect(said).toContain('scripts/state-fixture.mjs');
    expect(JSON.parse(text('package.json')).version).toBe(following);
    expect(text('CHANGELOG.md')).toMatch(
      new RegExp(`## Unreleased\\n\\n## ${following} – \\d{4}-\\d\\d-\\d\\d\\n\\n- \`call.wait`),
    );
    for (const name of names) expect(text('reports', 'released', name)).toBe(text('reports', name));
  },
  600_000,
);
