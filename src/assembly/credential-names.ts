import { LIST } from '../base/names/name-list.js';
import { ourVariable, ownVariable } from '../config/carrier-settings.js';
import type { Config } from '../config/config.js';
import { SETTINGS } from '../config/settings.js';
import { CARRIER_NAMES, type CarrierName } from '../providers/registry/carrier-names.js';
import { carrierByName } from '../providers/registry/carriers.js';
import { PROVIDER_WORDS, type TransportKind } from './transports.js';

/** What every account at a carrier has, where the carrier knows such a thing. */
export const REQUIRED = ['authId', 'authToken', 'publicKey'] as const;

/** The variables that open an account at this carrier, by its own names: `TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN`. */
export function credentialsOfCarrier(name: CarrierName): string {
  const { variables } = carrierByName(name);
  return LIST.format(REQUIRED.flatMap((field) => ownVariable(variables, field) ?? []));
}

/** The variables that open an account of this kind: at the carrier that is chosen, else at any. */
export function credentialsFor(kind: TransportKind, config?: Pick<Config, 'carriers'>): string {
  if (kind === 'rooms') return SETTINGS.roomsApiKey.variable;
  const { carrier, isNamed } = config?.carriers ?? {};
  if (carrier && isNamed) return credentialsOfCarrier(carrier);
  return LIST.format((['authId', 'authToken'] as const).flatMap((field) => ourVariable(field) ?? []));
}

/** The variables that the account of this kind stands in, as they were used. */
export function credentialsSet(
  kind: TransportKind,
  { carriers: { carrier, accounts }, secondNames }: Pick<Config, 'carriers' | 'secondNames'>,
): string {
  const account = kind === 'carrier' ? accounts.find((one) => one.carrier === carrier) : undefined;
  if (kind === 'rooms') return roomsKeyName(secondNames);
  return account ? LIST.format(Object.values(account.variables)) : credentialsFor(kind);
}

/** The variable that the key of the room provider stands in. */
export function roomsKeyName(secondNames: Config['secondNames']): string {
  const { variable } = SETTINGS.roomsApiKey;
  return secondNames.find((one) => one.variable === variable)?.name ?? variable;
}

/** The variables that open an account, for people who have none yet. */
export const accountVariables = (): string =>
  [
    ...CARRIER_NAMES.map((name) => `${credentialsOfCarrier(name)} (${name})`),
    `${credentialsFor('rooms')} (${PROVIDER_WORDS.rooms.name})`,
  ].join(', or ');
