import type { NumberRouting } from '../../call/number-routing.js';
import type { Config } from '../../config/config.js';
import { SETTINGS, type Setting } from '../../config/settings.js';
import { VoicebotError } from '../../errors.js';
import type { CarrierCredentials } from '../../providers/carrier.js';
import { carrierByName, DEFAULT_CARRIER } from '../../providers/registry/carriers.js';
import { roomProvider } from '../../providers/registry/rooms.js';
import type { RoomsCredentials } from '../../providers/room-provider.js';
import type { LeaseAccount } from '../../runner/numbers/lease-journal.js';
import { fingerprintOf } from '../../secret.js';
import type { RunningRunner } from '../runners/running-runners.js';
import type { TransportKind } from './transports.js';

/** An account at a provider, a real one or the sandbox's. */
export type Account = {
  /** Its number for the bot, E.164, where one is named. */
  readonly phoneNumber?: string | undefined;
} & (
  | { readonly kind: 'carrier'; readonly credentials: CarrierCredentials }
  | { readonly kind: 'rooms'; readonly credentials: RoomsCredentials }
);

/**
 * The account that the configuration names; undefined when there are no credentials for this transport.
 * @throws VoicebotError VB_CREDENTIALS_MISSING for credentials that are not whole
 */
export function accountOf(config: Config, kind: TransportKind): Account | undefined {
  if (kind === 'rooms') {
    const { roomsApiKey: apiKey, roomsApiUrl: apiUrl = roomProvider.defaultApiUrl, roomsPhoneNumber } = config;
    return apiKey ? { kind, credentials: { apiKey, apiUrl }, phoneNumber: roomsPhoneNumber } : undefined;
  }
  const { carrierAuthId: authId, carrierAuthToken: authToken, carrierPhoneNumber: phoneNumber } = config;
  if (!authId && !authToken) return undefined;
  if (!authId || !authToken) {
    const pair = [SETTINGS.carrierAuthId, SETTINGS.carrierAuthToken] as const;
    const [there, missing] = authId ? pair : pair.toReversed();
    throw halfCredentials(config, there as Setting<string>, missing as Setting<string>);
  }
  const { carrierApiUrl: apiUrl = carrierByName(DEFAULT_CARRIER).defaultApiUrl } = config;
  return { kind, credentials: { authId, authToken, apiUrl }, phoneNumber };
}

/** Speaks of the names that a person has used, ours or the provider's own. */
function halfCredentials({ secondNames }: Config, there: Setting<string>, missing: Setting<string>): VoicebotError {
  const second = secondNames.find(({ variable }) => variable === there.variable)?.name;
  const [set, wanted] = second ? [second, missing.secondName] : [there.variable, missing.variable];
  return new VoicebotError('VB_CREDENTIALS_MISSING', `${set} is set but ${wanted} is not`, {
    hint: `Set ${wanted}, or use the offline phone network: npx voicebot run --sandbox`,
  });
}

/** What a sandbox tells about its account. */
export type SandboxAccount = Required<RunningRunner>['sandbox']['account'];

/** The sandbox's account for this transport. */
export function sandboxAccount(sandbox: SandboxAccount & { number: string }, kind: TransportKind): Account {
  const { authId, authToken, apiUrl, roomsApiKey, roomsApiUrl, number: phoneNumber } = sandbox;
  return kind === 'carrier'
    ? { kind, credentials: { authId, authToken, apiUrl }, phoneNumber }
    : { kind, credentials: { apiKey: roomsApiKey, apiUrl: roomsApiUrl }, phoneNumber };
}

/** What bots find in their environment. */
export function botEnvironmentOf(account: Account, phoneNumber: string | undefined): Record<string, string> {
  if (account.kind === 'carrier') {
    const { authId, authToken, apiUrl } = account.credentials;
    return {
      CARRIER_AUTH_ID: authId,
      CARRIER_AUTH_TOKEN: authToken,
      CARRIER_API_URL: apiUrl,
      ...(phoneNumber && { CARRIER_PHONE_NUMBER: phoneNumber }),
    };
  }
  const { apiKey, apiUrl } = account.credentials;
  return { ROOMS_API_KEY: apiKey, ROOMS_API_URL: apiUrl, ...(phoneNumber && { ROOMS_PHONE_NUMBER: phoneNumber }) };
}

/** The numbers of the account. @throws VoicebotError when the credentials cannot be used */
export function routingOf(account: Account): Promise<NumberRouting> {
  return account.kind === 'carrier'
    ? carrierByName(DEFAULT_CARRIER).createNumberRouting(account.credentials)
    : roomProvider.createNumberRouting(account.credentials);
}

/** The account as it is written down: enough to know it again, nothing that opens it. */
export function leaseAccountOf(account: Account): LeaseAccount {
  const { apiUrl } = account.credentials;
  if (account.kind === 'carrier') return { provider: DEFAULT_CARRIER, id: account.credentials.authId, apiUrl };
  return { provider: roomProvider.name, id: fingerprintOf(account.credentials.apiKey), apiUrl };
}
