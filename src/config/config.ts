import { join, resolve } from 'node:path';
import { type Warn, warnDeprecated } from '../base/deprecation.js';
import { VoicebotError } from '../base/errors.js';
import { DEFAULT_PAGES } from '../providers/daily/client/pages.js';
import { DEFAULT_ROOM_PROVIDER } from '../providers/registry/room-provider-names.js';
import { roomProviderByName } from '../providers/registry/rooms.js';
import { type CarrierChoice, readCarriers, runnersOwnVariables } from './carrier-settings.js';
import type { Environment } from './environment.js';
import { type NamedExtensions, useNamedExtensions } from './extensions.js';
import { type ConfigFile, pricesFileIn, readConfigFile, readEnvFile } from './files.js';
import { SETTINGS, type Setting, type SettingName, type SettingValues } from './settings.js';
import { isFileSetting, unknownKeys, unknownVariables, type VariableSource } from './unknown-names.js';

/** What holds where no source gives a setting. */
export const DEFAULTS = {
  transport: 'carrier',
  host: '127.0.0.1',
  port: 7860,
  tunnel: 'auto',
  callsPerProcess: 1,
  warm: 1,
  botMemoryMib: 1_024,
  drainSeconds: 30,
  log: 'text',
  logBots: 'off',
  recordDays: 7,
  recordMib: 1_024,
  dialPerMinute: 10,
  dialAtOnce: 5,
  dialMaxSeconds: 900,
  ringSeconds: 45,
  machineDetection: 'off',
  maxCallSeconds: 3_600,
  silenceSeconds: 180,
  roomsProvider: DEFAULT_ROOM_PROVIDER,
  browserPages: DEFAULT_PAGES,
} as const satisfies Partial<SettingValues>;

type WithDefault = keyof typeof DEFAULTS;

/** What an account at a carrier is made of: read together with the names that each carrier has for it. */
const OF_CARRIERS = [
  'carrier',
  'carrierAuthId',
  'carrierAuthToken',
  'carrierPublicKey',
  'carrierPhoneNumber',
  'carrierApiUrl',
] as const satisfies readonly SettingName[];
type OfCarriers = (typeof OF_CARRIERS)[number];

/** What an account at the room provider is made of: a setting that stands behind the one that says which provider that is. */
const OF_ROOMS: readonly SettingName[] = ['roomsApiKey', 'roomsApiUrl', 'roomsPhoneNumber'];

/** Every setting, checked. Those without a default are missing when no source gives them. */
export type Config = Pick<SettingValues, WithDefault> &
  Partial<Omit<SettingValues, WithDefault | OfCarriers>> & {
    readonly carriers: CarrierChoice;
    /** Absolute path of the file of prices; undefined where there is none. */
    readonly pricesFile?: string | undefined;
    /** A flag, a variable or a file names the port; where not, it is the default. */
    readonly isPortNamed: boolean;
    /**
     * Environment variables as a bot shall see them: those of this process over `.env.local` over `.env`, without the
     * runner's own secrets.
     */
    readonly environment: Readonly<Record<string, string>>;
    /** The files that variables came from, with the names of those that are set there and nothing of their values. */
    readonly environmentFiles: ReadonlyArray<{ readonly file: string; readonly names: readonly string[] }>;
    /** The variables that were taken for another one of ours: `name` for `variable`, and where `name` is set. */
    readonly secondNames: ReadonlyArray<{ readonly name: string; readonly variable: string; readonly source: string }>;
  };

export interface ConfigSources {
  /** Settings given on the command line, already checked. */
  flags: Partial<SettingValues>;
  environment: Environment;
  /** Absolute path of the directory whose `.env.local`, `.env` and `voicebot.config` count. */
  directory: string;
  /** Told of settings that go away, once in this process for each. Default: a DeprecationWarning of Node's. */
  warn?: Warn;
}

/**
 * Resolves flags > environment > `.env.local` > `.env` > `voicebot.config` > defaults into one frozen object. A variable
 * set to the empty string counts as not set.
 * @throws VoicebotError VB_CONFIG_INVALID naming every problem on a line of its own, and where the value came from
 */
