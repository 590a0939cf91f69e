import { cleanText } from '../../base/clean-text.js';
import { type JsonFields, textOf } from '../../base/http/json-fields.js';
import type { RestClient } from '../../base/http/rest-client.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import { listObjects } from '../account-objects.js';
import { type ApplicationDialect, ApplicationsApi } from '../applications/applications-api.js';
import type { AccountNumber, CallAddresses, NumberLink } from '../applications/numbers-api.js';
import { ANSWERS, findNumber, readObject } from './api.js';
import { isTelnyxIdentifier, requireIdentifier } from './identifier.js';

/** What the carrier calls those of TeXML. */
const APPLICATIONS: ApplicationDialect = {
  answers: ANSWERS,
  path: 'texml_applications',
  pathOf(id) {
    requireIdentifier(id, 'application id');
    return `texml_applications/${id}`;
  },
  isIdentifier: isTelnyxIdentifier,
  // Those whose names have it in them, in whatever case.
  filterOf: (name) => ({ 'filter[friendly_name]': name, sort: 'created_at' }),
  idField: 'id',
  nameField: 'friendly_name',
  addressFields: {
    answer: ['voice_url', 'voice_method'],
    hangup: ['status_callback', 'status_callback_method'],
    fallback: ['voice_fallback_url', undefined],
  },
  // An address that there is none of is `null`.
  written: ({ url, method }) => ({ url: url || null, method: method.toLowerCase() }),
};

/**
 * The numbers and TeXML applications of one account. A number is attached to a connection of whichever kind: a TeXML
 * application is one.
 * @see carrier reference 7.2
 */
export class TelnyxNumbersApi extends ApplicationsApi {
  constructor(api: RestClient) {
    super(api, APPLICATIONS);
  }

  async numbers(signal?: AbortSignal): Promise<readonly AccountNumber[]> {
    const objects = await listObjects(this.api, ANSWERS, 'listing the numbers', 'phone_numbers', {}, signal);
    const applications = new Set((await this.applications(signal)).map(({ id }) => id));
    return objects
      .map((fields) => readNumber(fields, (id) => applications.has(id)))
      .sort((a, b) => (a.number < b.number ? -1 : 1));
  }

  async number(number: string, signal?: AbortSignal): Promise<AccountNumber | undefined> {
    const fields = await findNumber(this.api, number, signal);
    if (!fields) return undefined;
    const { connection_id: id } = fields;
    const isApplication = isTelnyxIdentifier(id) && (await this.application(id, signal)) !== undefined;
    return readNumber(fields, () => isApplication);
  }

  /**
   * What a connection that is no TeXML application is: of a call control application, a SIP trunk by address or by password … Where a key may
   * not read it, the number is there all the same.
   */
  async titleOf(id: string, signal?: AbortSignal): Promise<string | undefined> {
    const fields = await readObject(this.api, 'reading the connection', `connections/${id}`, signal).catch(
      () => undefined,
    );
    signal?.throwIfAborted();
    const [kind, name] = [textOf(fields?.record_type), textOf(fields?.connection_name)];
    if (kind === undefined) return undefined;
    return cleanText([kind.replaceAll('_', ' '), name ?? id].join(' '), 100);
  }

  attach(number: string, { id }: Pick<NumberLink, 'id'>, signal?: AbortSignal): Promise<void> {
    requireIdentifier(id, 'connection id');
    return this.#connect(number, id, signal);
  }

  detach(number: string, signal?: AbortSignal): Promise<void> {
    return this.#connect(number, null, signal);
  }

  protected override async changing(id: string, change: Partial<CallAddresses>, signal?: AbortSignal) {
    const current = await this.application(id, signal);
    if (!current) return undefined;
    // Every change says the name and the address again: the carrier's own package requires both.
    const { name: friendly_name, addresses } = current;
    const fields = { friendly_name, ...this.written({ answer: addresses.answer, ...change }) };
    return { method: 'PATCH', fields } as const;
  }

  /** Calls can be placed by an application only if it has an outbound voice profile: a new one gets that of the former connection. */
  protected override async takenFrom(former: NumberLink | undefined, signal?: AbortSignal): Promise<JsonFields> {
    const profile = former && (await this.#outboundProfileOf(former, signal));
    return profile === undefined ? {} : { outbound: { outbound_voice_profile_id: profile } };
  }

  async #connect(number: string, connectionId: string | null, signal?: AbortSignal): Promise<void> {
    const what = 'attaching the number to the application';
    const id = (await findNumber(this.api, number, signal))?.id;
    if (!isTelnyxIdentifier(id)) throw this.api.failure(`${what} found no such number`);
    const fields = { connection_id: connectionId };
    await this.api.request(what, { method: 'PATCH', path: `phone_numbers/${id}`, fields }, signal);
  }

  async #outboundProfileOf({ id }: NumberLink, signal?: AbortSignal): Promise<string | undefined> {
    requireIdentifier(id, 'connection id');
    const fields = await readObject(this.api, 'reading the connection', `connections/${id}`, signal);
    const profile = fields?.outbound_voice_profile_id;
    return isTelnyxIdentifier(profile) ? profile : undefined;
  }
}

function readNumber(
  { phone_number: number, connection_id: id }: JsonFields,
  isApplication: (id: string) => boolean,
): AccountNumber {
  const link = isTelnyxIdentifier(id) && ({ kind: isApplication(id) ? 'application' : 'connection', id } as const);
  return { number: normalisePhoneNumber(typeof number === 'string' ? number : ''), link: link || undefined };
}
