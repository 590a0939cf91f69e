import { isFields, type JsonFields, textOf } from '../../base/http/json-fields.js';
import { isNotFound, ProviderRequestError, unlessNotFound } from '../../base/http/provider-request-error.js';
import type { RestClient, RestOptions, RestRequest } from '../../base/http/rest-client.js';
import type { ProviderCallId } from '../../call/call-id.js';
import type {
  DialinSecret,
  Room,
  RoomRequest,
  RoomsCredentials,
  RoomsRestClient,
  RoomTokenRequest,
} from '../rooms/room-provider.js';
import { listAll, openApi, unreadable } from './api.js';
import {
  type DialinConfig,
  type DialinSettings,
  type KnownDialinSettings,
  type NumberSettings,
  readConfig,
  readSettings,
  wireSettings,
  withSipScheme,
} from './dialin-settings.js';
import { requireIdentifier } from './identifier.js';
import { LegacyDialin } from './legacy-dialin.js';
import { type RoomAbilities, type RoomDetails, readRoom, wireRoom } from './room.js';

/** Longest wait for the answer to each try of what a caller waits for, in milliseconds: several tries fit into the caller's patience. */
const CALLER_WAITS_MS = 4_000;

export interface Domain {
  readonly name: string;
  readonly id: string;
  /** Dial-in settings of the older kind, which are all in one array. */
  readonly legacyDialin: readonly KnownDialinSettings[];
}

export interface PhoneNumber {
  /** What a call out of a room names as its caller id. */
  readonly id: string;
  /** E.164. */
  readonly number: string;
}

/**
 * A client of the room provider's REST API. Every method throws VB_CREDENTIALS_REFUSED, VB_ROOMS_REQUEST_FAILED (as a
 * {@link ProviderRequestError}) and VB_ROOMS_UNREACHABLE, and VB_IDENTIFIER_INVALID before anything is sent for a name or
 * identifier that cannot stand in a path. An aborted `signal` rejects with its own reason.
 *
 * When the provider is busy, a request is tried again. When it is broken or its answer is lost, only one that does no
 * harm twice is; of any other the error says that it may have been carried out.
 * @see rooms reference 2
 */
export class DailyRestClient implements RoomsRestClient {
  readonly #api: RestClient;
  readonly #legacyDialin: LegacyDialin;
  /** The account refuses rooms that calls can go out of. */
  #refusesDialout = false;
  /** The provider does not know the properties that limit how long a leg stays alone. */
  #refusesIdling = false;

  /** @throws VoicebotError VB_CREDENTIALS_MISSING, VB_CONFIG_INVALID */
  constructor(credentials: RoomsCredentials, options?: RestOptions) {
    this.#api = openApi(credentials, options);
    this.#legacyDialin = new LegacyDialin(this.#api);
  }

  /** Also the cheapest way to try a key. @see rooms reference 3 */
  async domain(signal?: AbortSignal): Promise<Domain> {
    const { fields, entries } = await this.#legacyDialin.read(signal);
    return {
      name: textOf(fields.domain_name) ?? '',
      id: textOf(fields.domain_id) ?? '',
      legacyDialin: entries.map(readSettings),
    };
  }

  /** Changes or adds a number in the legacy array, as {@link LegacyDialin.change} does. */
  setLegacyDialin(change: NumberSettings, signal?: AbortSignal): Promise<void> {
    return this.#legacyDialin.change(change, signal);
  }

  /** Takes a number out of the legacy array, as {@link LegacyDialin.remove} does. */
  removeLegacyDialin(phoneNumber: string, signal?: AbortSignal): Promise<void> {
    return this.#legacyDialin.remove(phoneNumber, signal);
  }

