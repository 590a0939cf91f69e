// Reads the reports that runs of scripts/test.mjs have left in folders: names the tests that none of the runs has done and those that
// failed, then says in one line how all went. A test may be skipped for what its title says that it needs: one without such a title counts as failed.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const reports = process.argv.slice(2).flatMap((folder) => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
});
const files = reports.flatMap(({ testResults }) => testResults);
const tests = files.flatMap(({ assertionResults }) => assertionResults);
const isDone = ({ status }) => status === 'passed' || status === 'failed';
// Some titles say what they need only where it is missing.
const known = (name) => name.replaceAll(/ \(needs [^)]*\)/g, '');
const done = new Set(tests.filter(isDone).map(({ fullName }) => known(fullName)));
const skipped = [...new Set(tests.map(({ fullName }) => fullName))].filter((name) => !done.has(known(name)));
if (skipped.length > 0) console.log(`SKIPPED ${skipped.length}, for the reason in the title:`);
for (const name of skipped) console.log(`  ${name}`);
const unexplained = skipped.filter((name) => !/\(needs .+\)/.test(name));
for (const name of unexplained) console.log(`SKIPPED without a reason: ${name}`);
// A file that could not even be loaded counts as one failure: none of its tests ran.
const failed = files
  .filter(({ status }) => status === 'failed')
  .flatMap(({ name, assertionResults }) => {
    const titles = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
    return (titles.length > 0 ? titles : ['could not run']).map((title) => `${relative('.', name)}: ${title}`);
  });
for (const line of failed) console.log(`FAILED ${line}`);
const passed = tests.filter(({ status }) => status === 'passed').length;
console.log(`${passed} passed, ${failed.length + unexplained.length} failed`);
process.exitCode = unexplained.length > 0 ? 1 : 0;
