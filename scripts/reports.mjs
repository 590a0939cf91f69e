// Writes the reports of what voicebot promises to reports/, one item a line: `npm run reports`, after a compilation. With `--check` nothing is
// written: it fails where a report is not what the code says, and where the changelog does not name what has changed since the last
// released version. docs/versions.md says what each report is for.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { reportsOf, textOf } from './reports/all.mjs';
import { changesSince, readReports, unnamed, unreleased } from './reports/changes.mjs';
import { ROOT } from './reports/program.mjs';

const SHOWN = 12;

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, root: { type: 'string', default: ROOT } },
});
const { check, root } = values;
const folder = join(root, 'reports');
const began = performance.now();
const reports = await reportsOf(root);

const problems = check
  ? Object.entries(reports).flatMap(([name, items]) => differences(name, textOf(name, items)))
  : [];
if (!check) {
  mkdirSync(folder, { recursive: true });
  for (const [name, items] of Object.entries(reports)) writeFileSync(join(folder, `${name}.txt`), textOf(name, items));
}
if (problems.length > 0) problems.push('Look at what has changed, then type: npm run reports');

const released = join(folder, 'released');
if (check && existsSync(released)) {
  const changes = changesSince(readReports(released), reports);
  problems.push(
    ...unnamed(changes, unreleased(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')), readReports(released), reports),
  );
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else {
  const counted = Object.entries(reports).map(([name, { size }]) => `${name} ${size}`);
  console.log(`${counted.join(', ')}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
}

function differences(name, text) {
  const path = join(folder, `${name}.txt`);
  const kept = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  const now = text.split('\n');
  if (kept.join('\n') === text) return [];
  const [before, after] = [new Set(kept), new Set(now)];
  const lines = [
    ...kept.filter((line) => !after.has(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !before.has(line)).map((line) => `+ ${line}`),
  ];
  const more = lines.length > SHOWN ? [`  and ${lines.length - SHOWN} more`] : [];
  return [
    `reports/${name}.txt is not what the code says:`,
    ...lines.slice(0, SHOWN).map((line) => `  ${line}`),
    ...more,
  ];
}
