import { join } from 'node:path';
import { VoicebotError } from '../errors.js';
import type { Environment } from './environment.js';
import { readConfigFile, readEnvFile } from './files.js';
import { SETTINGS, type SettingName, type SettingValues } from './settings.js';

const DEFAULTS = {
  transport: 'carrier',
  host: '127.0.0.1',
  port: 7860,
  tunnel: 'auto',
  callsPerProcess: 1,
  warm: 1,
  drainSeconds: 30,
  dialSecondsPerNumber: 60,
  dialPerMinute: 10,
  dialAtOnce: 5,
  dialMaxSeconds: 900,
  ringSeconds: 45,
  machineDetection: 'off',
  carrierApplication: 'own',
  maxCallSeconds: 3_600,
  silenceSeconds: 180,
} as const satisfies Partial<SettingValues>;

type WithDefault = keyof typeof DEFAULTS;

/** Every setting, checked. Those without a default are missing when nobody gave them. */
export type Config = Pick<SettingValues, WithDefault> &
  Partial<Omit<SettingValues, WithDefault>> & {
    /** Environment variables as a bot shall see them: those of this process over `.env.local` over `.env`. */
    readonly environment: Readonly<Record<string, string>>;
    /** The files that variables came from, with the names of those variables and nothing of their values. */
    readonly environmentFiles: ReadonlyArray<{ readonly file: string; readonly names: readonly string[] }>;
  };

export interface ConfigSources {
  /** Settings given on the command line, already checked. */
  flags: Partial<SettingValues>;
  environment: Environment;
  /** Absolute path of the directory whose `.env.local`, `.env` and `voicebot.config` count. */
  directory: string;
}

/**
 * Resolves flags > environment > `.env.local` > `.env` > `voicebot.config` > defaults into one frozen object. A variable
 * set to the empty string counts as not set.
 * @throws VoicebotError VB_CONFIG_INVALID naming every problem on a line of its own, and where the value came from
 */
export async function resolveConfig({ flags, environment, directory }: ConfigSources): Promise<Config> {
  const problems: string[] = [];
  const sources: Array<{ name: string; variables: Environment }> = [
    { name: 'the environment', variables: environment },
    ...['.env.local', '.env'].map((name) => ({ name, variables: readEnvFile(join(directory, name)) })),
  ];
  const file = await readConfigFile(directory).catch((error: Error) => {
    problems.push(error.message);
    return undefined;
  });
  const unknown = file ? Object.keys(file.values).filter((key) => !isFileSetting(key)) : [];
  for (const key of unknown) {
    const secret = entriesOf(SETTINGS).find(([name]) => name === key)?.[1].variable;
    const why = secret ? `: set ${secret}; a secret does not belong in this file` : ' is not a setting';
    problems.push(`${key} in ${file?.name}${why}`);
  }

  const values: Record<string, unknown> = { ...DEFAULTS };
  for (const [name, { variable, inFile, parse }] of entriesOf(SETTINGS)) {
    if (flags[name] !== undefined) {
      values[name] = flags[name];
      continue;
    }
    const source = sources.find(({ variables }) => variables[variable]);
    const raw = source?.variables[variable] ?? (inFile ? file?.values[name] : undefined);
    if (raw === undefined) continue;
    try {
      values[name] = parse(raw);
    } catch (error) {
      problems.push(
        `${source ? `${variable} in ${source.name}` : `${name} in ${file?.name}`} ${(error as Error).message}`,
      );
    }
  }
  if (problems.length > 0) {
    const known = Object.keys(SETTINGS).filter(isFileSetting).join(', ');
    throw new VoicebotError('VB_CONFIG_INVALID', problems.join('\n'), {
      hint: unknown.length > 0 ? `${file?.name} may have: ${known}` : undefined,
    });
  }
  const [, ...files] = sources;
  const environmentFiles = files
    .map(({ name, variables }) => ({ file: name, names: Object.keys(variables) }))
    .filter(({ names }) => names.length > 0);
  return Object.freeze({
    ...(values as Omit<Config, 'environment' | 'environmentFiles'>),
    environmentFiles: Object.freeze(environmentFiles),
    environment: Object.freeze(merge(sources.map(({ variables }) => variables))),
  });
}

/** Later ones give way to earlier ones. */
function merge(environments: readonly Environment[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const [name, value] of environments.toReversed().flatMap(Object.entries<string | undefined>)) {
    if (value) merged[name] = value;
  }
  return merged;
}

const isFileSetting = (key: string) => Object.hasOwn(SETTINGS, key) && SETTINGS[key as SettingName].inFile;

const entriesOf = <T extends object>(table: T) => Object.entries(table) as Array<[keyof T & SettingName, T[keyof T]]>;
