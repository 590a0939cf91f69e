// Packs voicebot once, and tries each example with that package as a stranger would: copied to an empty folder, `npm install`,
// `npm run check`, `npm test`. Two go on beside each other. Says how many seconds each step took, how many tests passed, which must be some,
// and how many MiB each example has. On the Node that is first in the PATH: `.ci/with-node` brings others.
//
//   node scripts/examples.mjs                       all examples
//   node scripts/examples.mjs mcp-bot next-app      these
//   node scripts/examples.mjs --keep                the folders stay, to look around
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const AT_ONCE = 2;
/** For one step of one example, in milliseconds: what hangs is ended, and told. */
const STEP_LIMIT_MS = 240_000;
/** What an example may leave in its folder, and no copy has. */
const LEFT = new Set(['node_modules', '.next', 'data', 'package-lock.json']);

const args = process.argv.slice(2);
const keeps = args.includes('--keep');
const asked = args.filter((arg) => arg !== '--keep');
const all = readdirSync(join(ROOT, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no example ${unknown.join(', ')}. There are: ${all.join(', ')}`);
  process.exit(2);
}

const room = mkdtempSync(join(tmpdir(), 'voicebot-examples-'));
const failed = [];
try {
  mkdirSync(join(room, 'home'));
  const archive = await pack();
  const waiting = asked.length > 0 ? asked : all;
  await Promise.all(Array.from({ length: AT_ONCE }, () => work(waiting, archive)));
} finally {
  if (keeps) console.log(`kept: ${room}`);
  else rmSync(room, { recursive: true, force: true });
}
console.log(
  `all in ${Math.round(performance.now() / 1_000)} s${failed.length > 0 ? `; failed: ${failed.join(', ')}` : ''}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;

/** @returns the archive that npm would publish */
async function pack() {
  const { seconds, said, code } = await run('npm', ['pack', '--pack-destination', room], ROOT);
  const name = readdirSync(room).find((file) => file.endsWith('.tgz'));
  if (code !== 0 || !name) throw new Error(`voicebot cannot be packed:\n${said}`);
  console.log(`voicebot packed: ${seconds} s, ${mebibytes(statSync(join(room, name)).size)} MiB`);
  return join(room, name);
}

async function work(waiting, archive) {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await tryExample(name, archive);
}

async function tryExample(name, archive) {
  const folder = join(room, name);
  cpSync(join(ROOT, 'examples', name), folder, { recursive: true, filter: (path) => !LEFT.has(basename(path)) });
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  manifest.dependencies.voicebot = `file:${archive}`; // a registry may not have it
  writeFileSync(path, JSON.stringify(manifest, null, 2));
  const steps = {
    install: ['install', '--no-audit', '--no-fund', '--prefer-offline'],
    check: ['run', 'check'],
    test: ['test'],
  };
  const told = [];
  let passed = 0;
  for (const [step, command] of Object.entries(steps)) {
    const { seconds, said, code } = await run('npm', command, folder);
    told.push(`${step} ${seconds} s`);
    if (step === 'test') passed = passedIn(said);
    if (code === 0 && (step !== 'test' || passed > 0)) continue;
    failed.push(name);
    console.log(`FAILED ${name}: ${told.join(', ')}\n${said.split('\n').slice(-60).join('\n')}`);
    return;
  }
  told.push(`${passed} passed`);
  console.log(`ok     ${name}: ${told.join(', ')}, ${mebibytes(sizeOf(join(folder, 'node_modules')))} MiB installed`);
}

/** Of `node --test` and `voicebot test`, by what both have printed. */
function passedIn(said) {
  const counts = said.matchAll(/^(?:[#ℹ] pass (\d+)$|(\d+) passed\b)/gm);
  return [...counts].reduce((sum, [, ofNode, ofVoicebot]) => sum + Number(ofNode ?? ofVoicebot), 0);
}

/** Without the keys and accounts of the one who runs this, and with a home of its own; only what npm has fetched before is shared. */
function run(command, args, cwd) {
  const startedAt = performance.now();
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(PATH|TMPDIR|LANG|SystemRoot|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(https?|no)_proxy|npm_config_(registry|cache|userconfig))$/i.test(
      name,
    ),
  );
  const home = join(room, 'home');
  const env = { ...Object.fromEntries(kept), HOME: home, USERPROFILE: home, NEXT_TELEMETRY_DISABLED: '1' };
  env.npm_config_cache ??= join(homedir(), '.npm');
  // A group of its own, so that what hangs ends with all that it has started.
  const how = { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true, shell: process.platform === 'win32' };
  const child = spawn(command, args, how);
  const limit = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), STEP_LIMIT_MS);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  return new Promise((resolve) => {
    const done = (code) =>
      resolve(clearTimeout(limit) ?? { code, said, seconds: ((performance.now() - startedAt) / 1_000).toFixed(1) });
    child.once('error', (error) => done(error.message)).once('close', done);
  });
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function mebibytes(bytes) {
  return (bytes / 2 ** 20).toFixed(0);
}
