// Makes a clone ready to use with nothing but Node: installs the dependencies and compiles, each only when needed.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => join(root, ...parts);
/** Zero for a file that is not there. */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

requireNode(JSON.parse(readFileSync(at('package.json'), 'utf8')).engines.node.replace('>=', ''));
install();
build();

function requireNode(needed) {
  const found = process.versions.node;
  if (found.localeCompare(needed, 'en', { numeric: true }) >= 0) return;
  fail(`voicebot needs Node.js ${needed} or newer; this is ${found}.`);
}

function install() {
  if (changedAt(at('node_modules', '.package-lock.json')) >= changedAt(at('package-lock.json'))) return;
  step('Installing dependencies');
  // Not `npm ci`: it refuses a lock file that does not know the optional packages of every other platform.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const ok = run('npm', args, { shell: process.platform === 'win32' });
  if (!ok) fail('The dependencies could not be installed: see above. Nothing was built.');
}

function build() {
  const inputs = ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json'].map((path) => newest(at(path)));
  if (changedAt(at('dist', 'cli', 'main.js')) > Math.max(...inputs)) return;
  step('Compiling src to dist');
  rmSync(at('dist'), { recursive: true, force: true });
  const tsc = at('node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(tsc)) fail('TypeScript is missing: delete node_modules and try again.');
  if (run(process.execPath, [tsc, '-p', 'tsconfig.build.json'])) return;
  rmSync(at('dist'), { recursive: true, force: true });
  fail('The sources do not compile: see above.');
}

/** When the youngest file or folder at or below `path` changed; a deleted file makes its folder young. */
function newest(path) {
  const own = changedAt(path);
  if (!statSync(path).isDirectory()) return own;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), own);
}

function run(command, args, options = {}) {
  return spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options }).status === 0;
}

function step(text) {
  console.error(`${text} …`);
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