export async function resolveConfig({ flags, environment, directory, warn }: ConfigSources): Promise<Config> {
  const problems: string[] = [];
  const readVariables = (name: string) => {
    try {
      return readEnvFile(join(directory, name));
    } catch (error) {
      problems.push(`${name} could not be read: ${(error as Error).message}`);
      return {};
    }
  };
  const sources: VariableSource[] = [
    { name: 'the environment', variables: environment },
    ...['.env.local', '.env'].map((name) => ({ name, variables: readVariables(name) })),
  ];
  const file = await readConfigFile(directory).catch((error: Error) => {
    problems.push(error.message);
    return undefined;
  });
  await useNamedExtensions(namedExtensions(sources, file), directory); // the carriers that they bring are values of settings
  const unknown = file ? unknownKeys(file) : [];
  problems.push(...unknown, ...unknownVariables(sources));

  const values: Record<string, unknown> = { ...DEFAULTS };
  const secondNames: Array<Config['secondNames'][number]> = [];
  let carrierBy = '';
  let isPortNamed = false;
  let hint: string | undefined;
  const configured = findVariable(sources, SETTINGS.roomsProvider.variable)?.value ?? file?.values.roomsProvider;
  const isOtherProvider =
    flags.roomsProvider !== undefined && flags.roomsProvider !== (configured ?? DEFAULTS.roomsProvider);
  for (const [name, { variable, inFile, isPath, parse, deprecated, hint: cure }] of SETTINGS_BY_NAME) {
    if (flags[name] !== undefined && !isOfCarriers(name)) {
      if (name === 'port') isPortNamed = true;
      values[name] = flags[name];
      continue;
    }
    // Ours are those of the room provider that is configured, and the key of one provider is not shown to another.
    const isOfOther = OF_ROOMS.includes(name) && isOtherProvider;
    const secondName = name === 'roomsApiKey' ? keyVariableOf(values.roomsProvider) : undefined;
    const own = isOfOther ? undefined : findVariable(sources, variable);
    const found = own ?? (secondName ? findVariable(sources, secondName) : undefined);
    const raw = found?.value ?? (inFile && !isOfOther ? file?.values[name] : undefined);
    if (raw === undefined) continue;
    if (found && found.name === secondName) secondNames.push({ name: found.name, variable, source: found.source });
    const place = found ? `${found.name} in ${found.source}` : `${name} in ${file?.name}`;
    if (name === 'carrier') carrierBy = place;
    if (name === 'port') isPortNamed = true;
    try {
      const value = parse(raw);
      values[name] = isPath ? resolve(directory, String(value)) : value;
      if (deprecated) warnDeprecated({ name: place, ...deprecated }, warn);
    } catch (error) {
      problems.push(`${place} ${(error as Error).message}`);
      hint ??= cure;
    }
  }
  const ours: Partial<SettingValues> = Object.fromEntries(OF_CARRIERS.map((name) => [name, values[name]]));
  for (const name of OF_CARRIERS) delete values[name];
  const { carrier } = ours;
  const {
    problems: carrierProblems,
    secondNames: carrierNames,
    ...carriers
  } = readCarriers({
    flags,
    configured: carrier && { carrier, by: carrierBy },
    ours,
    find: (name) => findVariable(sources, name),
  });
  problems.push(...carrierProblems);
  if (problems.length > 0) {
    const known = Object.keys(SETTINGS).filter(isFileSetting).join(', ');
    throw new VoicebotError('VB_CONFIG_INVALID', problems.join('\n'), {
      hint: hint ?? (unknown.length > 0 ? `${file?.name} may have: ${known}` : undefined),
    });
  }
  const [, ...files] = sources;
  const environmentFiles = files
    .map(({ name, variables }) => ({ file: name, names: Object.keys(variables).filter((one) => variables[one]) }))
    .filter(({ names }) => names.length > 0);
  return Object.freeze({
    ...(values as Omit<
      Config,
      'carriers' | 'pricesFile' | 'isPortNamed' | 'environment' | 'environmentFiles' | 'secondNames'
    >),
    carriers: Object.freeze(carriers),
    pricesFile: (values.prices as Config['prices']) ?? pricesFileIn(directory),
    isPortNamed,
    environmentFiles: Object.freeze(environmentFiles),
    secondNames: Object.freeze([...carrierNames, ...secondNames]),
    environment: Object.freeze(withoutRunnersSecrets(merge(sources.map(({ variables }) => variables)))),
  });
}

/** What the room provider itself calls the variable of its key. */
const keyVariableOf = (provider: unknown): string | undefined => roomProviderByName(String(provider)).keyVariable;

/** What the sources say of extensions. */
function namedExtensions(
  sources: readonly VariableSource[],
  file: ConfigFile | undefined,
): NamedExtensions | undefined {
  const found = findVariable(sources, SETTINGS.extensions.variable);
  if (found) return { raw: found.value, place: `${found.name} in ${found.source}` };
  const raw = file?.values.extensions;
  return raw === undefined ? undefined : { raw, place: `extensions in ${file?.name}` };
}

/** Later ones give way to earlier ones. */
function merge(environments: readonly Environment[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const [name, value] of environments.toReversed().flatMap(Object.entries<string | undefined>)) {
    if (value) merged[name] = value;
  }
  return merged;
}

/** An empty one counts as not set. */
function findVariable(sources: readonly VariableSource[], name: string) {
  const source = sources.find(({ variables }) => variables[name]);
  const value = source?.variables[name];
  return source && value ? { name, source: source.name, value } : undefined;
}

function withoutRunnersSecrets(environment: Record<string, string>): Record<string, string> {
  const ours = SETTINGS_BY_NAME.filter(([, { isRunners }]) => isRunners).map(([, { variable }]) => variable);
  const secrets = [...ours, ...runnersOwnVariables()];
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secrets.includes(name)));
}

const isOfCarriers = (name: SettingName) => OF_CARRIERS.some((one) => one === name);

const SETTINGS_BY_NAME = Object.entries(SETTINGS) as Array<[SettingName, Setting<unknown>]>;
