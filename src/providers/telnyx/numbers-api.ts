import type { JsonFields } from '../../base/http/json-fields.js';
import { isFields } from '../../base/http/json-fields.js';
import { unlessNotFound } from '../../base/http/provider-request-error.js';
import type { RestClient } from '../../base/http/rest-client.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import {
  type AccountNumber,
  ADDRESS_NAMES,
  type AddressName,
  type Application,
  type CallAddress,
  type CallAddresses,
  type NumberLink,
  type NumbersApi,
} from '../applications/numbers-api.js';
import { findNumber, listAll, readObject } from './api.js';
import { isTelnyxIdentifier, requireIdentifier } from './identifier.js';

/** What the carrier calls the addresses of a TeXML application. The fallback is asked as the first address is. */
const ADDRESS_FIELDS = {
  answer: ['voice_url', 'voice_method'],
  hangup: ['status_callback', 'status_callback_method'],
  fallback: ['voice_fallback_url', undefined],
} as const satisfies Record<AddressName, readonly [url: string, method: string | undefined]>;

/**
 * The numbers and TeXML applications of one account. A number is attached to a connection of whichever kind: a TeXML
 * application is one.
 * @see carrier reference 7.2
 */
export class TelnyxNumbersApi implements NumbersApi {
  readonly addressNames = {
    answer: ADDRESS_FIELDS.answer[0],
    hangup: ADDRESS_FIELDS.hangup[0],
    fallback: ADDRESS_FIELDS.fallback[0],
  };

  constructor(private readonly api: RestClient) {}

  async numbers(signal?: AbortSignal): Promise<readonly AccountNumber[]> {
    const objects = await listAll(this.api, 'listing the numbers', 'phone_numbers', {}, signal);
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

  attach(number: string, { id }: Pick<NumberLink, 'id'>, signal?: AbortSignal): Promise<void> {
    requireIdentifier(id, 'connection id');
    return this.#connect(number, id, signal);
  }

  detach(number: string, signal?: AbortSignal): Promise<void> {
    return this.#connect(number, null, signal);
  }

  applications(signal?: AbortSignal): Promise<readonly Application[]> {
    return this.#applications({}, signal);
  }

  async applicationsNamed(name: string, signal?: AbortSignal): Promise<readonly Application[]> {
    // Those whose names have it in them, in whatever case.
    const found = await this.#applications({ 'filter[friendly_name]': name, sort: 'created_at' }, signal);
    return found.filter((application) => application.name === name);
  }

  async application(id: string, signal?: AbortSignal): Promise<Application | undefined> {
    requireIdentifier(id, 'application id');
    const fields = await readObject(this.api, 'reading the application', `texml_applications/${id}`, signal);
    return fields && readApplication({ id, ...fields });
  }

  /** Calls can be placed by an application only if it has an outbound voice profile: a new one gets that of the former connection. */
  async findOrCreate(
    name: string,
    addresses: CallAddresses,
    former: NumberLink | undefined,
    signal?: AbortSignal,
  ): Promise<Application> {
    const what = 'creating the application';
    return this.api.findOrMake(
      async () => (await this.applicationsNamed(name, signal))[0],
      async () => {
        const profile = former && (await this.#outboundProfileOf(former, signal));
        const fields = {
          friendly_name: name,
          ...wireAddresses(addresses),
          ...(profile !== undefined && { outbound: { outbound_voice_profile_id: profile } }),
        };
        const request = { method: 'POST', path: 'texml_applications', fields, repeat: 'never' } as const;
        const { status, fields: answer } = await this.api.request(what, request, signal);
        const application = isFields(answer?.data) ? readApplication(answer.data) : undefined;
        if (application) return { ...application, name, addresses };
        throw this.api.failure(`${what} got an answer without its id`, status);
      },
      signal,
    );
  }

  async changeAddresses(
    id: string,
    change: Partial<CallAddresses>,
    signal?: AbortSignal,
  ): Promise<'changed' | 'no_such_application'> {
    const current = await this.application(id, signal);
    if (!current) return 'no_such_application';
    // Every change says the name and the address again: the carrier's own package requires both.
    const { name: friendly_name, addresses } = current;
    const fields = { friendly_name, ...wireAddresses({ answer: addresses.answer, ...change }) };
    const request = { method: 'PATCH', path: `texml_applications/${id}`, fields } as const;
    const changing = this.api.request('changing the application', request, signal);
    return (await unlessNotFound(changing)) ? 'changed' : 'no_such_application';
  }

  async deleteApplication(id: string, signal?: AbortSignal): Promise<void> {
    requireIdentifier(id, 'application id');
    const request = { method: 'DELETE', path: `texml_applications/${id}` } as const;
    await unlessNotFound(this.api.request('deleting the application', request, signal));
  }

  close(): Promise<void> {
    return this.api.close();
  }

  async #applications(filter: Record<string, string>, signal?: AbortSignal): Promise<readonly Application[]> {
    const objects = await listAll(this.api, 'listing the applications', 'texml_applications', filter, signal);
    return objects.flatMap((fields) => readApplication(fields) ?? []);
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

function readApplication(fields: JsonFields): Application | undefined {
  const { id, friendly_name: name } = fields;
  if (!isTelnyxIdentifier(id)) return undefined;
  const text = (field: string | undefined) => {
    const value = field === undefined ? '' : fields[field];
    return typeof value === 'string' ? value : '';
  };
  const address = (kind: AddressName): CallAddress => {
    const [url, method] = ADDRESS_FIELDS[kind];
    return { url: text(url), method: text(method).toUpperCase() };
  };
  const addresses = { answer: address('answer'), hangup: address('hangup'), fallback: address('fallback') };
  return { id, name: typeof name === 'string' ? name : '', addresses };
}

/** An address that there is none of is written as the carrier writes it: `null`. */
function wireAddresses(addresses: Partial<CallAddresses>): Record<string, string | null> {
  const given = ADDRESS_NAMES.flatMap((kind) => {
    const address = addresses[kind];
    if (!address) return [];
    const [url, method] = ADDRESS_FIELDS[kind];
    return [[url, address.url || null], ...(method && address.method ? [[method, address.method.toLowerCase()]] : [])];
  });
  return Object.fromEntries(given);
}
