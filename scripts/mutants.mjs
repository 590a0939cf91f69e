// Shows what the tests notice: makes small mistakes in the code, one at a time, and runs the tests that are related to each.
//
//   node scripts/mutants.mjs list --seed 11 --count 150 [--except name,file.ts:name] > mutants.json
//   node scripts/mutants.mjs try mutants.json results.json [--times report.json,...] [--effort 3] [--only id,id] [--part 1/2]
//   node scripts/mutants.mjs compare before.json after.json
//
// The list is the same for the same code and seed, and can be tried on later code: a mutant knows its line, wherever that has moved.
// `--times` are jest's JSON reports, for how long each test file takes. The results are lines of JSON, of which the last about a mutant
// counts: `try` goes on where it was stopped, and with more `--effort` tries more tests on what has escaped. Nothing else may use the
// clone meanwhile, for the mistake is in its `src` and `dist`.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from '@babel/parser';
import babel from '@babel/traverse';
import { buildSync } from 'esbuild';
import { COMPILED, JEST } from './toolchain.mjs';

const AREAS = ['providers', 'runner', 'bot/transports', 'providers/rooms', 'bot/conversation'];
const SPARES = 8;
const MOST_PER_FILE = 2;
const MOST_NEAR = 12;

const text = { type: 'string' };
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: text, count: text, except: text, times: text, only: text, part: text, effort: text },
});
const effort = Number(options.effort ?? 1);
/** Of a file that does not import the mutated one itself, as recorded. */
const MOST_FILE_S = 10 * effort;
/** Of the test files for one mutant: how many, how long as recorded, and how long now. */
const MOST_RELATED = 15 * effort;
const MOST_RECORDED_S = 25 * effort;
const MOST_RUN_MS = 45_000 * effort;

const [command, ...paths] = positionals;
const [first, second] = paths.map((path) => resolve(path));
process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130)); // which puts back what is changed
if (command === 'list') console.log(JSON.stringify(list(Number(options.seed), Number(options.count)), null, 1));
else if (command === 'try') await tryAll(JSON.parse(read(first)), second);
else if (command === 'compare') compare(readResults(first), readResults(second));
else throw new Error('Say list, try or compare.');

function read(path) {
  return fs.readFileSync(path, 'utf8');
}

function parseFile(code) {
  return parse(code, { sourceType: 'module', plugins: ['typescript', 'explicitResourceManagement'] });
}

function filesBelow(directory) {
  const paths = fs.readdirSync(directory, { recursive: true }).map((path) => join(directory, path));
  return paths.filter((path) => /\.(ts|mjs)$/.test(path)).sort();
}

// ---- list ----

/** As many of each area, in turn; the spares are last. */
function list(seed, count) {
  const random = randomFrom(seed);
  const share = Math.ceil((count + SPARES) / AREAS.length);
  const chosen = AREAS.map((area) => {
    const all = filesBelow(`src/${area}`).flatMap(candidates);
    const order = new Map(all.map((mutant) => [mutant, random()]));
    all.sort((a, b) => order.get(a) - order.get(b));
    return choose(all, share, Math.ceil(share / 6));
  });
  const inTurn = chosen[0].flatMap((_, i) => chosen.map((ofArea) => ofArea[i]));
  return inTurn.slice(0, count + SPARES).map((mutant, i) => ({ id: i + 1, isSpare: i >= count, ...mutant }));
}

/** The first ones, but only one of a line, and not too many of a file, and of a kind while there are others. */
function choose(all, count, mostPerKind) {
  const chosen = [];
  for (const mutant of all) {
    const ofFile = chosen.filter(({ file }) => file === mutant.file);
    const ofKind = chosen.filter(({ kind }) => kind === mutant.kind);
    const isNew = ofFile.length < MOST_PER_FILE && ofFile.every(({ line }) => line !== mutant.line);
    if (isNew && ofKind.length < mostPerKind && chosen.length < count) chosen.push(mutant);
  }
  return chosen.length === count || mostPerKind > count ? chosen : choose(all, count, mostPerKind + 1);
}

