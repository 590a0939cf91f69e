import { closestName } from '../../closest-name.js';
import type { Config } from '../../config/config.js';
import { SETTINGS, type Setting } from '../../config/settings.js';
import { PROVIDER_WORDS, type TransportKind } from './transports.js';

/** How the variables of providers begin in other tools, and whose of ours they are like; carriers we do not speak have none. */
const FOREIGN_PREFIXES: Readonly<Record<string, TransportKind | undefined>> = {
  CARRIER_: 'carrier',
  PLIVO_: 'carrier',
  ROOMS_: 'rooms',
  DAILY_: 'rooms',
  TWILIO_: undefined,
  TELNYX_: undefined,
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
const READ = ALL_SETTINGS.flatMap(({ variable, secondName }) => (secondName ? [variable, secondName] : [variable]));

/**
 * The variables that look like those of a provider's account, and that nothing reads.
 * @param environment without empty ones
 */
export function foreignNamesIn(environment: Config['environment']): ForeignName[] {
  return Object.keys(environment).flatMap((name) => {
    const prefix = Object.keys(FOREIGN_PREFIXES).find((beginning) => name.startsWith(beginning));
    if (prefix === undefined || READ.includes(name)) return [];
    const kind = FOREIGN_PREFIXES[prefix];
    return [{ name, meant: kind && meantBy(kind, name.slice(prefix.length)) }];
  });
}

/** By its ending, since the beginnings of all names of a provider are the same; also where ours has one word more. */
function meantBy(kind: TransportKind, ending: string): string | undefined {
  const prefix = OUR_PREFIX[kind];
  const endings = ALL_SETTINGS.map(({ variable }) => variable)
    .filter((variable) => variable.startsWith(prefix))
    .map((variable) => variable.slice(prefix.length));
  const found = closestName(ending, endings) ?? endings.find((ours) => ours.endsWith(`_${ending}`));
  return found && prefix + found;
}

/** What to say of them, one sentence; undefined when there is none. */
export function foreignNamesLine(names: readonly ForeignName[]): string | undefined {
  if (names.length === 0) return undefined;
  const told = names.map(({ name, meant }) => (meant ? `${name} (did you mean ${meant}?)` : name));
  return `voicebot does not read ${LIST.format(told)}`;
}

/** Names the variables that open an account, for people who have none yet. */
export const ACCOUNT_VARIABLES = Object.values(PROVIDER_WORDS)
  .map(({ name, credentials }) => `${credentials} (${name})`)
  .join(', or ');

/** The variables that were taken for ours; the empty string when there are none. */
export function secondNamesLine(secondNames: Config['secondNames']): string {
  return secondNames.map(({ name, variable, source }) => `${name} in ${source} is read as ${variable}`).join(', ');
}

const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' });
