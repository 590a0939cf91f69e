import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { decodeWav } from '../../base/audio/wav.js';
import { didYouMean } from '../../base/names/did-you-mean.js';
import type { NamedCheck } from './call-check.js';
import { type CallerStep, STEP_FIELDS } from './caller-steps.js';
import { check, type FieldProblem, problemsOf } from './fields.js';
import { PLAYED_FIELDS } from './played-functions.js';
import { type CheckedScenario, FAULT_FIELDS, RULE_FIELDS, scenarioSchema } from './scenario-schema.js';

/** A checked scenario, and where it was read. The files that it names are absolute paths. */
export interface PlacedScenario extends CheckedScenario {
  /** Absolute path. */
  readonly file: string;
  /** From 1; undefined where it is not known. */
  readonly line: number | undefined;
}

/** What is wrong with a file of scenarios, and where. */
export interface ScenarioProblem {
  /** Absolute path. */
  readonly file: string;
  readonly line: number | undefined;
  /** Such as `caller[2].say`; empty for the whole file. */
  readonly field: string;
  /** What was expected. */
  readonly message: string;
}

/** Finds the line of a field, from the outside in; of the nearest field around it where that one is not there. */
export type LineOf = (path: ReadonlyArray<string | number>) => number | undefined;

/** Checks a scenario, with the files that it names. @param given as it stands in its file */
export function placeScenario(given: unknown, file: string, lineOf: LineOf): PlacedScenario | ScenarioProblem[] {
  const problem = ({ path, message }: FieldProblem): ScenarioProblem => ({
    file,
    line: lineOf(path),
    field: fieldName(path),
    message,
  });
  const checked = check(scenarioSchema, given);
  if (!checked.success) return problemsOf(checked.error).map((one) => problem(helped(one)));
  const folder = dirname(file);
  const missing = new Files(folder, lineOf);
  const scenario = missing.resolve(checked.data);
  if (missing.problems.length > 0) return missing.problems.map(problem);
  return { ...scenario, file, line: lineOf([]) };
}

/** `caller[2].say` */
export const fieldName = (path: ReadonlyArray<string | number>): string =>
  path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('');

const { expect, dialout, network } = scenarioSchema.shape;
/** The fields that there are, by where; of each item of a list under its name with `[]`. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  '': [...Object.keys(scenarioSchema.shape), 'each'],
  expect: Object.keys(expect.unwrap().shape),
  dialout: Object.keys(dialout.unwrap().shape),
  network: Object.keys(network.unwrap().shape),
  'caller[]': STEP_FIELDS,
  'model[]': RULE_FIELDS,
  'faults[]': FAULT_FIELDS,
};

function helped(problem: FieldProblem): FieldProblem {
  const { path, message } = problem;
  const place = fieldName(path.slice(0, -1)).replace(/\[\d+\]/g, '[]');
  const known = path[0] === 'tools' ? PLAYED_FIELDS : KNOWN[place.replace(/(\.repeat\[\])+$/, '')];
  if (message !== 'is not known' || !known) return problem;
  return { path, message: `is not known: ${didYouMean(String(path.at(-1)), known)}` };
}

/** The files that a scenario names, which must be there and be what they should be. */
class Files {
  readonly problems: FieldProblem[] = [];

  constructor(
    private readonly folder: string,
    private readonly lineOf: LineOf,
  ) {}

  resolve(scenario: CheckedScenario): CheckedScenario {
    const { bot, then } = scenario;
    const there = bot !== undefined && { bot: this.#there(bot, ['bot']) };
    return {
      ...this.#call(scenario, []),
      ...there,
      // biome-ignore lint/suspicious/noThenProperty: a list; only a function would make a promise of it
      then: then.map((one, at) => this.#call(one, then.length === 1 ? ['then'] : ['then', at])),
    };
  }

  #call<Call extends Pick<CheckedScenario, 'caller' | 'expect'>>(call: Call, path: Array<string | number>): Call {
    const { caller, expect } = call;
    return {
      ...call,
      ...(Array.isArray(caller) && { caller: this.#steps(caller, [...path, 'caller']) }),
      expect: {
        ...expect,
        sound: expect.sound.map((file, at) => this.#wav(file, [...path, 'expect', 'sound', at])),
        check: expect.check.map((one, at) => this.#check(one, [...path, 'expect', 'check', at])),
      },
    };
  }

  #steps(steps: readonly CallerStep[], path: Array<string | number>): CallerStep[] {
    return steps.map((one, at) => {
      if (one.kind === 'play') return { ...one, file: this.#wav(one.file, [...path, at, 'play']) };
      if (one.kind === 'repeat') return { ...one, steps: this.#steps(one.steps, [...path, at, 'repeat']) };
      if (one.kind !== 'either') return one;
      const branches = one.branches.map((branch, no) => ({
        ...branch,
        steps: this.#steps(branch.steps, [...path, at, 'either', no, 'then']),
      }));
      return { ...one, branches };
    });
  }

  #check(check: NamedCheck, path: Array<string | number>): NamedCheck {
    if (check.file === undefined) return check;
    return { ...check, file: this.#there(check.file, path), line: this.lineOf(path) };
  }

  #there(file: string, path: Array<string | number>): string {
    const absolute = resolve(this.folder, file);
    if (!existsSync(absolute)) this.problems.push({ path, message: `names ${absolute}, which is not there` });
    return absolute;
  }

  #wav(file: string, path: Array<string | number>): string {
    const absolute = this.#there(file, path);
    if (!existsSync(absolute)) return absolute;
    try {
      decodeWav(readFileSync(absolute));
    } catch (error) {
      this.problems.push({ path, message: `names ${absolute}: ${(error as Error).message}` });
    }
    return absolute;
  }
}
