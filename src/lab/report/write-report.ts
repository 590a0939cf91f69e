import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCallFolder } from '../../call/folder/read-call-folder.js';
import { callPage } from './call-page.js';
import type { Html } from './html.js';
import { indexPage } from './index-page.js';
import { GENERATOR, REPORT_FILES } from './report-folder.js';
import type { ReportedRun, ReportedScenario, ReportedTest } from './reported-test.js';
import { addResult, commitOf, readResults, resultLine } from './results-file.js';

/** Tests that the trend goes back. */
const MOST_TESTS = 30;

/** In place of the page while the others are written, and for good where the test is killed meanwhile. */
const UNFINISHED = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
${GENERATOR}
<title>Not complete</title>
<p>The test that writes these pages has not written all of them.</p>
</html>
`;

export interface ReportOptions {
  /** Absolute path: {@link reportFolder} has looked at it. */
  readonly folder: string;
  /** The project's, whose commit was tested. */
  readonly directory: string;
  readonly junit: string;
  /** Per cent. */
  readonly coverage?: number | undefined;
  /** Below the scenarios. */
  readonly more?: Html | undefined;
}

/** Writes what a test has come to as a folder that stands by itself: the page over all, one for each call, JUnit, and the results so far. */
export async function writeReport(test: ReportedTest, options: ReportOptions): Promise<void> {
  const { folder, directory, junit, coverage, more } = options;
  const path = (name: string) => join(folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path(REPORT_FILES.index), UNFINISHED); // from now on the folder is known as a test's
  rmSync(path(REPORT_FILES.calls), { recursive: true, force: true });
  writeFileSync(path(REPORT_FILES.junit), junit);
  addResult(path(REPORT_FILES.results), resultLine(test, { commit: await commitOf(directory), coverage }));
  const pages = await writeCalls(test, folder);
  const history = readResults(path(REPORT_FILES.results), MOST_TESTS);
  const page = indexPage({ test, history, pageOf: (_, run) => pages.get(run), ...(more && { more }) });
  writeFileSync(path(REPORT_FILES.index), page);
}

/** @returns where the page of each call is, from the folder */
async function writeCalls({ scenarios }: ReportedTest, folder: string): Promise<Map<ReportedRun, string>> {
  const pages = new Map<ReportedRun, string>();
  mkdirSync(join(folder, REPORT_FILES.calls));
  for (const [at, scenario] of scenarios.entries()) {
    for (const run of scenario.runs) {
      if (run.folder === undefined) continue;
      const page = `${REPORT_FILES.calls}/${at + 1}-${run.no}.html`;
      const call = existsSync(run.folder) ? await readCallFolder(run.folder) : undefined; // runners remove old ones
      if (!call) continue;
      writeFileSync(join(folder, page), await callPage(call, headOf(scenario, run)));
      pages.set(run, page);
    }
  }
  return pages;
}

function headOf({ title, runs }: ReportedScenario, { no, failures }: ReportedRun) {
  return {
    title: runs.length > 1 ? `${title}, run ${no}` : title,
    back: `../${REPORT_FILES.index}`,
    tone: failures.length === 0 ? ('good' as const) : ('bad' as const),
    notes: failures.flatMap(({ expected, happened }) =>
      expected === undefined ? [`broke     ${happened}`] : [`expected  ${expected}`, `happened  ${happened}`],
    ),
  };
}
