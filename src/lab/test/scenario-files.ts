import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errorText } from '../../base/error-text.js';
import { contentOf } from '../../runner/bots/bot-source.js';
import type { PlacedScenario, ScenarioProblem } from '../scenario/placed-scenario.js';
import { isScenario, type Scenario } from '../scenario/scenario.js';
import { placeScenarios } from '../scenario/scenario-table.js';
import { type ReadScenarios, readYamlScenarios } from '../scenario/yaml-scenarios.js';
import { importCode, lineIn } from './import-code.js';
import { loadChecks } from './scenario-checks.js';
import { ScenariosInvalid } from './scenarios-invalid.js';

const IS_CODE = /\.scenario\.[mc]?[jt]s$/;
const IS_YAML = /\.ya?ml$/;
/** Wherever it stands. */
const IS_SCENARIO = /\.scenario\.([mc]?[jt]s|ya?ml)$/;
const FOLDER = 'scenarios';

/** The files of scenarios below a folder: those in folders named `scenarios`, and those that say so in their name. */
function filesBelow(folder: string, isScenarios: boolean): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path, isScenarios || entry.name === FOLDER);
      const isOne = isScenarios ? IS_YAML.test(entry.name) || IS_CODE.test(entry.name) : IS_SCENARIO.test(entry.name);
      return entry.isFile() && isOne ? [path] : [];
    });
}

/** What is in a file; of a folder, which files of scenarios are below it, a line each; undefined where nothing is. @param isScenarios whether the folder was asked for by its name */
export function contentBelow(path: string, isScenarios: boolean): string | undefined {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? filesBelow(path, isScenarios).join('\n') : contentOf(path);
}

/** Contents of files by absolute path; undefined for one that is not there. */
export type Contents = ReadonlyMap<string, string | undefined>;

/** Of each file of scenarios, what was read of it and of the files of the project that it imports. */
export type ScenarioParts = Map<string, Contents>;

/**
 * Reads scenarios.
 * @param typed files and folders; none: those below `directory`
 * @param read gets what was read, also where it is not valid
 * @throws ScenariosInvalid with every problem of all of them
 */
export async function readScenarioFiles(
  typed: readonly string[],
  directory: string,
  read: ScenarioParts = new Map(),
): Promise<PlacedScenario[]> {
  const problems: ScenarioProblem[] = [];
  const files =
    typed.length === 0
      ? filesBelow(directory, false)
      : typed.flatMap((one) => filesOf(resolve(directory, one), problems));
  if (files.length === 0 && problems.length === 0)
    problems.push({
      file: directory,
      line: undefined,
      field: '',
      message: `has no scenarios: write one as ${FOLDER}/first.yaml`,
    });
  const scenarios: PlacedScenario[] = [];
  for (const file of new Set(files)) {
    const parts = new Map([[file, contentOf(file)]]);
    read.set(file, parts);
    const placed = await (IS_CODE.test(file) ? readCode(file, parts) : readYamlScenarios(file));
    const one = await loadChecks(placed, parts);
    scenarios.push(...one.scenarios);
    problems.push(...one.problems);
  }
  problems.push(...sameNames(scenarios));
  if (problems.length > 0) throw new ScenariosInvalid(problems, directory);
  return scenarios;
}

function filesOf(path: string, problems: ScenarioProblem[]): string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  const refuse = (message: string) => problems.push({ file: path, line: undefined, field: '', message });
  if (!stat) refuse('is not there');
  else if (stat.isDirectory()) {
    const files = filesBelow(path, true);
    if (files.length === 0) refuse('has no scenarios: their files end in .yaml, .yml or .scenario.ts');
    return files;
  } else if (IS_YAML.test(path) || IS_CODE.test(path)) return [path];
  else refuse('is no file of scenarios: its name ends in .yaml, .yml or .scenario.ts');
  return [];
}

/** Names tell scenarios apart in every report. */
function sameNames(scenarios: readonly PlacedScenario[]): ScenarioProblem[] {
  return scenarios.flatMap(({ file, line, name }, at) => {
    const first = scenarios.findIndex((one) => one.file === file && one.name === name);
    return first === at
      ? []
      : [{ file, line, field: 'name', message: `is that of another scenario of this file: ${name}` }];
  });
}

/** Every scenario that a module exports, alone or in lists. @param parts gets what was read */
async function readCode(file: string, parts: Map<string, string | undefined>): Promise<ReadScenarios> {
  let exported: unknown[];
  try {
    exported = Object.values(await importCode(file, parts)).flat();
  } catch (error) {
    return {
      scenarios: [],
      problems: [{ file, line: lineIn(error, file), field: '', message: errorText(error) }],
    };
  }
  const found = [...new Set(exported.filter(isScenario))];
  if (found.length === 0)
    return { scenarios: [], problems: [{ file, line: undefined, field: '', message: 'exports no scenario({ … })' }] };
  const placed = found.map(({ options, line }: Scenario) => placeScenarios(options, file, () => line));
  return {
    scenarios: placed.flatMap((one) => one.scenarios),
    problems: placed.flatMap((one) => one.problems),
  };
}
