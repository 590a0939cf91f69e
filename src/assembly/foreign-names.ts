import { closestName } from '../base/closest-name.js';
import { LIST } from '../base/names/name-list.js';
import { OWN_VARIABLES } from '../config/carrier-settings.js';
import type { Config } from '../config/config.js';
import { SETTINGS, type Setting } from '../config/settings.js';
import type { TransportKind } from './transports.js';

/** How the variables of providers begin in other tools, and whose of ours they are like; carriers we do not speak have none. */
const FOREIGN_PREFIXES: Readonly<Record<string, TransportKind | undefined>> = {
  CARRIER_: 'carrier',
  PLIVO_: 'carrier',
  TWILIO_: 'carrier',
  TELNYX_: 'carrier',
  ROOMS_: 'rooms',
  DAILY_: 'rooms',
  VONAGE_: undefined,
  SIGNALWIRE_: undefined,
};

const OUR_PREFIX = { carrier: 'CARRIER_', rooms: 'ROOMS_' } as const satisfies Record<TransportKind, string>;

/** A variable of a provider's account that voicebot does not read. */
export interface ForeignName {
  readonly name: string;
  /** The one of ours that was probably meant. */
  readonly meant: string | undefined;
}

const ALL_SETTINGS: ReadonlyArray<Setting<unknown>> = Object.values(SETTINGS);
const VARIABLES = [...ALL_SETTINGS.map(({ variable }) => variable), ...OWN_VARIABLES];
const READ = [...VARIABLES, ...ALL_SETTINGS.flatMap(({ secondName }) => secondName ?? [])];

/**
 * The variables that look like those of a provider's account, and that nothing reads.
 * @param environment without empty ones
 */
export function foreignNamesIn(environment: Config['environment']): ForeignName[] {
  return Object.keys(environment).flatMap((name) => {
    const prefix = Object.keys(FOREIGN_PREFIXES).find((beginning) => name.startsWith(beginning));
    if (prefix === undefined || READ.includes(name)) return [];
    const kind = FOREIGN_PREFIXES[prefix];
    const ending = name.slice(prefix.length);
    return [{ name, meant: kind && (meantBy(prefix, ending) ?? meantBy(OUR_PREFIX[kind], ending)) }];
  });
}

/** By its ending, since the beginnings of all names of a provider are the same; also where the one read has one word more. */
function meantBy(prefix: string, ending: string): string | undefined {
  const endings = VARIABLES.filter((variable) => variable.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const found = closestName(ending, endings) ?? endings.find((ours) => ours.endsWith(`_${ending}`));
  return found && prefix + found;
}

/** What to say of them, one sentence; undefined when there is none. */
export function foreignNamesLine(names: readonly ForeignName[]): string | undefined {
  if (names.length === 0) return undefined;
  const told = names.map(({ name, meant }) => (meant ? `${name} (did you mean ${meant}?)` : name));
  return `voicebot does not read ${LIST.format(told)}`;
}

/** The variables that were taken for ours; the empty string when there are none. */
export function secondNamesLine(secondNames: Config['secondNames']): string {
  return secondNames.map(({ name, variable, source }) => `${name} in ${source} is read as ${variable}`).join(', ');
}
