import { randomUUID } from 'node:crypto';
import type { JsonFields } from '../../base/http/json-fields.js';
import { ACCOUNT_NUMBERS } from '../network/numbers.js';

/**
 * What the account keeps of an object, under the carrier's names: fields that mean nothing here are kept and shown as they
 * came.
 */
export interface StoredObject extends JsonFields {
  readonly id: string;
}

/** A TeXML application. Addresses that are not set are null. @see carrier reference 7.2 */
export interface StoredApplication extends StoredObject {
  readonly friendly_name: string;
}

export interface StoredNumber extends StoredObject {
  /** E.164. */
  readonly phone_number: string;
  /** Null: calls to the number go nowhere. */
  connection_id: string | null;
}

/** The most applications that the account can have. */
export const MAX_TEXML_APPLICATIONS = 100;

/** Calls can be placed by a connection that has this. */
const OUTBOUND_PROFILE_ID = '2293384261075731499';
/** A SIP connection that numbers can be attached to; calls to it are not answered. */
const SIP_CONNECTION_ID = '2293384261075700001';
const FIRST_APPLICATION_ID = 2293384261075710001n;
const FIRST_NUMBER_ID = 2293384261075720001n;

const APPLICATION_DEFAULTS: JsonFields = {
  record_type: 'texml_application',
  active: true,
  anchorsite_override: 'Latency',
  call_cost_in_webhooks: false,
  dtmf_type: 'RFC 2833',
  first_command_timeout: false,
  first_command_timeout_secs: 30,
  voice_url: null,
  voice_method: 'post',
  voice_fallback_url: null,
  status_callback: null,
  status_callback_method: 'post',
  tags: [],
  inbound: {
    channel_limit: null,
    shaken_stir_enabled: false,
    sip_subdomain: null,
    sip_subdomain_receive_settings: 'from_anyone',
  },
  outbound: { channel_limit: null, outbound_voice_profile_id: null },
};

const NUMBER_DEFAULTS: JsonFields = {
  record_type: 'phone_number',
  country_iso_alpha2: 'US',
  phone_number_type: 'local',
  status: 'active',
  deletion_lock_enabled: false,
  external_pin: null,
  customer_reference: null,
  hd_voice_enabled: false,
  tags: [],
};

type NewApplication = JsonFields & Pick<StoredApplication, 'friendly_name'>;

/** The applications and numbers of the account, kept in memory. The first application has the first number, the others have none. */
export class TelnyxAccount {
  /** The account's name in the paths of TeXML and in its webhooks. */
  readonly id = randomUUID();
  /** In the order of their digits. */
  readonly numbers: readonly StoredNumber[];
  /** Of the application that is there from the start; it may have been deleted since. */
  readonly firstApplicationId: string;
  readonly #applications = new Map<string, StoredApplication>();
  readonly #sipConnection: StoredObject;
  #nextId = FIRST_APPLICATION_ID;

  constructor(first: NewApplication) {
    const outbound = { channel_limit: null, outbound_voice_profile_id: OUTBOUND_PROFILE_ID };
    this.firstApplicationId = this.#add({ ...first, outbound }).id;
    this.#sipConnection = {
      id: SIP_CONNECTION_ID,
      record_type: 'credential_connection',
      connection_name: 'sandbox-sip',
      active: true,
      outbound_voice_profile_id: OUTBOUND_PROFILE_ID,
    };
    this.numbers = ACCOUNT_NUMBERS.map((number, index) => ({
      id: String(FIRST_NUMBER_ID + BigInt(index)),
      phone_number: number,
      connection_id: index === 0 ? this.firstApplicationId : null,
      ...NUMBER_DEFAULTS,
      ...timestamps(),
    }));
  }

  /** Oldest first. */
  get applications(): readonly StoredApplication[] {
    return [...this.#applications.values()];
  }

  application(id: string): StoredApplication | undefined {
    return this.#applications.get(id);
  }

  /** @param number E.164 */
  number(number: string): StoredNumber | undefined {
    return this.numbers.find(({ phone_number: owned }) => owned === number);
  }

  /** The application that calls to a number (E.164) go to. */
  applicationOf(number: string): StoredApplication | undefined {
    return this.application(this.number(number)?.connection_id ?? '');
  }

  /** What a number can be attached to under this identifier, as the carrier describes all kinds of connections. */
  connection(id: string): StoredObject | undefined {
    if (id === SIP_CONNECTION_ID) return this.#sipConnection;
    const application = this.application(id);
    if (!application) return undefined;
    const { friendly_name: name, active, record_type: type } = application;
    const profile = outboundProfileOf(application) ?? null;
    return { id, record_type: type, connection_name: name, active, outbound_voice_profile_id: profile };
  }

  /** Undefined when the account has as many as it can have. */
  create(fields: NewApplication): StoredApplication | undefined {
    return this.#applications.size < MAX_TEXML_APPLICATIONS ? this.#add(fields) : undefined;
  }

  /** What `change` leaves out keeps its value. */
  change(application: StoredApplication, change: JsonFields): StoredApplication {
    const changed = { ...application, ...change, id: application.id, updated_at: new Date().toISOString() };
    this.#applications.set(application.id, changed);
    return changed;
  }

  /** Numbers attached to it are attached to nothing then. */
  delete({ id }: StoredApplication): void {
    this.#applications.delete(id);
    for (const number of this.numbers) if (number.connection_id === id) number.connection_id = null;
  }

  #add(fields: NewApplication): StoredApplication {
    const application = { ...APPLICATION_DEFAULTS, ...timestamps(), ...fields, id: String(this.#nextId) };
    this.#nextId += 1n;
    this.#applications.set(application.id, application);
    return application;
  }
}

export function outboundProfileOf({ outbound }: StoredApplication): string | undefined {
  const { outbound_voice_profile_id: profile } = (outbound ?? {}) as JsonFields;
  return typeof profile === 'string' && profile !== '' ? profile : undefined;
}

function timestamps(): JsonFields {
  const now = new Date().toISOString();
  return { created_at: now, updated_at: now };
}
