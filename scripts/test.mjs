// Runs the tests of a tier: `quick` (the `npm test`), `slow` (what takes too long for it), `all`, or `sample`: 40 of the quick files, other
// ones each day, in any order and each in a process of its own. What follows goes to jest, for example a part of a path.
// `--reports <folder>` keeps jest's reports there; `--skipped-in <folder>` adds to the sample the files that skipped tests by the reports there;
// `--half` takes half of the files of each group, the other half the next day.
//
// Slow tests make calls in real time, which a busy machine delays, and some of the quick ones wait for a real program: a file of a whole
// tier, of the sample or of the slow tests that has failed runs once more with the machine and a process to itself, and that counts. The end
// says which files needed it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isCompiled } from './compiled.mjs';
import { JEST } from './toolchain.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** More than there are cores, since most files wait for sound. Jest itself takes a percentage over 100 for a number. */
const workers = (perCore) => [`--maxWorkers=${Math.ceil(availableParallelism() * perCore)}`];
const WAITING = workers(2);
const BESIDE_EACH_OTHER = workers(1.5);
/** Calls in real time take little of a core, but must have it at once. */
const PACED = workers(1);
const ALONE = ['--maxWorkers=1'];
const QUICK = { quick: WAITING };
const SLOW = { slow: BESIDE_EACH_OTHER, 'slow paced': PACED, 'slow serial': ALONE };
const TIERS = { quick: QUICK, slow: SLOW, all: { ...QUICK, ...SLOW }, sample: QUICK };
const SAMPLE_SIZE = 40;
/** Has jest.config.js give each file a process of its own. */
const APART = { ...process.env, TEST_FILES_APART: 'yes' };
/** More failed files than this are not the machine's fault, and would take too long. */
const MOST_AGAIN = 8;

/** In place of the report of a run that has left none. */
const unfinished = (project) => ({
  testResults: [{ name: project, status: 'failed', startTime: 0, endTime: 0, assertionResults: [] }],
});

const [tier, ...args] = process.argv.slice(2);
if (!(tier in TIERS)) throw new Error(`There is no tier ${tier}, but ${Object.keys(TIERS).join(', ')}.`);
const reports = takeOption('--reports');
const skippedIn = takeOption('--skipped-in');
const isHalf = takeFlag('--half');
/** Of quick tests that people select, they want to see the failure at once. */
const isWhole = args.length === 0 || tier === 'sample';
if (tier === 'sample') {
  args.push(
    '--runTestsByPath',
    ...new Set([...sampleOf(SAMPLE_SIZE), ...(skippedIn ? filesWithSkips(skippedIn) : [])]),
  );
}
if (reports) mkdirSync(reports, { recursive: true });
if (!isCompiled(root)) console.error('src has changed since it was compiled: npm run build');
const directory = reports ?? mkdtempSync(join(tmpdir(), 'voicebot-tests-'));
const codes = Object.entries(TIERS[tier]).map(([project, options]) => {
  const selected = isHalf ? [...args, '--runTestsByPath', ...halfOf(project)] : args;
  const code = runJest(project, options, selected, tier === 'sample' ? APART : process.env);
  return code !== 0 && (isWhole || project in SLOW) ? runFailedAgain(project) : code;
});
printSlowest();
if (!reports) rmSync(directory, { recursive: true });
process.exitCode = Math.max(...codes);

/** @returns what follows the option, which jest does not get */
function takeOption(name) {
  const at = args.indexOf(name);
  return at === -1 ? undefined : args.splice(at, 2)[1];
}

function takeFlag(name) {
  const at = args.indexOf(name);
  if (at !== -1) args.splice(at, 1);
  return at !== -1;
}

