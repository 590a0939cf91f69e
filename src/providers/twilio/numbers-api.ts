import { isFields, type JsonFields } from '../../base/http/json-fields.js';
import { unlessNotFound } from '../../base/http/provider-request-error.js';
import type { RestClient } from '../../base/http/rest-client.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import { readObject } from '../account-objects.js';
import { listAll } from './api.js';
import { isSid, requireSid } from './identifier.js';

/** What a number has to do with calls, by the names of the requests that set it, with what the answers call it. */
export const VOICE_FIELDS = {
  VoiceUrl: 'voice_url',
  VoiceMethod: 'voice_method',
  VoiceFallbackUrl: 'voice_fallback_url',
  VoiceFallbackMethod: 'voice_fallback_method',
  StatusCallback: 'status_callback',
  StatusCallbackMethod: 'status_callback_method',
  /** Where it is set, its addresses count in place of the number's. */
  VoiceApplicationSid: 'voice_application_sid',
  /** Where it is set, neither addresses nor application count. */
  TrunkSid: 'trunk_sid',
} as const;

export type VoiceField = keyof typeof VOICE_FIELDS;

/** Empty: there is none. */
export type VoiceSettings = Readonly<Record<VoiceField, string>>;

export interface IncomingNumber {
  readonly sid: string;
  /** E.164. */
  readonly number: string;
  readonly settings: VoiceSettings;
  /** Undefined where the answer does not say. */
  readonly takesCalls: boolean | undefined;
}

/** Addresses that several numbers may have in common. */
export interface VoiceApplication {
  readonly sid: string;
  readonly name: string;
  readonly voiceUrl: string;
  readonly voiceMethod: string;
}

/** The numbers of one account. Every request does no harm when it is done twice, and is tried again as reads are. */
export class IncomingNumbersApi {
  constructor(private readonly api: RestClient) {}

  /** In the order of their digits. */
  async numbers(signal?: AbortSignal): Promise<readonly IncomingNumber[]> {
    const objects = await this.#list('listing the numbers', 'IncomingPhoneNumbers', 'incoming_phone_numbers', signal);
    return objects.flatMap((fields) => readNumber(fields) ?? []).sort((a, b) => (a.number < b.number ? -1 : 1));
  }

  /** Undefined when the account does not have it any more. */
  async number(sid: string, signal?: AbortSignal): Promise<IncomingNumber | undefined> {
    const fields = await readObject(this.api, 'reading the number', numberPath(sid), signal);
    return fields && readNumber(fields);
  }

  /** What is missing in `settings` stays as it is. */
  async change(
    sid: string,
    settings: Partial<VoiceSettings>,
    signal?: AbortSignal,
  ): Promise<'changed' | 'no_such_number'> {
    const form = new URLSearchParams(settings);
    const request = { method: 'POST', path: numberPath(sid), form, repeat: 'always' } as const;
    return (await unlessNotFound(this.api.request('changing the number', request, signal)))
      ? 'changed'
      : 'no_such_number';
  }

  async applications(signal?: AbortSignal): Promise<readonly VoiceApplication[]> {
    const objects = await this.#list('listing the applications', 'Applications', 'applications', signal);
    return objects.flatMap((fields) => readApplication(fields) ?? []);
  }

  /** Undefined when there is none. */
  async application(sid: string, signal?: AbortSignal): Promise<VoiceApplication | undefined> {
    requireSid(sid, 'AP', 'application SID');
    const fields = await readObject(this.api, 'reading the application', `Applications/${sid}.json`, signal);
    return fields && readApplication(fields);
  }

  close(): Promise<void> {
    return this.api.close();
  }

  #list(what: string, resource: string, name: string, signal?: AbortSignal) {
    return listAll(this.api, what, `${resource}.json`, name, {}, signal);
  }
}

function numberPath(sid: string): string {
  requireSid(sid, 'PN', 'number SID');
  return `IncomingPhoneNumbers/${sid}.json`;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function readNumber(fields: JsonFields): IncomingNumber | undefined {
  const { sid, phone_number: number, capabilities } = fields;
  if (!isSid(sid, 'PN')) return undefined;
  const settings = Object.entries(VOICE_FIELDS).map(([field, name]) => [field, text(fields[name])]);
  const voice = isFields(capabilities) ? capabilities.voice : undefined;
  return {
    sid,
    number: normalisePhoneNumber(text(number)),
    settings: Object.fromEntries(settings),
    takesCalls: typeof voice === 'boolean' ? voice : undefined,
  };
}

function readApplication(fields: JsonFields): VoiceApplication | undefined {
  const { sid, friendly_name: name, voice_url: voiceUrl, voice_method: voiceMethod } = fields;
  if (!isSid(sid, 'AP')) return undefined;
  return { sid, name: text(name), voiceUrl: text(voiceUrl), voiceMethod: text(voiceMethod) };
}
