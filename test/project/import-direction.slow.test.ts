import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Cruise {
  summary: { violations: Array<{ from: string; to: string; rule: { name: string } }> };
}

/** Runs dependency-cruiser with the project's rules over the `src` of `directory`; over ours CI runs it by itself. */
async function cruise(directory: string): Promise<Cruise> {
  const program = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [program, 'src', '--config', join(ROOT, '.dependency-cruiser.cjs'), '--output-type', 'json'];
  const json = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, { cwd: directory, maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
      // It exits with the number of violations, and reports all the same.
      if (error && stdout === '') reject(new Error(stderr));
      else resolve(stdout);
    });
  });
  return JSON.parse(json);
}

describe('a wrong import is found', () => {
  /** Which file imports what, how, and the rule that must notice. */
  const WRONG: Array<[title: string, from: string, to: string, content: string, rule: string]> = [
    ['of a value', 'base/audio/value', 'bot/pipeline/b', 'export { b } from "../../bot/pipeline/b.js";', 'wing-base'],
    ['of a type', 'base/type', 'cli/b', 'import type { B } from "../cli/b.js"; export type A = B;', 'wing-base'],
    ['inside a type', 'base/inside', 'cli/b', 'export interface A { b: import("../cli/b.js").B }', 'wing-base'],
    ['at run time', 'call/lazy', 'runner/b', 'export const a = () => import("../runner/b.js");', 'wing-call'],
    ['of the cluster', 'runner/c', 'cluster/b', 'export type { B } from "../cluster/b.js";', 'wing-runner'],
    ['inside a bot', 'bot/pipeline/a', 'bot/api/b', 'export { b } from "../api/b.js";', 'room-bot/pipeline'],
    [
      'by the sandbox',
      'sandbox/a',
      'bot/pipeline/b',
      'export { b } from "../bot/pipeline/b.js";',
      'sandbox-is-the-far-end',
    ],
    ['by the runner', 'runner/a', 'sandbox/b', 'export type { B } from "../sandbox/b.js";', 'runner-knows-no-sandbox'],
    ['by the page', 'page/a', 'runner/b', 'export { b } from "../runner/b.js";', 'page-runs-in-a-browser'],
    ['of the page', 'cli/served', 'page/b', 'export { b } from "../page/b.js";', 'page-is-served'],
    ['by the public face', 'index', 'runner/b', 'export { b } from "./runner/b.js";', 'public-face'],
    ['of the public face', 'cli/a', 'index', 'export { b } from "../index.js";', 'public-face-is-for-users'],
    ['by the kit', 'lab/kit/a', 'config/b', 'export { b } from "../../config/b.js";', 'kit-is-for-users'],
    ['of nothing', 'base/nothing', 'base/b', 'export { b } from "./gone.js";', 'no-unresolved-imports'],
    ['of a package for tests', 'base/dev', 'base/b', 'export { b } from "for-tests";', 'no-undeclared-packages'],
    ['of a package of another', 'base/other', 'base/b', 'export { b } from "of-another";', 'no-undeclared-packages'],
    ['of its types', 'base/types', 'base/b', 'export type { B } from "of-another";', 'no-undeclared-packages'],
    [
      'of it at run time',
      'base/lazy-other',
      'base/b',
      'export const a = () => import("of-another");',
      'no-undeclared-packages',
    ],
    [
      'of it by require',
      'base/required',
      'base/b',
      'const require = createRequire(import.meta.url); export const a = require("of-another");',
      'no-undeclared-packages',
    ],
    ['of no package', 'base/none', 'base/b', 'export { b } from "not-installed";', 'no-unresolved-imports'],
    ['in a circle', 'base/async/a', 'base/async/c', 'export type { B } from "./c.js"; export type A = 1;', 'no-cycles'],
  ];
  let directory: string;
  let violations: Array<[from: string, rule: string]>;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'voicebot-imports-'));
    for (const [, , to] of WRONG) write(to, 'export const b = 1; export type B = number;');
    for (const [, from, , content] of WRONG) write(from, content);
    write('base/right', 'export { b } from "declared"; export const c = () => import("a-peer");');
    for (const name of ['declared', 'a-peer', 'for-tests', 'of-another']) install(name);
    const manifest = {
      dependencies: { declared: '1' },
      peerDependencies: { 'a-peer': '1' },
      devDependencies: { 'a-peer': '1', 'for-tests': '1' },
    };
    writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
    write('base/async/c', 'import type { A } from "./a.js"; export type B = A;');
    violations = (await cruise(directory)).summary.violations.map(({ from, rule }) => [from, rule.name]);
  }, 60_000);
  afterAll(() => rmSync(directory, { recursive: true }));

  test.each(WRONG)('%s', (_title, from, _to, _content, rule) => {
    expect(violations).toContainEqual([`src/${from}.ts`, rule]);
  });

  test('and nothing else is', () => {
    expect(violations).toHaveLength(WRONG.length);
  });

  function install(name: string): void {
    const folder = join(directory, 'node_modules', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, main: 'index.js' }));
    writeFileSync(join(folder, 'index.js'), 'exports.b = 1;');
  }

  function write(path: string, content: string): void {
    mkdirSync(join(directory, 'src', dirname(path)), { recursive: true });
    writeFileSync(join(directory, 'src', `${path}.ts`), content);
  }
});
