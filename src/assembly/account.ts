import { VoicebotError } from '../base/errors.js';
import { LIST } from '../base/names/name-list.js';
import { fingerprintOf } from '../base/secret.js';
import type { NumberRouting } from '../call/number-routing.js';
import {
  type CarrierAccountSettings,
  type Credential,
  ourVariable,
  ownVariable,
  wantedName,
} from '../config/carrier-settings.js';
import type { Config } from '../config/config.js';
import type { Carrier, CarrierCredentials } from '../providers/carrier.js';
import { CARRIER_NAMES, DEFAULT_CARRIER } from '../providers/registry/carrier-names.js';
import { carrierByName } from '../providers/registry/carriers.js';
import { extensionOf } from '../providers/registry/extensions.js';
import { DEFAULT_ROOM_PROVIDER } from '../providers/registry/room-provider-names.js';
import { roomProviderByName } from '../providers/registry/rooms.js';
import type { RoomProvider, RoomsCredentials } from '../providers/rooms/room-provider.js';
import type { LeaseAccount } from '../runner/numbers/lease-entry.js';
import type { RunningRunner } from '../runners/running-runners.js';
import { credentialsOfCarrier, REQUIRED, roomsKeyName } from './credential-names.js';
import type { TransportKind } from './transports.js';

/** An account at a provider, a real one or the sandbox's. */
export type Account = {
  /** Its number for the bot, E.164, where one is named. */
  readonly phoneNumber?: string | undefined;
} & ({ readonly kind: 'carrier'; readonly carrier: Carrier; readonly credentials: CarrierCredentials } | RoomsAccount);

/** One at a room provider. */
export interface RoomsAccount {
  readonly kind: 'rooms';
  readonly roomProvider: RoomProvider;
  readonly credentials: RoomsCredentials;
}

/**
 * The account that the configuration names; undefined when there are no credentials for this transport.
 * @throws VoicebotError VB_CREDENTIALS_MISSING for credentials that are not whole, VB_CARRIER_AMBIGUOUS for those of several
 *   carriers, VB_CONFIG_INVALID for those of another carrier than the one they are meant for
 */
export function accountOf(config: Config, kind: TransportKind): Account | undefined {
  if (kind === 'rooms') {
    const roomProvider = roomProviderByName(config.roomsProvider);
    const { roomsApiKey: apiKey, roomsApiUrl: apiUrl = roomProvider.defaultApiUrl, roomsPhoneNumber } = config;
    const keyName = roomsKeyName(config.secondNames);
    if (!apiKey) return undefined;
    return { kind, roomProvider, credentials: { apiKey, apiUrl, keyName }, phoneNumber: roomsPhoneNumber };
  }
  const { carrier: name, accounts } = config.carriers;
  if (!name) throw severalCarriers(accounts);
  const settings = accounts.find(({ carrier }) => carrier === name);
  return settings && carrierAccount(settings);
}

/** @throws VoicebotError VB_CREDENTIALS_MISSING, VB_CONFIG_INVALID */
function carrierAccount(settings: CarrierAccountSettings): Account {
  const carrier = carrierByName(settings.carrier);
  const { authToken = '', publicKey, apiKeyId, apiKeySecret, apiUrl = carrier.defaultApiUrl, phoneNumber } = settings;
  const { names } = settings;
  refuseThoseOfAnother(carrier, settings);
  refuseWrongId(carrier, settings);
  refuseHalf(carrier, settings);
  // A carrier whose key alone names the account has no identifier for it.
  const authId = (carrier.variables.authId && settings.authId) || fingerprintOf(authToken);
  const apiKey = apiKeyId && apiKeySecret ? { id: apiKeyId, secret: apiKeySecret } : undefined;
  return {
    kind: 'carrier',
    carrier,
    credentials: { authId, authToken, publicKey, apiKey, apiUrl, names },
    phoneNumber,
  };
}

function severalCarriers(accounts: readonly CarrierAccountSettings[]): VoicebotError {
  const told = accounts.map(({ carrier, variables }) => `${carrier} (${LIST.format(Object.values(variables))})`);
  const [first] = accounts;
  return new VoicebotError('VB_CARRIER_AMBIGUOUS', LIST.format(told), {
    hint: `Choose: --carrier ${first?.carrier}, or CARRIER=${first?.carrier} in .env; or leave the variables of the other out`,
  });
}

