// Reads the reports that scripts/test.mjs has left in a folder: names the tests that were skipped, then says in one line how the
// rest went. A test may be skipped for what its title says that it needs: one without such a title counts as failed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import jest from '../jest.config.js';

const [directory] = process.argv.slice(2);
const paths = jest.projects.map(({ displayName }) => join(directory, `${displayName}.json`));
const missing = paths.filter((path) => !existsSync(path));
for (const path of missing) console.log(`There is no report ${path}: these tests did not run to their end.`);
const reports = paths.filter((path) => !missing.includes(path)).map((path) => JSON.parse(readFileSync(path, 'utf8')));
const skipped = reports
  .flatMap(({ testResults }) => testResults)
  .flatMap(({ assertionResults }) => assertionResults)
  .filter(({ status }) => status !== 'passed' && status !== 'failed')
  .map(({ fullName }) => fullName);
if (skipped.length > 0) console.log(`SKIPPED ${skipped.length}, for the reason in the title:`);
for (const name of skipped) console.log(`  ${name}`);
const unexplained = skipped.filter((name) => !/\(needs .+\)/.test(name));
for (const name of unexplained) console.log(`SKIPPED without a reason: ${name}`);
const sum = (count) => reports.reduce((total, report) => total + count(report), 0);
// A file that could not even be loaded counts as one failure: none of its tests ran.
const failed = sum(({ numFailedTests, numRuntimeErrorTestSuites }) => numFailedTests + numRuntimeErrorTestSuites);
console.log(
  `${sum(({ numPassedTests }) => numPassedTests)} passed, ${failed + missing.length + unexplained.length} failed`,
);
