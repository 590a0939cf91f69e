// Reads jest's JSON report: names the tests that were skipped, then says in one line how the rest went.
import { existsSync, readFileSync } from 'node:fs';

const [path] = process.argv.slice(2);
const report = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
if (!report) {
  console.log('The tests did not run.');
  console.log('0 passed, 1 failed');
} else {
  const skipped = report.testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ status }) => status !== 'passed' && status !== 'failed');
  if (skipped.length > 0) console.log(`SKIPPED ${skipped.length}, for the reason in the title:`);
  for (const { fullName } of skipped) console.log(`  ${fullName}`);
  // A file that could not even be loaded counts as one failure: none of its tests ran.
  console.log(`${report.numPassedTests} passed, ${report.numFailedTests + report.numRuntimeErrorTestSuites} failed`);
}
