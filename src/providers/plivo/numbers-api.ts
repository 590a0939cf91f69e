import { cleanText } from '../../base/clean-text.js';
import type { JsonFields } from '../../base/http/json-fields.js';
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
import { listAll, readObject } from './api.js';
import { digitsOf } from './digits.js';
import { isPlivoIdentifier, requireIdentifier } from './identifier.js';

/** What the carrier calls them. */
const ADDRESS_FIELDS = {
  answer: ['answer_url', 'answer_method'],
  hangup: ['hangup_url', 'hangup_method'],
  fallback: ['fallback_answer_url', 'fallback_method'],
} as const satisfies Record<AddressName, readonly [url: string, method: string]>;

export class PlivoNumbersApi implements NumbersApi {
  readonly addressNames = {
    answer: ADDRESS_FIELDS.answer[0],
    hangup: ADDRESS_FIELDS.hangup[0],
    fallback: ADDRESS_FIELDS.fallback[0],
  };

  constructor(private readonly api: RestClient) {}

  /** In the order of their digits. */
  async numbers(signal?: AbortSignal): Promise<readonly AccountNumber[]> {
    const objects = await listAll(this.api, 'listing the numbers', 'Number/', {}, signal);
    return objects.map(readNumber).sort((a, b) => (a.number < b.number ? -1 : 1));
  }

  /** Undefined when the account does not have it. */
  async number(number: string, signal?: AbortSignal): Promise<AccountNumber | undefined> {
    const fields = await readObject(this.api, 'reading the number', `Number/${digitsOf(number)}/`, signal);
    return fields && readNumber(fields);
  }

  /** @throws ProviderRequestError with status 400 or 422 when there is nothing under that identifier */
  async attach(number: string, { id }: Pick<NumberLink, 'id'>, signal?: AbortSignal): Promise<void> {
    requireIdentifier(id, 'application id');
    const path = `Number/${digitsOf(number)}/`;
    await this.#post('attaching the number to the application', path, { app_id: id }, signal);
  }

  applications(signal?: AbortSignal): Promise<readonly Application[]> {
    return this.#applications({}, signal);
  }

  async #applications(filter: Record<string, string>, signal?: AbortSignal): Promise<readonly Application[]> {
    const objects = await listAll(this.api, 'listing the applications', 'Application/', filter, signal);
    return objects.flatMap((fields) => readApplication(fields) ?? []);
  }

  /** Those of exactly this name, oldest first. */
  async applicationsNamed(name: string, signal?: AbortSignal): Promise<readonly Application[]> {
    const found = await this.#applications({ app_name: name }, signal); // of names that begin so;
    return found.filter((application) => application.name === name);
  }

  /** Undefined when there is none. */
  async application(id: string, signal?: AbortSignal): Promise<Application | undefined> {
    requireIdentifier(id, 'application id');
    const what = 'reading the application';
    const fields = await readObject(this.api, what, `Application/${id}/`, signal);
    return fields && readApplication({ app_id: id, ...fields });
  }

  /** The application of this name; created unless there is one, also when the answer to that was lost. */
  async findOrCreate(
    name: string,
    addresses: CallAddresses,
    _former: unknown,
    signal?: AbortSignal,
  ): Promise<Application> {
    const what = 'creating the application';
    const fields = { app_name: name, ...wireAddresses(addresses) };
    return this.api.findOrMake(
      async () => (await this.applicationsNamed(name, signal))[0],
      async () => {
        const request = { method: 'POST', path: 'Application/', fields, repeat: 'never' } as const;
        const answer = await this.api.request(what, request, signal);
        const id = answer.fields?.app_id;
        if (isPlivoIdentifier(id)) return { id, name, addresses };
        throw this.api.failure(`${what} got an answer without its id`, answer.status);
      },
      signal,
    );
  }

  /** What is missing in `change` stays as it is. */
  async changeAddresses(
    id: string,
    change: Partial<CallAddresses>,
    signal?: AbortSignal,
  ): Promise<'changed' | 'no_such_application'> {
    requireIdentifier(id, 'application id');
    const changing = this.#post('changing the application', `Application/${id}/`, wireAddresses(change), signal);
    return (await unlessNotFound(changing)) ? 'changed' : 'no_such_application';
  }

  /** Numbers attached to it are attached to nothing then. */
  async deleteApplication(id: string, signal?: AbortSignal): Promise<void> {
    requireIdentifier(id, 'application id');
    const request = { method: 'DELETE', path: `Application/${id}/` } as const;
    await unlessNotFound(this.api.request('deleting the application', request, signal));
  }

  close(): Promise<void> {
    return this.api.close();
  }

  /** It does no harm when it is done twice. */
  #post(what: string, path: string, fields: object, signal?: AbortSignal) {
    return this.api.request(what, { method: 'POST', path, fields, repeat: 'always' }, signal);
  }
}

/** @see carrier reference 1.6 */
function readNumber(fields: JsonFields): AccountNumber {
  return { number: normalisePhoneNumber(String(fields.number ?? '')), link: readLink(fields) };
}

function readLink({ application, app_id: id }: JsonFields): NumberLink | undefined {
  if (application === undefined || application === null || application === '') {
    return isPlivoIdentifier(id) ? { kind: 'application', id } : undefined;
  }
  const [, kind, linked] = /\/(Application|Zentrunk\/Trunk)\/([\w-]{1,64})\/?$/.exec(String(application)) ?? [];
  if (!linked) return { kind: 'other', id: cleanText(String(application), 200) };
  return { kind: kind === 'Application' ? 'application' : 'trunk', id: linked };
}

function readApplication(fields: JsonFields): Application | undefined {
  const { app_id: id, app_name: name } = fields;
  if (!isPlivoIdentifier(id)) return undefined;
  const text = (field: string) => (typeof fields[field] === 'string' ? (fields[field] as string) : '');
  const address = (kind: AddressName): CallAddress => {
    const [url, method] = ADDRESS_FIELDS[kind];
    return { url: text(url), method: text(method).toUpperCase() };
  };
  const addresses = { answer: address('answer'), hangup: address('hangup'), fallback: address('fallback') };
  return { id, name: String(name ?? ''), addresses };
}

function wireAddresses(addresses: Partial<CallAddresses>): Record<string, string> {
  const given = ADDRESS_NAMES.flatMap((kind) => {
    const address = addresses[kind];
    if (!address) return [];
    const [url, method] = ADDRESS_FIELDS[kind];
    return [[url, address.url], ...(address.method ? [[method, address.method]] : [])];
  });
  return Object.fromEntries(given);
}
