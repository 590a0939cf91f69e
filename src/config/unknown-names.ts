import { closestName } from '../base/closest-name.js';
import type { Environment } from './environment.js';
import type { ConfigFile } from './files.js';
import { SETTINGS, type Setting, type SettingName } from './settings.js';

/** Where variables come from. */
export interface VariableSource {
  /** For messages: the name of a file, or "the environment". */
  readonly name: string;
  readonly variables: Environment;
}

const OUR_PREFIX = 'VOICEBOT_';
/** Where the state is kept is looked up before any file is read. */
const HOME = 'VOICEBOT_HOME';

const VARIABLES = Object.values(SETTINGS).map(({ variable }) => variable);

export const isFileSetting = (key: string) => Object.hasOwn(SETTINGS, key) && SETTINGS[key as SettingName].inFile;

/** What to say of each `VOICEBOT_…` variable that nothing reads, in whatever case. An empty one counts as not set. */
export function unknownVariables(sources: readonly VariableSource[]): string[] {
  return sources.flatMap((source, index) =>
    Object.entries(source.variables)
      .filter(([name, value]) => value && name.toUpperCase().startsWith(OUR_PREFIX) && !isKnown(name))
      .map(([name]) => `${name} in ${source.name} is not a setting${suggestion(variableMeantBy(name))}`)
      .concat(index > 0 ? homeProblem(source, sources[0]?.variables[HOME]) : []),
  );
}

const isKnown = (name: string) => name === HOME || VARIABLES.some((variable) => variable === name);

/** Our common beginning makes no two names similar. */
function variableMeantBy(name: string): string | undefined {
  const ours = [HOME, ...VARIABLES].filter((variable) => variable.startsWith(OUR_PREFIX));
  const ending = closestName(
    name.slice(OUR_PREFIX.length),
    ours.map((variable) => variable.slice(OUR_PREFIX.length)),
  );
  return ending && OUR_PREFIX + ending;
}

/** @param inEnvironment the same value there is what a container makes of the file */
function homeProblem({ name, variables }: VariableSource, inEnvironment: string | undefined): string[] {
  if (!variables[HOME] || variables[HOME] === inEnvironment) return [];
  return [`${HOME} in ${name} is not read: set it in the environment`];
}

/** What to say of each key of the configuration file that is no setting, or has no place there. */
export function unknownKeys({ name, values }: ConfigFile): string[] {
  return Object.keys(values)
    .filter((key) => !isFileSetting(key))
    .map((key) => {
      const meant = settingMeantBy(key);
      if (meant && !SETTINGS[meant].inFile) {
        return `${key} in ${name}: set ${SETTINGS[meant].variable}; a secret does not belong in this file`;
      }
      return `${key} in ${name} is not a setting${suggestion(meant)}`;
    });
}

/** Its own name, that of its variable, or one that is similar. */
function settingMeantBy(key: string): SettingName | undefined {
  const names = Object.keys(SETTINGS) as SettingName[];
  const byVariable = names.find((name) => (SETTINGS[name] as Setting<unknown>).variable === key);
  return byVariable ?? (closestName(key, names) as SettingName | undefined);
}

const suggestion = (name: string | undefined) => (name ? `; did you mean ${name}?` : '');