/** Whatever could be a mistake in a file. */
function candidates(file) {
  const code = read(file);
  const lines = code.split('\n');
  const found = [];
  const excepted = (options.except ?? '').split(',').map((name) => name.replace(`${file}:`, ''));
  const add = (kind, start, end, replacement) => {
    const line = code.slice(0, start).split('\n').length;
    const text = lines[line - 1];
    const occurrence = lines.slice(0, line).filter((other) => other === text).length;
    const column = start - lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
    const original = code.slice(start, end);
    found.push({ file, line, text, occurrence, kind, start, end, column, original, replacement });
  };
  const addOperator = (kind, { left, operator }, other) => {
    const start = code.indexOf(operator, left.end);
    if (other) add(kind, start, start + operator.length, other);
  };
  const relations = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' };
  babel.default(parseFile(code), {
    enter(path) {
      const { type, key } = path.node;
      const isType = type.startsWith('TS') && !/^TS(As|NonNull|Satisfies|ParameterProperty)/.test(type);
      if (isType || isLogging(path.node) || excepted.includes(nameOf(key))) path.skip();
    },
    BinaryExpression({ node }) {
      addOperator('relation', node, relations[node.operator]);
      const isText = /['"`]/.test(code.slice(node.start, node.end)); // where + joins texts
      if (!isText) addOperator('arithmetic', node, { '+': '-', '-': '+', '*': '/', '/': '*' }[node.operator]);
    },
    LogicalExpression: ({ node }) => addOperator('logic', node, { '&&': '||', '||': '&&' }[node.operator]),
    UnaryExpression: ({ node }) => node.operator === '!' && add('negation', node.start, node.start + 1, ''),
    BooleanLiteral: ({ node }) => add('boolean', node.start, node.end, String(!node.value)),
    IfStatement({ node: { test } }) {
      for (const value of ['true', 'false']) add('condition', test.start, test.end, value);
    },
    NumericLiteral({ node, key }) {
      const isSmall = node.value < 1_000 && /^\d+$/.test(node.extra.raw); // 20_001 ms are as good as 20_000
      if (isSmall && key !== 'key') add('number', node.start, node.end, String(node.value + 1));
    },
    ExpressionStatement({ node }) {
      const call = node.expression.type === 'AwaitExpression' ? node.expression.argument : node.expression;
      const isCall = /^(Optional)?CallExpression$/.test(call.type) && call.callee.type !== 'Super';
      if (isCall && !isLogging(call)) add('call', node.start, node.end, ';');
    },
    ReturnStatement({ node: { argument } }) {
      if (argument && argument.name !== 'undefined') add('return', argument.start, argument.end, 'undefined');
    },
    StringLiteral(path) {
      if (/^\S+$/.test(path.node.value) && !isMessage(path)) add('string', path.node.start, path.node.end, "''");
    },
  });
  return found;
}

function nameOf(key) {
  return key?.name ?? key?.id?.name;
}

function isLogging({ type, callee }) {
  return type === 'CallExpression' && /^(log|debug|info|warn|error)$/.test(nameOf(callee.property));
}

/** Whether only people or the module loader read a string. */
function isMessage(path) {
  const isPartOfMessage = ({ node }) =>
    node.type === 'ThrowStatement' ||
    (node.type === 'NewExpression' && /Error$/.test(node.callee.name)) ||
    (node.type === 'ObjectProperty' && /^(hint|detail|message|cause)$/.test(node.key.name));
  return /^(Import|Export)/.test(path.parent.type) || path.key === 'key' || path.findParent(isPartOfMessage);
}

/** Mulberry32: the same numbers from 0 to 1 for the same seed. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

// ---- try ----

async function tryAll(mutants, results) {
  const [part, parts] = (options.part ?? '1/1').split('/').map(Number);
  const only = options.only?.split(',').map(Number);
  const mine = mutants.filter(
    ({ id }) => only?.includes(id) ?? Math.floor((id - 1) / AREAS.length) % parts === part - 1,
  );
  const queue = mine.filter(({ isSpare }) => only || !isSpare);
  const spares = mine.filter((mutant) => !queue.includes(mutant));
  const findRelated = relatedFinder();
  for (const mutant of queue) {
    const before = readResults(results).find(({ id }) => id === mutant.id);
    const known = before?.status === 'escaped' && (before.effort ?? 1) < effort ? undefined : before;
    const startedAt = Date.now();
    const { status, by, ...more } = known ?? (await tryOne(mutant, findRelated(mutant.file)));
    if (['gone', 'broken'].includes(status) && spares.length > 0) queue.push(spares.shift());
    if (known) continue;
    const { id, file, line, kind } = mutant;
    const seconds = (Date.now() - startedAt) / 1_000;
    fs.appendFileSync(results, `${JSON.stringify({ id, file, line, kind, status, by, ...more, effort, seconds })}\n`);
    console.error(`${id}  ${file}:${line}  ${kind}  ${status}  ${by ?? ''}  ${seconds.toFixed(1)} s`);
  }
}

/** A failing file has caught the mutant if it fails with it again, alone, and passes without it; else it is noise. */
async function tryOne({ file, replacement, ...mutant }, related) {
  const code = fs.existsSync(file) ? read(file) : '';
  const start = startIn(code, mutant);
  if (start === undefined) return { status: 'gone' };
  const mutated = compile(file, code.slice(0, start) + replacement + code.slice(start + mutant.original.length));
  if (!mutated) return { status: 'broken' };
  const runMutated = (files, mostMs) => {
    const putBack = put(mutated);
    return runJest(files, mostMs).finally(putBack);
  };
  const fails = async (run, file) => (await run([file], MOST_RUN_MS)).failed !== undefined;
  const noise = [];
  let left = MOST_RUN_MS;
  for (let files = related; files.length > 0; ) {
    const { failed, passed, isLate, ms } = await runMutated(files, left);
    const result = { files: related.length - files.length + passed.length + 1, noise };
    if (isLate) {
      const isLateAnyway = (await runJest(files, left)).isLate;
      if (isLateAnyway) return { status: 'escaped', isCutShort: true, ...result };
      return { status: 'timeout', by: failed, ...result };
    }
    if (!failed) break;
    const isCaught = (await fails(runMutated, failed)) && !(await fails(runJest, failed));
    if (isCaught) return { status: 'caught', by: failed, ...result };
    noise.push(failed);
    left -= ms;
    files = files.filter((file) => file !== failed && !passed.includes(file));
  }
  return { status: 'escaped', files: related.length, noise };
}

/** Where the mutant's text is now, by its line; undefined if the line is there no more. */
function startIn(code, { text, occurrence, column, original }) {
  const lines = code.split('\n');
  const at = lines.flatMap((line, i) => (line === text ? [i] : []))[occurrence - 1];
  if (at === undefined) return undefined;
  const start = lines.slice(0, at).reduce((sum, { length }) => sum + length + 1, column);
  return code.startsWith(original, start) ? start : undefined;
}

/** What is to be in which file, as scripts/setup.mjs compiles it; undefined if it does not compile. */
function compile(file, code) {
  const stdin = { contents: code, loader: 'ts', sourcefile: basename(file), resolveDir: dirname(file) };
  const outfile = join('dist', relative('src', file)).replace(/\.ts$/, '.js');
  const options = { ...COMPILED, stdin, outfile, write: false, logLevel: 'silent' };
  try {
    return [{ path: file, contents: code }, ...buildSync(options).outputFiles];
  } catch {
    return undefined;
  }
}

/** Writes files, and leaves their times so that the setup does not compile them again. @returns puts back what was there before */
function put(files) {
  const before = files.map(({ path }) => ({ path, contents: fs.readFileSync(path) }));
  const write = ({ path, contents }) => {
    const { atime, mtime } = fs.statSync(path);
    fs.writeFileSync(path, contents);
    fs.utimesSync(path, atime, mtime);
  };
  const putBack = () => {
    before.forEach(write);
    process.off('exit', putBack);
  };
  process.on('exit', putBack);
  files.forEach(write);
  return putBack;
}

/** Runs test files one after the other, in this order, until the first that fails. */
async function runJest(files, mostMs) {
  const directory = fs.mkdtempSync(join(tmpdir(), 'voicebot-mutants-'));
  const sequencer = join(directory, 'sequencer.cjs');
  const sort = `(tests) => ${JSON.stringify(files)}.map((file) => tests.find(({ path }) => path.endsWith('/' + file)))`;
  fs.writeFileSync(sequencer, `module.exports = class { sort = ${sort}; cacheResults() {} };`);
  const args = [...JEST, '--maxWorkers=1', '--forceExit', '--testSequencer', sequencer, '--runTestsByPath', ...files];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL'); // what the tests have started too
    } catch {} // it is over
  };
  process.on('exit', end);
  const startedAt = Date.now();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, mostMs);
  let output = '';
  const thatDid = (verdict) => files.filter((file) => new RegExp(`^${verdict} .*${file}`, 'm').test(output));
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
    if (thatDid('FAIL').length > 0) end(); // jest's own --bail would go on after a file that cannot even be loaded
  });
  await new Promise((done) => child.once('close', done));
  clearTimeout(timer);
  end();
  process.off('exit', end);
  fs.rmSync(directory, { recursive: true });
  const passed = thatDid('PASS');
  // When it ended without a verdict, the file it was at made it do so.
  const failed = thatDid('FAIL')[0] ?? files.find((file) => !passed.includes(file));
  return { passed, failed, isLate, ms: Date.now() - startedAt };
}