/** Its exit code. */
function runJest(project, options, selected, env, file = reportOf(project)) {
  // Said twice, jest would take the numbers together.
  const workers = args.some((arg) => /^(-w|-i|--maxWorkers|--runInBand)/.test(arg)) ? [] : options;
  const selection = ['--selectProjects', project, '--passWithNoTests', ...workers];
  rmSync(file, { force: true });
  const report = ['--json', `--outputFile=${file}`];
  // The JSON goes to the file and to standard output, where no program reads it; what people read goes to standard error.
  const stdio = ['ignore', 'ignore', 'inherit'];
  const { status } = spawnSync(process.execPath, [...JEST, ...selection, ...report, ...selected], {
    cwd: root,
    env,
    stdio,
  });
  if (!existsSync(file)) {
    console.error(`The tests of ${project} did not run to their end.`);
    writeFileSync(file, JSON.stringify(unfinished(project)));
  }
  return status ?? 1;
}

function reportOf(project) {
  return join(directory, `${project}.json`);
}

/** Each failed file of a group alone, whose result takes the place of the first one in the report. @returns the exit code of the group */
function runFailedAgain(project) {
  const report = JSON.parse(readFileSync(reportOf(project), 'utf8'));
  const failed = report.testResults.filter(({ status }) => status === 'failed');
  // A run that did not come to its end has no file that could be run again.
  const isOver = failed.length > 0 && failed.every(({ name }) => isAbsolute(name));
  if (!isOver || failed.length > MOST_AGAIN) return 1;
  const names = failed.map(({ name }) => relative(root, name));
  console.error(`\nOnce more, alone: ${names.join(', ')}`);
  const alone = join(directory, `${project}, again.json`);
  const titles = args.flatMap((arg, at) => (arg === '-t' ? args.slice(at, at + 2) : []));
  const code = runJest(project, ALONE, [...titles, '--runTestsByPath', ...names], APART, alone);
  const again = JSON.parse(readFileSync(alone, 'utf8'));
  rmSync(alone);
  const testResults = [...report.testResults.filter((file) => !failed.includes(file)), ...again.testResults];
  writeFileSync(reportOf(project), JSON.stringify({ testResults }));
  for (const { name } of again.testResults.filter(({ status }) => status === 'passed'))
    console.error(`FAILED beside others, passed alone: ${relative(root, name)}`);
  return code;
}

/** Half of the files of a group, chosen by the day. */
function halfOf(project) {
  const day = Math.floor(Date.now() / 86_400_000);
  return byHash(filesOf(project), 'half').filter((_, at) => (at + day) % 2 === 0);
}

/** Files of the quick tests in the order in which they run: by the day, so that a failure can be had again. */
function sampleOf(count) {
  return byHash(filesOf('quick'), new Date().toISOString().slice(0, 10)).slice(0, count);
}

/** In an order that depends on nothing but their names and the salt. */
function byHash(files, salt) {
  const place = (path) =>
    createHash('sha256')
      .update(salt + relative(root, path))
      .digest('hex');
  return files.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}

function filesOf(project) {
  const list = spawnSync(process.execPath, [...JEST, '--listTests', '--selectProjects', project], {
    cwd: root,
    encoding: 'utf8',
  });
  if (list.status !== 0) throw new Error(`The tests of ${project} cannot be listed: ${list.stderr}`);
  return list.stdout.trim().split('\n').filter(isAbsolute);
}

/** Each file of the reports in a folder. */
function resultsIn(folder) {
  return readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).testResults);
}

/** Quick files of which another run, in another clone maybe, has left tests out. */
function filesWithSkips(folder) {
  const skipped = resultsIn(folder).filter(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'pending'),
  );
  return filesOf('quick').filter((file) => skipped.some(({ name }) => name.endsWith(`/${relative(root, file)}`)));
}

/** What one would look at first to make the tests faster. */
function printSlowest() {
  const files = resultsIn(directory)
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .toSorted((a, b) => b.seconds - a.seconds);
  console.error('\nThe ten slowest files:');
  for (const { name, seconds } of files.slice(0, 10))
    console.error(`${seconds.toFixed(1).padStart(6)} s  ${relative(root, name)}`);
}
