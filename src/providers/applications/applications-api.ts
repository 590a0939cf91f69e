import { type JsonFields, textOf } from '../../base/http/json-fields.js';
import { unlessNotFound } from '../../base/http/provider-request-error.js';
import type { RestClient, RestRequest } from '../../base/http/rest-client.js';
import { type AnswerForm, listObjects, objectIn, readObject } from '../account-objects.js';
import {
  type AccountNumber,
  ADDRESS_NAMES,
  type AddressName,
  type Application,
  type CallAddress,
  type CallAddresses,
  type NumberLink,
  type NumbersApi,
} from './numbers-api.js';

/** How a carrier writes its applications. */
export interface ApplicationDialect {
  readonly answers: AnswerForm;
  /** Of their list. */
  readonly path: string;
  /** Of one. @throws VoicebotError VB_IDENTIFIER_INVALID */
  pathOf(id: string): string;
  /** Whether a value is an identifier of the carrier, and may enter an address. */
  isIdentifier(value: unknown): value is string;
  /** What the list is asked for to have those of a name, perhaps among others. */
  filterOf(name: string): Readonly<Record<string, string>>;
  readonly idField: string;
  readonly nameField: string;
  /** Without a field for its method an address is asked as the first one is. */
  readonly addressFields: Readonly<Record<AddressName, readonly [url: string, method: string | undefined]>>;
  /** An address as the carrier writes it. */
  written(address: CallAddress): { readonly url: string | null; readonly method: string };
}

/** The applications of one account, in the words of a dialect. */
export abstract class ApplicationsApi implements NumbersApi {
  readonly addressNames: Readonly<Record<AddressName, string>>;

  constructor(
    protected readonly api: RestClient,
    private readonly dialect: ApplicationDialect,
  ) {
    this.addressNames = ofEach((kind) => dialect.addressFields[kind][0]);
  }

  abstract numbers(signal?: AbortSignal): Promise<readonly AccountNumber[]>;
  abstract number(number: string, signal?: AbortSignal): Promise<AccountNumber | undefined>;
  abstract attach(number: string, link: Pick<NumberLink, 'id'>, signal?: AbortSignal): Promise<void>;

  /** All of the account. */
  applications(signal?: AbortSignal): Promise<readonly Application[]> {
    return this.#list({}, signal);
  }

  async applicationsNamed(name: string, signal?: AbortSignal): Promise<readonly Application[]> {
    const found = await this.#list(this.dialect.filterOf(name), signal);
    return found.filter((application) => application.name === name);
  }

  async application(id: string, signal?: AbortSignal): Promise<Application | undefined> {
    const { answers, idField, pathOf } = this.dialect;
    const fields = await readObject(this.api, 'reading the application', pathOf(id), signal, answers.object);
    return fields && this.#read({ [idField]: id, ...fields });
  }

  findOrCreate(
    name: string,
    addresses: CallAddresses,
    former: NumberLink | undefined,
    signal?: AbortSignal,
  ): Promise<Application> {
    const { answers, path, idField, nameField, isIdentifier } = this.dialect;
    const what = 'creating the application';
    return this.api.findOrMake(
      async () => (await this.applicationsNamed(name, signal))[0],
      async () => {
        const taken = await this.takenFrom(former, signal);
        const fields = { [nameField]: name, ...this.written(addresses), ...taken };
        const request = { method: 'POST', path, fields, repeat: 'never' } as const;
        const answer = await this.api.request(what, request, signal);
        const id = objectIn(answer.fields, answers.object)?.[idField];
        if (isIdentifier(id)) return { id, name, addresses };
        throw this.api.failure(`${what} got an answer without its id`, answer.status);
      },
      signal,
    );
  }

  async changeAddresses(
    id: string,
    change: Partial<CallAddresses>,
    signal?: AbortSignal,
  ): Promise<'changed' | 'no_such_application'> {
    const path = this.dialect.pathOf(id);
    const request = await this.changing(id, change, signal);
    if (!request) return 'no_such_application';
    const answer = this.api.request('changing the application', { ...request, path }, signal);
    return (await unlessNotFound(answer)) ? 'changed' : 'no_such_application';
  }

  async deleteApplication(id: string, signal?: AbortSignal): Promise<void> {
    const request = { method: 'DELETE', path: this.dialect.pathOf(id) } as const;
    await unlessNotFound(this.api.request('deleting the application', request, signal));
  }

  /** Closes the connections of its API. */
  close(): Promise<void> {
    return this.api.close();
  }

  /** The request that changes addresses; undefined when there is no such application. */
  protected abstract changing(
    id: string,
    change: Partial<CallAddresses>,
    signal?: AbortSignal,
  ): Promise<Omit<RestRequest, 'path'> | undefined>;

  /** What a new application takes over from the `former` link of its number, as fields. */
  protected async takenFrom(_former: NumberLink | undefined, _signal?: AbortSignal): Promise<JsonFields> {
    return {};
  }

  /** The fields of addresses. */
  protected written(addresses: Partial<CallAddresses>): Record<string, string | null> {
    const given = ADDRESS_NAMES.flatMap((kind) => {
      const address = addresses[kind];
      if (!address) return [];
      const [urlField, methodField] = this.dialect.addressFields[kind];
      const { url, method } = this.dialect.written(address);
      return [[urlField, url], ...(methodField && method ? [[methodField, method]] : [])];
    });
    return Object.fromEntries(given);
  }

  async #list(filter: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<readonly Application[]> {
    const { answers, path } = this.dialect;
    const objects = await listObjects(this.api, answers, 'listing the applications', path, filter, signal);
    return objects.flatMap((fields) => this.#read(fields) ?? []);
  }

  #read(fields: JsonFields): Application | undefined {
    const { idField, nameField, addressFields, isIdentifier } = this.dialect;
    const id = fields[idField];
    if (!isIdentifier(id)) return undefined;
    const text = (field: string | undefined) => (field && textOf(fields[field])) ?? '';
    const addresses = ofEach((kind) => {
      const [url, method] = addressFields[kind];
      return { url: text(url), method: text(method).toUpperCase() };
    });
    return { id, name: String(fields[nameField] ?? ''), addresses };
  }
}

const ofEach = <Value>(of: (kind: AddressName) => Value): Readonly<Record<AddressName, Value>> => ({
  answer: of('answer'),
  hangup: of('hangup'),
  fallback: of('fallback'),
});
