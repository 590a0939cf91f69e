import { randomBytes } from 'node:crypto';
import type { CarrierCredentials } from '../carriers/contract.js';
import { carrierByName, DEFAULT_CARRIER } from '../carriers/registry.js';
import type { Config } from '../config/config.js';
import { VoicebotError } from '../errors.js';
import type { RoomsCredentials } from '../rooms/contract.js';
import { roomProvider } from '../rooms/registry.js';
import type { CarrierSide } from '../runner/carrier-line.js';
import type { RoomsSide } from '../runner/rooms/rooms-line.js';
import type { WebhookAddresses } from '../runner/webhook-addresses.js';
import type { SandboxProcess } from './sandbox-process.js';

export type TransportKind = 'carrier' | 'rooms';

/** The provider a runner works with, on a real account or on the sandbox. */
export interface RunProvider {
  readonly side: CarrierSide | RoomsSide;
  /** The bot's own number, where it is known. */
  readonly phoneNumber: string | undefined;
  /** What bots find in their environment. */
  readonly botEnvironment: Record<string, string>;
  /** Points the sandbox's number at the runner. */
  register(addresses: WebhookAddresses): Promise<void>;
}

type Account =
  | { readonly kind: 'carrier'; readonly credentials: CarrierCredentials }
  | { readonly kind: 'rooms'; readonly credentials: RoomsCredentials; readonly webhookSecret: string };

/**
 * The account that the configuration names; undefined when the sandbox takes its place.
 * @throws VoicebotError VB_CREDENTIALS_MISSING for credentials that are not whole, VB_CONFIG_INVALID when the provider
 *   could not reach us
 */
export function accountOf(config: Config, kind: TransportKind, isInsecure: boolean): Account | undefined {
  const account = kind === 'carrier' ? carrierAccount(config) : roomsAccount(config, isInsecure);
  if (account && !config.publicUrl) {
    throw new VoicebotError('VB_CONFIG_INVALID', 'the provider needs an address under which it can reach this server', {
      hint: 'Give it with --public-url https://…, or use the offline phone network: --sandbox',
    });
  }
  return account;
}

function carrierAccount(config: Config): Account | undefined {
  const { carrierAuthId: authId, carrierAuthToken: authToken } = config;
  if (!authId && !authToken) return undefined;
  if (!authId || !authToken) {
    const [there, missing] = authId
      ? ['CARRIER_AUTH_ID', 'CARRIER_AUTH_TOKEN']
      : ['CARRIER_AUTH_TOKEN', 'CARRIER_AUTH_ID'];
    throw new VoicebotError('VB_CREDENTIALS_MISSING', `${there} is set but ${missing} is not`, {
      hint: `Set ${missing}, or use the offline phone network: --sandbox`,
    });
  }
  const { carrierApiUrl: apiUrl = carrierByName(DEFAULT_CARRIER).defaultApiUrl } = config;
  return { kind: 'carrier', credentials: { authId, authToken, apiUrl } };
}

function roomsAccount(config: Config, isInsecure: boolean): Account | undefined {
  const { roomsApiKey: apiKey, roomsApiUrl: apiUrl = roomProvider.defaultApiUrl, roomsWebhookSecret } = config;
  if (!apiKey) return undefined;
  const webhookSecret = roomsWebhookSecret ?? (isInsecure ? newSecret() : undefined);
  if (webhookSecret === undefined) {
    throw new VoicebotError('VB_CREDENTIALS_MISSING', 'ROOMS_API_KEY is set but ROOMS_WEBHOOK_SECRET is not', {
      hint: "Set ROOMS_WEBHOOK_SECRET to the hmac of the number's dial-in configuration, or use --sandbox",
    });
  }
  return { kind: 'rooms', credentials: { apiKey, apiUrl }, webhookSecret };
}

/** A provider on a real account. */
export function accountProvider(account: Account, config: Config): RunProvider {
  if (account.kind === 'carrier') return carrierProvider(account.credentials, config, config.carrierPhoneNumber);
  return roomsProvider(account, config.roomsPhoneNumber);
}

/** The sandbox's provider of this kind. */
export function sandboxProvider(sandbox: SandboxProcess, kind: TransportKind, config: Config): RunProvider {
  if (kind === 'carrier') return carrierProvider(sandbox, config, sandbox.number, sandbox.applicationId);
  const { roomsApiKey: apiKey, roomsApiUrl: apiUrl, number } = sandbox;
  return roomsProvider({ credentials: { apiKey, apiUrl }, webhookSecret: newSecret() }, number);
}

function carrierProvider(
  { authId, authToken, apiUrl }: CarrierCredentials,
  { machineDetection }: Config,
  phoneNumber: string | undefined,
  applicationId = '',
): RunProvider {
  const carrier = carrierByName(DEFAULT_CARRIER);
  const credentials = { authId, authToken, apiUrl };
  return {
    side: { kind: 'carrier', carrier, credentials, machineDetection },
    phoneNumber,
    botEnvironment: {
      CARRIER_AUTH_ID: authId,
      CARRIER_AUTH_TOKEN: authToken,
      CARRIER_API_URL: apiUrl,
      ...(phoneNumber && { CARRIER_PHONE_NUMBER: phoneNumber }),
    },
    async register({ answerUrl, hangupUrl }) {
      const client = await carrier.createRestClient(credentials);
      await client.setWebhooks(applicationId, { answerUrl, hangupUrl }).finally(() => client.close());
    },
  };
}

function roomsProvider(
  { credentials, webhookSecret }: Pick<RoomsSide, 'credentials' | 'webhookSecret'>,
  phoneNumber: string | undefined,
): RunProvider {
  return {
    side: { kind: 'rooms', provider: roomProvider, credentials, webhookSecret },
    phoneNumber,
    botEnvironment: {
      ROOMS_API_KEY: credentials.apiKey,
      ROOMS_API_URL: credentials.apiUrl,
      ...(phoneNumber && { ROOMS_PHONE_NUMBER: phoneNumber }),
    },
    async register({ dialinUrl }) {
      if (phoneNumber === undefined) return;
      const client = await roomProvider.createRestClient(credentials);
      const target = { phoneNumber, webhookUrl: dialinUrl, secret: webhookSecret };
      await client.setDialin(target).finally(() => client.close());
    },
  };
}

const newSecret = () => randomBytes(32).toString('base64');
