import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, parse, resolve, sep } from 'node:path';
import { literal, writeXml, type XmlBuilder } from '../../providers/xml-document.js';
import { kindOf } from '../scenario/call-story.js';
import type { ScenarioResult } from '../scenario/scenario-result.js';
import { allFailureLines, expectedText, failuresIn, happenedText } from './failure-text.js';
import { outputOf, propertiesOf } from './junit-details.js';
import { shownPath } from './shown-path.js';
import { byFile, type NotRun, type ScenarioOnWire, type TestOutcome, titlesOf } from './test-outcome.js';

/** The value of `--junit` as an absolute path. @throws Error, for people, when no file can be written there */
export const junitPath =
  (directory: string) =>
  (typed: string): string => {
    const path = resolve(directory, typed);
    if (!existsSync(dirname(path))) throw new Error(`there is no folder ${dirname(path)}`);
    if (existsSync(path) && !statSync(path).isFile()) throw new Error('must be a file');
    return path;
  };

/** Writes {@link junitXml} to a file, in place of what it had. */
export const writeJunit = (path: string, outcome: TestOutcome, directory: string): void =>
  writeFileSync(path, junitXml(outcome, directory));

/**
 * The results as JUnit XML: a suite for each file, a case for each scenario and wire. A scenario that could not be run is an
 * error; one that says so itself, and one that others' failures have kept from running, is skipped.
 * @param directory the working directory, from which the files are named
 * @see https://github.com/testmoapp/junitxml
 */
export function junitXml({ results, notRun, bailed, skipped }: TestOutcome, directory: string): string {
  const left = [...bailed, ...skipped].map((one) => ({ ...one, isSkipped: true as const }));
  const all: Case[] = [...results, ...notRun, ...left];
  const titleOf = titlesOf(all);
  return writeXml('testsuites', (root) => {
    root.att({ name: 'voicebot test', ...figuresOf(all) });
    for (const [file, cases] of byFile(all)) {
      const name = shownPath(file, directory);
      const suite = root.ele('testsuite', attributes({ name, file: name, ...figuresOf(cases), ...beginOf(cases) }));
      for (const one of cases) addCase(suite, one, titleOf(one), name);
    }
  });
}

type Case = ScenarioResult | NotRun | (NotRun & { readonly isSkipped: true });
const isResult = (one: Case): one is ScenarioResult => 'runs' in one;
const skippedIn = (cases: readonly Case[]) => cases.filter((one) => 'isSkipped' in one);
const resultsIn = (cases: readonly Case[]) => cases.filter(isResult);

/** The bot did not answer wrongly: it broke, or never had the call. */
const isBroken = (result: ScenarioResult): boolean =>
  (kindOf(failuresIn(result)) ?? 'answered_wrongly') !== 'answered_wrongly';

/** Sums for a suite. */
const figuresOf = (cases: readonly Case[]) => ({
  tests: cases.length,
  failures: resultsIn(cases).filter((one) => !one.passed && !isBroken(one)).length,
  errors: cases.filter((one) => (isResult(one) ? !one.passed && isBroken(one) : !('isSkipped' in one))).length,
  skipped: skippedIn(cases).length,
  time: secondsOf(cases),
});

/** The lengths of the calls together. */
function secondsOf(cases: readonly Case[]): string {
  const ms = resultsIn(cases).flatMap(({ runs }) => runs.map(({ lengthMs }) => lengthMs));
  return (ms.reduce((sum, one) => sum + one, 0) / 1_000).toFixed(3);
}

/** When the first call began. */
function beginOf(cases: readonly Case[]): { timestamp?: string } {
  const begins = resultsIn(cases).flatMap(({ runs }) => runs.map(({ startedAt }) => startedAt));
  return begins.length === 0 ? {} : { timestamp: new Date(Math.min(...begins)).toISOString() };
}

function addCase(suite: XmlBuilder, one: Case, title: string, file: string): void {
  const { line } = one.scenario;
  const where = { file, ...(line !== undefined && { line }) };
  const element = suite.ele(
    'testcase',
    attributes({ name: title, classname: className(one, file), time: secondsOf([one]), ...where }),
  );
  if ('isSkipped' in one) {
    element.ele('skipped', attributes(one.why === '' ? {} : { message: one.why }));
    return;
  }
  if (!isResult(one)) {
    element.ele('error', attributes({ type: 'not_run', message: one.why })).txt(literal(one.why));
    return;
  }
  const properties = element.ele('properties');
  for (const [name, value] of propertiesOf(one)) properties.ele('property', attributes({ name, value }));
  const [first] = failuresIn(one);
  if (!one.passed && first) {
    const message = `${expectedText(first)}; ${happenedText(first)}`;
    const [name, type] = isBroken(one) ? ['error', kindOf(failuresIn(one)) ?? ''] : ['failure', first.field];
    element.ele(name, attributes({ type, message })).txt(literal(allFailureLines(one).join('\n')));
  }
  const folders = one.runs.flatMap(({ folder }) => folder ?? []);
  if (folders.length > 0) element.ele('system-out').txt(literal(folders.join('\n')));
  const written = outputOf(one);
  if (written.length > 0) element.ele('system-err').txt(literal(written.join('\n')));
}

/** `scenarios.bakery`: what build servers group cases by. */
function className({ scenario }: ScenarioOnWire, shown: string): string {
  const { dir, name } = parse(shown === scenario.file ? parse(shown).base : shown);
  return [...dir.split(sep).filter(Boolean), name].join('.');
}

const attributes = (values: Readonly<Record<string, string | number>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, literal(String(value))]));
