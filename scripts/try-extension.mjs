// Tries a package of `extensions/` as its users have it: packs voicebot and the package, installs both into a
// project with what the package's tests need, and runs those there. Compile first: npm run build.
//
//   node scripts/try-extension.mjs vobiz              in a folder that is removed afterwards
//   node scripts/try-extension.mjs vobiz /tmp/there   in this one, which stays
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const [name, folder] = process.argv.slice(2);
if (!name || !/^[a-z-]+$/.test(name)) {
  console.error('usage: node scripts/try-extension.mjs <name of a folder in extensions/> [folder]');
  process.exit(2);
}
const source = join(ROOT, 'extensions', name);
const project = folder ? resolve(folder) : mkdtempSync(join(tmpdir(), 'voicebot-extension-'));
mkdirSync(project, { recursive: true });

const npm = (words, cwd) => execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
/** @returns the path of what npm would publish */
const packed = (from) => {
  // The scripts of voicebot compile it, which has been done.
  const [{ filename }] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', project], from));
  return `./${filename}`;
};

let began = performance.now();
const step = (what) => {
  console.log(`${what}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  began = performance.now();
};

let failed = false;
try {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const tools = Object.entries(devDependencies).map(([tool, range]) => `${tool}@${range}`);
  const packages = [packed(ROOT), packed(source), ...tools];
  step('packed');
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  npm(['install', '--silent', '--no-audit', '--no-fund', ...packages], project);
  step('installed');
  const installed = join(project, 'node_modules', `voicebot-${name}`);
  cpSync(join(source, 'test'), join(installed, 'test'), { recursive: true });
  execFileSync(process.execPath, ['--test', '--test-reporter=spec'], { cwd: installed, stdio: 'inherit' });
  step('tested');
} catch (error) {
  failed = true;
  console.error(error.message);
} finally {
  if (!folder) rmSync(project, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
