import { randomBytes } from 'node:crypto';
import type { SidKind } from '../../providers/twilio/identifier.js';
import { VOICE_FIELDS, type VoiceField } from '../../providers/twilio/numbers-api.js';
import { ACCOUNT_NUMBERS } from '../network/numbers.js';
import type { HttpMethod, WebhookTarget } from '../network/webhook-target.js';

/** Where calls go, under the names of the requests that set it. An empty text means that something is not set. */
export type EditableSettings = Record<VoiceField, string>;

/** A rented number. */
export interface RentedNumber {
  readonly sid: string;
  /** E.164. */
  readonly number: string;
  name: string;
  readonly settings: EditableSettings;
  readonly createdAt: Date;
}

/** Addresses that numbers may have in common. */
export interface StoredAddresses {
  readonly sid: string;
  readonly name: string;
  readonly settings: Readonly<Partial<EditableSettings>>;
  readonly createdAt: Date;
}

/** Signs in besides the account's own token. */
export interface StoredKey {
  readonly sid: string;
  readonly name: string;
  readonly secret: string;
  readonly createdAt: Date;
}

/** A SIP trunk that numbers can be attached to; calls to it are not answered. */
export const SIP_TRUNK_SID = 'TK20255502000000000000000000000001';
/** The most keys, and the most applications, that the account can have. */
export const MAX_STORED = 100;

export const newSid = (kind: SidKind | 'SK'): string => kind + randomBytes(16).toString('hex');

const NO_SETTINGS: Readonly<EditableSettings> = {
  VoiceUrl: '',
  VoiceMethod: 'POST',
  VoiceFallbackUrl: '',
  VoiceFallbackMethod: 'POST',
  StatusCallback: '',
  StatusCallbackMethod: 'POST',
  VoiceApplicationSid: '',
  TrunkSid: '',
};

/** The numbers, applications and keys of the account, kept in memory. The first number has the addresses that it begins with, the others have none. */
export class TwilioAccount {
  /** In the order of their digits. */
  readonly numbers: readonly RentedNumber[];
  readonly createdAt = new Date();
  readonly #applications = new Map<string, StoredAddresses>();
  readonly #keys = new Map<string, StoredKey>();

  constructor(first: Pick<EditableSettings, 'VoiceUrl' | 'StatusCallback'>) {
    this.numbers = ACCOUNT_NUMBERS.map((number, index) => ({
      sid: newSid('PN'),
      number,
      name: 'sandbox',
      settings: { ...NO_SETTINGS, ...(index === 0 && first) },
      createdAt: this.createdAt,
    }));
  }

  /** Oldest first. */
  get applications(): readonly StoredAddresses[] {
    return [...this.#applications.values()];
  }

  get keys(): Iterable<StoredKey> {
    return this.#keys.values();
  }

  application(sid: string): StoredAddresses | undefined {
    return this.#applications.get(sid);
  }

  /** @param number E.164 */
  number(number: string): RentedNumber | undefined {
    return this.numbers.find((owned) => owned.number === number);
  }

  /** Where calls to a number (E.164) go: a trunk counts before an application, and that before the number's own addresses. */
  settingsOf(number: string): Readonly<EditableSettings> | undefined {
    const settings = this.number(number)?.settings;
    if (!settings || settings.TrunkSid) return undefined;
    if (!settings.VoiceApplicationSid) return settings;
    const application = this.application(settings.VoiceApplicationSid);
    return application && { ...NO_SETTINGS, ...application.settings };
  }

  /** What `change` leaves out keeps its value. A trunk takes an application's place, and the other way round. */
  change(number: RentedNumber, change: Partial<EditableSettings>): void {
    const { settings } = number;
    Object.assign(settings, change);
    if (change.TrunkSid) settings.VoiceApplicationSid = '';
    else if (change.VoiceApplicationSid) settings.TrunkSid = '';
  }

  /** Undefined when the account has as many as it can have. */
  createApplication(name: string, settings: Partial<EditableSettings>): StoredAddresses | undefined {
    if (this.#applications.size >= MAX_STORED) return undefined;
    const application = { sid: newSid('AP'), name, settings, createdAt: new Date() };
    this.#applications.set(application.sid, application);
    return application;
  }

  /** Undefined when the account has as many as it can have. */
  createKey(name: string): StoredKey | undefined {
    if (this.#keys.size >= MAX_STORED) return undefined;
    const key = { sid: newSid('SK'), name, secret: randomBytes(16).toString('hex'), createdAt: new Date() };
    this.#keys.set(key.sid, key);
    return key;
  }
}

/** Undefined where the address is not set. */
export function targetOf(
  settings: Readonly<EditableSettings>,
  address: 'VoiceUrl' | 'VoiceFallbackUrl' | 'StatusCallback',
): WebhookTarget | undefined {
  const methods = {
    VoiceUrl: 'VoiceMethod',
    VoiceFallbackUrl: 'VoiceFallbackMethod',
    StatusCallback: 'StatusCallbackMethod',
  } as const;
  const url = settings[address];
  return url ? { url, method: settings[methods[address]] as HttpMethod } : undefined;
}

/** Settings as the answers of the REST API show them. */
export function shownSettings(settings: Readonly<Partial<EditableSettings>>, fields: readonly VoiceField[]): object {
  return Object.fromEntries(
    fields.map((field) => [VOICE_FIELDS[field], settings[field] || (field.endsWith('Sid') ? null : '')]),
  );
}
