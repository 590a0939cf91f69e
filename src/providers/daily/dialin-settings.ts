import { isFields, type JsonFields, textOf } from '../../base/http/json-fields.js';

/** Where calls to one number go. As a change: what is missing stays as it is. */
export interface DialinSettings {
  /** E.164. Missing for a static SIP address alone. */
  readonly phoneNumber?: string;
  /** The webhook. */
  readonly webhookUrl?: string;
  /** Signs the webhook, base64. */
  readonly secret?: string;
  /** A label. */
  readonly namePrefix?: string;
  /** A public MP3 of at most 60 s and 10 MB. */
  readonly holdMusicUrl?: string;
  /** Spoken to a caller whom no bot has fetched in time. */
  readonly timeoutMessage?: string;
}

/** Settings of a number. */
export type NumberSettings = DialinSettings & { readonly phoneNumber: string };

/** Settings as the provider tells them. */
export interface KnownDialinSettings extends DialinSettings {
  /** The static address that triggers the same webhook, with `sip:`. */
  readonly sipUri?: string;
}

/** Settings with an entry of their own. @see rooms reference 3.2 */
export interface DialinConfig {
  readonly id: string;
  /** `pinless_dialin`, or `pin_dialin` for a number whose callers key in which room they want. */
  readonly type: string;
  readonly settings: KnownDialinSettings;
}

/** @see rooms reference 3.1 and 3.2 */
export function wireSettings(settings: DialinSettings): JsonFields {
  const { phoneNumber, webhookUrl, secret, namePrefix, holdMusicUrl, timeoutMessage } = settings;
  return {
    ...(phoneNumber !== undefined && { phone_number: phoneNumber }),
    ...(webhookUrl !== undefined && { room_creation_api: webhookUrl }),
    ...(namePrefix !== undefined && { name_prefix: namePrefix }),
    ...(secret !== undefined && { hmac: secret }),
    ...(holdMusicUrl !== undefined && { hold_music_url: holdMusicUrl }),
    ...(timeoutMessage !== undefined && { timeout_config: { message: timeoutMessage } }),
  };
}

export function readSettings(fields: JsonFields): KnownDialinSettings {
  const phoneNumber = textOf(fields.phone_number);
  const webhookUrl = textOf(fields.room_creation_api);
  const secret = textOf(fields.hmac);
  const namePrefix = textOf(fields.name_prefix);
  const holdMusicUrl = textOf(fields.hold_music_url);
  const timeoutMessage = isFields(fields.timeout_config) ? textOf(fields.timeout_config.message) : undefined;
  const sipUri = textOf(fields.sip_uri);
  return {
    ...(phoneNumber && { phoneNumber }),
    ...(webhookUrl && { webhookUrl }),
    ...(secret && { secret }),
    ...(namePrefix && { namePrefix }),
    ...(holdMusicUrl && { holdMusicUrl }),
    ...(timeoutMessage && { timeoutMessage }),
    ...(sipUri && { sipUri: withSipScheme(sipUri) }),
  };
}

/** Undefined for what is no such entry. */
export function readConfig(value: unknown): DialinConfig | undefined {
  if (!isFields(value)) return undefined;
  const id = textOf(value.id);
  const type = textOf(value.type);
  return id && type ? { id, type, settings: readSettings(isFields(value.config) ? value.config : {}) } : undefined;
}

export const isEntryOf = (phoneNumber: string) => (entry: JsonFields) => entry.phone_number === phoneNumber;

/** With exactly one `sip:`, which the provider sometimes leaves out (rooms reference 6.1). */
export const withSipScheme = (address: string) => `sip:${address.replace(/^(?:sip:)+/i, '')}`;
