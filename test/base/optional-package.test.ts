import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A project that has a link to voicebot, so that Node does not look for voicebot's imports in it. */
let project: string;
beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'voicebot-optional-')));
  put('two-forms', { import: './module.mjs', require: './common.cjs' });
  put('one-form', { import: './module.mjs', default: './module.mjs' });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function put(name: string, exports: Record<string, string>): void {
  const folder = join(project, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, exports: { '.': exports } }));
  writeFileSync(join(folder, 'module.mjs'), 'export const answer = 42;');
  writeFileSync(join(folder, 'common.cjs'), 'exports.answer = 42;');
}

/** What a process makes of importing a package: its answer, or the code of the error. */
async function imported(name: string, { cwd = project, botFile = '' } = {}): Promise<string> {
  const module = new URL('../../dist/base/optional-package.js', import.meta.url);
  const script = `import { findOptionalPackagesFrom, importOptionalPackage } from '${module}';
    if (${JSON.stringify(botFile)}) findOptionalPackagesFrom(${JSON.stringify(botFile)});
    const tell = ({ answer, code }) => console.log(answer ?? code);
    await importOptionalPackage('${name}').then(tell, tell);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd });
  return stdout.trim();
}

test.each(['two-forms', 'one-form'])('finds a package that only the project has, of %s', async (name) => {
  expect(await imported(name)).toBe('42');
});

test('looks beside the bot when it is elsewhere than the working directory', async () => {
  expect(await imported('two-forms', { cwd: tmpdir() })).toBe('ERR_MODULE_NOT_FOUND');
  expect(await imported('two-forms', { cwd: tmpdir(), botFile: join(project, 'bot.ts') })).toBe('42');
});

test('tells that a package is nowhere', async () => {
  expect(await imported('no-such-package')).toBe('ERR_MODULE_NOT_FOUND');
});
