// Makes a release: `npm run release -- 1.0.0-rc.2`. Refuses, with every reason at once, what docs/versions.md does not allow. Then it dates
// the changelog, writes the version, and keeps the reports as what this version promises. It commits, tags and pushes nothing: it says what
// to type.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changesSince, readReports, unreleased } from './reports/changes.mjs';
import { ROOT } from './reports/program.mjs';
import { datedChangelog, refusalsOf } from './reports/versions.mjs';

const { values, positionals } = parseArgs({
  options: { root: { type: 'string', default: ROOT } },
  allowPositionals: true,
});
const { root } = values;
const [version] = positionals;
const at = (...parts) => join(root, ...parts);
const json = (path) => JSON.parse(readFileSync(at(path), 'utf8'));

const changelog = readFileSync(at('CHANGELOG.md'), 'utf8');
const before = json('package.json').version;
const kept = readReports(at('reports', 'released'));
const now = readReports(at('reports'));
const git = (...words) => execFileSync('git', ['-C', root, ...words], { encoding: 'utf8' });

const problems = [];
if (version === undefined) problems.push('The version is missing: npm run release -- 1.0.0-rc.2');
if (git('status', '--porcelain') !== '') problems.push('There are changes that are not committed: git status');
if (version !== undefined)
  problems.push(
    ...refusalsOf({
      before,
      version,
      changes: changesSince(kept, now),
      bullets: unreleased(changelog),
      released: kept,
      reports: now,
    }),
  );
if (problems.length === 0) problems.push(...failedCheck());
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else release();

/** The reports must be those of the code. */
function failedCheck() {
  try {
    execFileSync(process.execPath, [join(ROOT, 'scripts', 'reports.mjs'), '--check', '--root', root], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return [];
  } catch (error) {
    return [error.stderr.trim()];
  }
}

function release() {
  const day = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
  writeFileSync(at('CHANGELOG.md'), datedChangelog(changelog, version, day));
  for (const path of ['package.json', 'package-lock.json']) if (existsSync(at(path))) writeVersion(path);
  keepReports();
  console.log(`${before} is ${version} now. Make the state that this version writes, for the tests of the next one, then commit and tag:

  node scripts/state-fixture.mjs
  git add -A && git commit -m 'Version ${version}'
  git tag -s v${version} -m 'voicebot ${version}'       # or -a, without a key to sign with
  git push --follow-tags`);
}

function writeVersion(path) {
  const content = json(path);
  content.version = version;
  if (content.packages?.['']) content.packages[''].version = version;
  writeFileSync(at(path), `${JSON.stringify(content, undefined, 2)}\n`);
}

function keepReports() {
  rmSync(at('reports', 'released'), { recursive: true, force: true });
  for (const name of Object.keys(now)) cpSync(at('reports', `${name}.txt`), at('reports', 'released', `${name}.txt`));
}
