import { closestName } from '../base/closest-name.js';
import { LIST } from '../base/names/name-list.js';
import { ownVariables } from '../config/carrier-settings.js';
import type { Config } from '../config/config.js';
import { SETTINGS, type Setting } from '../config/settings.js';
import { CARRIER_NAMES } from '../providers/registry/carrier-names.js';
import { carrierByName } from '../providers/registry/carriers.js';
import { extensionOf } from '../providers/registry/extensions.js';
import { ROOM_PROVIDER_NAMES } from '../providers/registry/room-provider-names.js';
import { roomProviderByName } from '../providers/registry/rooms.js';
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
const variablesRead = () => [...ALL_SETTINGS.map(({ variable }) => variable), ...ownVariables(), ...roomKeyVariables()];

/**
 * The variables that look like those of a provider's account, and that nothing reads.
 * @param environment without empty ones
 */
export function foreignNamesIn(environment: Config['environment']): ForeignName[] {
  const read = variablesRead();
  const prefixes = { ...FOREIGN_PREFIXES, ...prefixesOfExtensions() };
  return Object.keys(environment).flatMap((name) => {
    const prefix = Object.keys(prefixes).find((beginning) => name.startsWith(beginning));
    if (prefix === undefined || read.includes(name)) return [];
    const kind = prefixes[prefix];
    const ending = name.slice(prefix.length);
    return [{ name, meant: kind && (meantBy(prefix, ending) ?? meantBy(OUR_PREFIX[kind], ending)) }];
  });
}

/** What room providers call the variables of their keys. */
const roomKeyVariables = () => ROOM_PROVIDER_NAMES.flatMap((name) => roomProviderByName(name).keyVariable ?? []);

/** `VOBIZ_` of `VOBIZ_AUTH_TOKEN`. */
function prefixesOfExtensions(): Record<string, TransportKind> {
  const prefixes = (kind: TransportKind, variables: readonly string[]) =>
    variables.map((variable) => [variable.replace(/(?<=_).*/s, ''), kind] as const);
  const carriers = CARRIER_NAMES.filter((name) => extensionOf(name));
  return Object.fromEntries([
    ...prefixes(
      'carrier',
      carriers.map((name) => carrierByName(name).variables.authToken),
    ),
    ...prefixes('rooms', roomKeyVariables()),
  ]);
}

/** By its ending, since the beginnings of all names of a provider are the same; also where the one read has one word more. */
function meantBy(prefix: string, ending: string): string | undefined {
  const endings = variablesRead()
    .filter((variable) => variable.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
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
