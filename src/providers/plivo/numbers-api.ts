import { cleanText } from '../../base/clean-text.js';
import type { JsonFields } from '../../base/http/json-fields.js';
import type { RestClient } from '../../base/http/rest-client.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import { listObjects, readObject } from '../account-objects.js';
import { type ApplicationDialect, ApplicationsApi } from '../applications/applications-api.js';
import type { AccountNumber, CallAddresses, NumberLink } from '../applications/numbers-api.js';
import { ANSWERS } from './api.js';
import { digitsOf } from './digits.js';
import { isPlivoIdentifier, requireIdentifier } from './identifier.js';

/** What the carrier calls them. */
const APPLICATIONS: ApplicationDialect = {
  answers: ANSWERS,
  path: 'Application/',
  pathOf(id) {
    requireIdentifier(id, 'application id');
    return `Application/${id}/`;
  },
  isIdentifier: isPlivoIdentifier,
  // Those whose names begin so.
  filterOf: (name) => ({ app_name: name }),
  idField: 'app_id',
  nameField: 'app_name',
  addressFields: {
    answer: ['answer_url', 'answer_method'],
    hangup: ['hangup_url', 'hangup_method'],
    fallback: ['fallback_answer_url', 'fallback_method'],
  },
  written: (address) => address,
};

export class PlivoNumbersApi extends ApplicationsApi {
  constructor(api: RestClient) {
    super(api, APPLICATIONS);
  }

  /** In the order of their digits. */
  async numbers(signal?: AbortSignal): Promise<readonly AccountNumber[]> {
    const objects = await listObjects(this.api, ANSWERS, 'listing the numbers', 'Number/', {}, signal);
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
    const request = { method: 'POST', path, fields: { app_id: id }, repeat: 'always' } as const;
    await this.api.request('attaching the number to the application', request, signal);
  }

  protected override async changing(_id: string, change: Partial<CallAddresses>) {
    return { method: 'POST', fields: this.written(change), repeat: 'always' } as const;
  }
}

/** @see carrier reference 1.6 */
function readNumber(fields: JsonFields): AccountNumber {
  const { voice_enabled: takesCalls } = fields;
  return {
    number: normalisePhoneNumber(String(fields.number ?? '')),
    link: readLink(fields),
    takesCalls: typeof takesCalls === 'boolean' ? takesCalls : undefined,
  };
}

function readLink({ application, app_id: id }: JsonFields): NumberLink | undefined {
  if (application === undefined || application === null || application === '') {
    return isPlivoIdentifier(id) ? { kind: 'application', id } : undefined;
  }
  const [, kind, linked] = /\/(Application|Zentrunk\/Trunk)\/([\w-]{1,64})\/?$/.exec(String(application)) ?? [];
  if (!linked) return { kind: 'other', id: cleanText(String(application), 200) };
  return { kind: kind === 'Application' ? 'application' : 'trunk', id: linked };
}