/** Speaks of the names that a person has used, ours or the provider's own. */
function refuseHalf({ variables }: Carrier, settings: CarrierAccountSettings): void {
  const hasKey = settings.apiKeyId !== undefined || settings.apiKeySecret !== undefined;
  const wanted: Credential[] = [...REQUIRED, ...(hasKey ? (['apiKeyId', 'apiKeySecret'] as const) : [])];
  const missing = wanted.filter((field) => ownVariable(variables, field) && !settings[field]);
  if (missing.length === 0) return;
  const names = LIST.format(missing.map((field) => wantedName(variables, settings.variables, field)));
  const set = LIST.format(Object.values(settings.variables));
  const [is, are] = [settings.variables, missing].map((some) => (Object.keys(some).length === 1 ? 'is' : 'are'));
  throw new VoicebotError('VB_CREDENTIALS_MISSING', `${set} ${is} set but ${names} ${are} not`, {
    hint: `Set ${names}${whyAlso(settings, missing)}, or use the offline phone network: npx voicebot run --sandbox`,
  });
}

/** Such as the identifier of a key in the place of an account's. */
function refuseWrongId(carrier: Carrier, { authId, variables }: CarrierAccountSettings): void {
  const wrong = authId && carrier.authIdProblem?.(authId, variables.authId ?? '');
  if (wrong) throw new VoicebotError('VB_CONFIG_INVALID', wrong.problem, { hint: wrong.hint });
}

/** Why credentials are wanted that a person may think to do without. */
function whyAlso({ apiKeyId }: CarrierAccountSettings, missing: readonly Credential[]): string {
  if (missing.includes('publicKey')) return ', with which webhooks are checked';
  return apiKeyId && missing.includes('authToken') ? ', with which webhooks are checked also where a key signs in' : '';
}

/** Credentials under our names say nothing of their carrier; their form may. */
function refuseThoseOfAnother(carrier: Carrier, { variables, ...settings }: CarrierAccountSettings): void {
  for (const field of ['authId', 'authToken'] as const) {
    const variable = variables[field];
    const value = { [field]: settings[field] };
    if (variable !== ourVariable(field) || carrier.looksLikeOurs?.(value)) continue;
    const other = CARRIER_NAMES.find((name) => carrierByName(name).looksLikeOurs?.(value));
    if (!other) continue;
    throw new VoicebotError('VB_CONFIG_INVALID', `${variable} is of no account at ${carrier.name}`, {
      hint: `It looks like one of ${other}: set CARRIER=${other}, or use the names ${credentialsOfCarrier(other)}`,
    });
  }
}

/** What a sandbox tells about its account. */
export type SandboxAccount = Required<RunningRunner>['sandbox']['account'];

/** The sandbox's account for this transport. */
export function sandboxAccount(sandbox: SandboxAccount & { number: string }, kind: TransportKind): Account {
  const { carrier = DEFAULT_CARRIER, authId, authToken, publicKey, apiUrl, number: phoneNumber } = sandbox;
  if (kind === 'carrier') {
    return {
      kind,
      carrier: carrierByName(carrier),
      credentials: { authId, authToken, publicKey, apiUrl },
      phoneNumber,
    };
  }
  const { roomsProvider = DEFAULT_ROOM_PROVIDER, roomsApiKey, roomsApiUrl } = sandbox;
  const credentials = { apiKey: roomsApiKey, apiUrl: roomsApiUrl };
  return { kind, roomProvider: roomProviderByName(roomsProvider), credentials, phoneNumber };
}

/** What bots find in their environment. */
export function botEnvironmentOf(account: Account, phoneNumber: string | undefined): Record<string, string> {
  if (account.kind === 'carrier') {
    const { authId, authToken, publicKey, apiUrl } = account.credentials;
    return {
      CARRIER: account.carrier.name,
      CARRIER_AUTH_ID: authId,
      CARRIER_AUTH_TOKEN: authToken,
      ...(publicKey && { CARRIER_PUBLIC_KEY: publicKey }),
      CARRIER_API_URL: apiUrl,
      ...(phoneNumber && { CARRIER_PHONE_NUMBER: phoneNumber }),
    };
  }
  const { apiKey, apiUrl } = account.credentials;
  return {
    ROOMS_PROVIDER: account.roomProvider.name,
    ROOMS_API_KEY: apiKey,
    ROOMS_API_URL: apiUrl,
    ...(phoneNumber && { ROOMS_PHONE_NUMBER: phoneNumber }),
  };
}

/** The numbers of the account. @throws VoicebotError when the credentials cannot be used */
export function routingOf(account: Account): Promise<NumberRouting> {
  return account.kind === 'carrier'
    ? account.carrier.createNumberRouting(account.credentials)
    : account.roomProvider.createNumberRouting(account.credentials);
}

/** The account as it is written down: enough to know it again, nothing that opens it. */
export function leaseAccountOf(account: Account): LeaseAccount {
  const { apiUrl } = account.credentials;
  const provider = providerOf(account);
  const id = account.kind === 'carrier' ? account.credentials.authId : fingerprintOf(account.credentials.apiKey);
  const extension = extensionOf(provider)?.name;
  return { provider, id, apiUrl, ...(extension && { extension }) };
}

/** The name of the carrier, or of the room provider. */
export const providerOf = (account: Account): string =>
  account.kind === 'carrier' ? account.carrier.name : account.roomProvider.name;