  /** The newest first; none where the provider knows the legacy array only. @see rooms reference 3.2 */
  async listDialinConfigs(signal?: AbortSignal): Promise<DialinConfig[]> {
    const listing = listAll(this.#api, 'listing dial-in settings', '/domain-dialin-config', readConfig, signal);
    return (await unlessNotFound(listing)) ?? [];
  }

  async dialinSecrets(signal?: AbortSignal): Promise<readonly DialinSecret[]> {
    const configs = await this.listDialinConfigs(signal);
    const { legacyDialin } = await this.domain(signal);
    return [...configs.map(({ settings }) => settings), ...legacyDialin].flatMap(({ webhookUrl, secret }) =>
      webhookUrl && secret ? { webhookUrl, secret } : [],
    );
  }

  /** @returns undefined, and nothing is done, where the provider knows the legacy array only */
  async createDialinConfig(settings: DialinSettings, signal?: AbortSignal): Promise<DialinConfig | undefined> {
    const what = 'creating dial-in settings';
    const fields = { type: 'pinless_dialin', ...wireSettings(settings) };
    const created = await unlessNotFound(this.#post(what, '/domain-dialin-config', fields, signal));
    return created && configOf(what, created, true);
  }

  async getDialinConfig(id: string, signal?: AbortSignal): Promise<DialinConfig> {
    requireIdentifier(id, 'id of the dial-in settings');
    const what = 'reading dial-in settings';
    return configOf(what, await this.#request(what, { method: 'GET', path: configPath(id) }, signal));
  }

  /** What is missing in `change` stays as it is. */
  async updateDialinConfig(id: string, change: DialinSettings, signal?: AbortSignal): Promise<DialinConfig> {
    requireIdentifier(id, 'id of the dial-in settings');
    const what = 'changing dial-in settings';
    const request = { method: 'PUT', path: configPath(id), fields: wireSettings(change) } as const;
    return configOf(what, await this.#request(what, request, signal), true);
  }

  async deleteDialinConfig(id: string, signal?: AbortSignal): Promise<'deleted' | 'no_such_config'> {
    requireIdentifier(id, 'id of the dial-in settings');
    const deleting = this.#request('deleting dial-in settings', { method: 'DELETE', path: configPath(id) }, signal);
    return doneOrGone(deleting, 'deleted', 'no_such_config');
  }

  /** The numbers of the account, the newest first; undefined where the provider does not list them. @see rooms reference 5 */
  listPhoneNumbers(signal?: AbortSignal): Promise<PhoneNumber[] | undefined> {
    const what = 'listing telephone numbers';
    return unlessNotFound(listAll(this.#api, what, '/purchased-phone-numbers', readPhoneNumber, signal));
  }

  /** Undefined when there is none. */
  async getRoom(name: string, signal?: AbortSignal): Promise<RoomDetails | undefined> {
    requireIdentifier(name, "room's name");
    const what = 'reading the room';
    const request = { method: 'GET', path: `/rooms/${name}`, timeoutMs: CALLER_WAITS_MS } as const;
    const fields = await unlessNotFound(this.#request(what, request, signal), isNoRoom);
    return fields && roomOf(what, fields);
  }

  /**
   * A room that is only for calls that go out is refused where the account may not dial out. Limits on idling are left
   * out where the provider does not know them.
   */
  async createRoom(request: RoomRequest, signal?: AbortSignal): Promise<Room> {
    requireIdentifier(request.name, "room's name");
    let allowsDialout = request.allowsDialout && !(request.dialin && this.#refusesDialout);
    for (;;) {
      const abilities = { allowsDialout, limitsIdling: !this.#refusesIdling };
      try {
        const { url } = await this.#postRoom(request, abilities, signal);
        return { name: request.name, url, allowsDialout };
      } catch (error) {
        if (allowsDialout && request.dialin && refuses(error, /enable_dialout/)) {
          this.#refusesDialout = true;
          allowsDialout = false;
        } else if (abilities.limitsIdling && refuses(error, /dialin_config|dialout_config|max_idle_timeout/)) {
          this.#refusesIdling = true;
        } else throw error;
      }
    }
  }

  /** @see rooms reference 6.2 */
  async isOccupied(name: string, signal?: AbortSignal): Promise<boolean> {
    requireIdentifier(name, "room's name");
    const what = 'looking into the room';
    const request = { method: 'GET', path: `/rooms/${name}/presence?limit=1` } as const;
    const fields = await unlessNotFound(this.#request(what, request, signal), isNoRoom);
    if (!fields) return false;
    return Array.isArray(fields.data) ? fields.data.length > 0 : fail(unreadable(what, 'a list'));
  }

  async deleteRoom(name: string, signal?: AbortSignal): Promise<'deleted' | 'no_such_room'> {
    requireIdentifier(name, "room's name");
    const deleting = this.#request('deleting the room', { method: 'DELETE', path: `/rooms/${name}` }, signal);
    return doneOrGone(deleting, 'deleted', 'no_such_room', isNoRoom);
  }

  /** Twice does no harm. @see rooms reference 8.2 */
  async stopDialout(name: string, sessionId: string, signal?: AbortSignal): Promise<'stopped' | 'no_such_leg'> {
    requireIdentifier(name, "room's name");
    const stopping = this.#postForCaller(
      'hanging up a call out of the room',
      `/rooms/${name}/dialOut/stop`,
      { sessionId },
      signal,
    );
    return doneOrGone(stopping, 'stopped', 'no_such_leg', isNoRoom);
  }

  /** @see rooms reference 6.2 */
  async eject(name: string, userId: string, signal?: AbortSignal): Promise<readonly string[] | undefined> {
    requireIdentifier(name, "room's name");
    const what = 'removing a participant';
    const removing = this.#postForCaller(what, `/rooms/${name}/eject`, { user_ids: [userId] }, signal);
    const fields = await unlessNotFound(removing, isNoRoom);
    if (!fields) return undefined;
    const { ejectedIds } = fields;
    return Array.isArray(ejectedIds) ? ejectedIds.flatMap((id) => textOf(id) ?? []) : fail(unreadable(what, 'a list'));
  }

  /** @see rooms reference 7 */
  async createToken(request: RoomTokenRequest, signal?: AbortSignal): Promise<string> {
    requireIdentifier(request.roomName, "room's name");
    const { roomName, isOwner, expiresAt, userId } = request;
    const what = 'creating the token';
    const named = userId !== undefined && { user_id: userId };
    const fields = { properties: { room_name: roomName, is_owner: isOwner, exp: expiresAt, ...named } };
    const { token } = await this.#postForCaller(what, '/meeting-tokens', fields, signal);
    return textOf(token) ?? fail(unreadable(what, 'a token'));
  }

  /**
   * Twice does no harm: a caller who has been forwarded is held no more, which is the same answer as for one who has gone.
   * So that answer means success when an earlier try may have been carried out.
   * @see rooms reference 4.5
   */
  async forwardCaller(
    {
      providerCallId: callId,
      callDomain,
      sipUri,
    }: { readonly providerCallId: ProviderCallId; readonly callDomain: string; readonly sipUri: string },
    signal?: AbortSignal,
  ): Promise<'forwarded' | 'no_such_call'> {
    const fields = { callId, callDomain, sipUri: withSipScheme(sipUri) };
    const forwarding = this.#postForCaller('forwarding the caller', '/dialin/pinlessCallUpdate', fields, signal);
    return doneOrGone(forwarding, 'forwarded', 'no_such_call');
  }

  async sipEndpoints(name: string, signal?: AbortSignal): Promise<readonly string[]> {
    return (await this.getRoom(name, signal))?.sipEndpoints ?? [];
  }

  close(): Promise<void> {
    return this.#api.close();
  }

  /** The name is ours, so when it is taken after a try that may have been carried out, that try made the room. */
  async #postRoom(request: RoomRequest, abilities: RoomAbilities, signal?: AbortSignal): Promise<RoomDetails> {
    const what = 'creating the room';
    try {
      return roomOf(what, await this.#postForCaller(what, '/rooms', wireRoom(request, abilities), signal));
    } catch (error) {
      const isTaken = refuses(error, /\bexists?\b/) && error.mayBeDone;
      const room = isTaken ? await this.getRoom(request.name, signal) : undefined;
      if (!room) throw error;
      return room;
    }
  }

  /** @returns the answer's object; empty when it is none */
  async #request(what: string, request: RestRequest, signal?: AbortSignal): Promise<JsonFields> {
    const { fields = {} } = await this.#api.request(what, request, signal);
    return fields;
  }

  #post(what: string, path: string, fields: object, signal?: AbortSignal): Promise<JsonFields> {
    return this.#request(what, { method: 'POST', path, fields }, signal);
  }

  /** What a caller waits for. It does no harm when it is done twice. */
  #postForCaller(what: string, path: string, fields: object, signal?: AbortSignal): Promise<JsonFields> {
    const request = { method: 'POST', path, fields, repeat: 'always', timeoutMs: CALLER_WAITS_MS } as const;
    return this.#request(what, request, signal);
  }
}

const configPath = (id: string) => `/domain-dialin-config/${id}`;

function fail(error: Error): never {
  throw error;
}

function configOf(what: string, fields: JsonFields, mayBeDone?: boolean): DialinConfig {
  return readConfig(fields) ?? fail(unreadable(what, 'settings', mayBeDone));
}

function roomOf(what: string, fields: JsonFields): RoomDetails {
  return readRoom(fields) ?? fail(unreadable(what, 'a room'));
}

/** Verified caller ids, which the account does not own, can be in the list too. */
function readPhoneNumber(value: unknown): PhoneNumber | undefined {
  if (!isFields(value) || (value.type ?? 'purchased_phone_number') !== 'purchased_phone_number') return undefined;
  const id = textOf(value.id);
  const number = textOf(value.number);
  return id && number ? { id, number } : undefined;
}

/** Whether the provider refused properties with these words. */
function refuses(error: unknown, words: RegExp): error is ProviderRequestError {
  return error instanceof ProviderRequestError && [400, 403].includes(error.status ?? 0) && words.test(error.text);
}

/** A room that is not there is a 404 or, as the documentation has it, a 400. */
function isNoRoom(error: unknown): error is ProviderRequestError {
  return isNotFound(error) || refuses(error, /not found|does not exist/i);
}

/** For what is gone once it has been done: gone after a try that may have been carried out is done. */
async function doneOrGone<Done, Gone>(
  request: Promise<unknown>,
  done: Done,
  gone: Gone,
  isGone = isNotFound,
): Promise<Done | Gone> {
  try {
    await request;
    return done;
  } catch (error) {
    if (isGone(error)) return error.mayBeDone ? done : gone;
    throw error;
  }
}