/** @returns gives the test files for a module: those that are near it by their imports, then those of its folder */
function relatedFinder() {
  const imports = new Map([...filesBelow('src'), ...filesBelow('test')].map((file) => [file, importsOf(file)]));
  const tests = [...imports.keys()].filter((file) => file.endsWith('.test.ts'));
  const seconds = recordedSeconds();
  const byTime = (a, b) => seconds(a) - seconds(b) || (a < b ? -1 : 1);
  const startsRunner = (file, seen = []) =>
    imports.get(file)?.some((other) => {
      const isNewHelper = other.startsWith('test/') && !seen.includes(other);
      return other === 'src/runner/runner.ts' || (isNewHelper && startsRunner(other, [...seen, other]));
    });
  const isOfFolder = (test, area, sub) => {
    if (['runner', 'bot/transports'].includes(area) && startsRunner(test)) return true;
    const path = relative(`test/${area}`, test);
    return area === 'runner' ? /^[^/]+$/.test(path) || path.startsWith(`${sub}/`) : !path.startsWith('..');
  };
  return (module) => {
    const direct = tests.filter((test) => imports.get(test).includes(module));
    const short = tests.filter((test) => !direct.includes(test) && seconds(test) <= MOST_FILE_S);
    const indirect = short.filter((test) => imports.get(test).some((file) => imports.get(file)?.includes(module)));
    const near = [...direct.sort(byTime), ...indirect.sort(byTime)].slice(0, MOST_NEAR);
    const area =
      AREAS.filter((one) => module.startsWith(`src/${one}/`)).toSorted((a, b) => b.length - a.length)[0] ?? '';
    const [sub] = relative(`src/${area}`, module).split('/');
    const ofFolder = short.filter((test) => !near.includes(test) && isOfFolder(test, area, sub));
    let left = MOST_RECORDED_S;
    const related = [...near, ...ofFolder.sort(byTime)].filter((test) => {
      if (seconds(test) > left) return false;
      left -= seconds(test);
      return true;
    });
    return related.slice(0, MOST_RELATED);
  };
}

/** The modules of this project that a file loads when it starts. */
function importsOf(file) {
  const isType = ({ importKind, exportKind }) => importKind === 'type' || exportKind === 'type';
  const isLoaded = ({ source, specifiers = [], ...statement }) =>
    source?.value.startsWith('.') && !isType(statement) && (specifiers.length === 0 || !specifiers.every(isType));
  const loaded = parseFile(read(file)).program.body.filter(isLoaded);
  return loaded.map(({ source }) => join(dirname(file), source.value).replace(/\.js$/, '.ts'));
}

function recordedSeconds() {
  const reports = (options.times?.split(',') ?? []).map((path) => JSON.parse(read(path)));
  const files = reports.flatMap(({ testResults }) => testResults);
  const seconds = new Map(files.map((file) => [file.name.replace(/^.*?\/(?=test\/)/, ''), secondsOf(file)]));
  return (file) => seconds.get(file) ?? 1;
}

function secondsOf({ startTime, endTime }) {
  return (endTime - startTime) / 1_000;
}

// ---- compare ----

function readResults(path) {
  const lines = fs.existsSync(path) ? read(path).split('\n').filter(Boolean) : [];
  const results = lines.map((line) => JSON.parse(line));
  return [...new Map(results.map((result) => [result.id, result])).values()];
}

function compare(before, after) {
  const pairs = before.map((one) => ({
    ...one,
    before: one.status,
    after: after.find(({ id }) => id === one.id)?.status,
  }));
  const isKnown = (status) => ['caught', 'timeout', 'escaped'].includes(status);
  const tried = pairs.filter((pair) => isKnown(pair.before) && isKnown(pair.after));
  const row = (some) => ({
    tried: some.length,
    'caught before': some.filter((pair) => pair.before !== 'escaped').length,
    'caught after': some.filter((pair) => pair.after !== 'escaped').length,
  });
  const rows = AREAS.map((area) => [area, row(tried.filter(({ file }) => file.startsWith(`src/${area}/`)))]);
  console.table(Object.fromEntries([...rows, ['all', row(tried)]]));
  const print = (title, some) => {
    const lines = some.map(({ id, file, line, kind }) => `\n  ${id}  ${file}:${line}  ${kind}`);
    console.log(`${title}: ${some.length}${lines.join('')}\n`);
  };
  const escaped = (side) => tried.filter((pair) => pair[side] === 'escaped');
  print('Escaped before', escaped('before'));
  print('Escaped after', escaped('after'));
  print(
    'Caught before, escaped after',
    escaped('after').filter((pair) => pair.before !== 'escaped'),
  );
  print(
    'Not tried on both sides',
    pairs.filter((pair) => !tried.includes(pair)),
  );
}
