import { VoicebotError } from '../../base/errors.js';
import { isFields, type JsonFields } from '../../base/http/json-fields.js';
import { RestClient, type RestOptions } from '../../base/http/rest-client.js';
import { addressHints, namesOf } from '../account-names.js';
import { type AnswerForm, listObjects, readObject as readMember } from '../account-objects.js';
import type { CarrierCredentials } from '../carrier.js';
import { oneNumber } from '../dialled-number.js';
import { refusalOf } from './refusal.js';

/** The most objects of a page. */
const PAGE_SIZE = 250;

export const ANSWERS: AnswerForm = {
  object: 'data',
  objects: 'data',
  maxPages: 100,
  query: (page) => ({ 'page[number]': String(page), 'page[size]': String(PAGE_SIZE) }),
  goesOn: ({ meta }, page) => isFields(meta) && typeof meta.total_pages === 'number' && page < meta.total_pages,
};

/**
 * The REST API of one account, which its key alone names. An aborted `signal` rejects with its own reason.
 * @throws VoicebotError VB_CREDENTIALS_MISSING when the key is empty
 * @see carrier reference 7.2
 */
export function openApi(credentials: CarrierCredentials, options?: RestOptions): RestClient {
  const { authToken, apiUrl } = credentials;
  const names = namesOf(credentials);
  if (!authToken) {
    throw new VoicebotError('VB_CREDENTIALS_MISSING', 'the carrier needs an API key', {
      hint: `set ${names.signIn}`,
    });
  }
  return new RestClient(
    {
      base: `${apiUrl.replace(/\/+$/, '')}/`,
      authorization: `Bearer ${authToken}`,
      repeats: { times: 3 },
      codes: { failed: 'VB_CARRIER_REQUEST_FAILED', unreachable: 'VB_CARRIER_UNREACHABLE' },
      ...addressHints(names),
      refusal: (what, answer, _request, mayBeDone) => refusalOf(what, answer, [authToken], mayBeDone, names),
    },
    options,
  );
}

/** @returns the object itself; undefined for a 404 */
export const readObject = (api: RestClient, what: string, path: string, signal?: AbortSignal) =>
  readMember(api, what, path, signal, ANSWERS.object);

/**
 * @param number E.164
 * @returns undefined when the account does not have it
 * @throws VoicebotError VB_REQUEST_INVALID when it is not one number
 */
export async function findNumber(
  api: RestClient,
  number: string,
  signal?: AbortSignal,
): Promise<JsonFields | undefined> {
  // Digits alone: with anything else in it the carrier finds none (its description of the API).
  const filter = { 'filter[phone_number]': oneNumber(number).slice(1) };
  const found = await listObjects(api, ANSWERS, 'reading the number', 'phone_numbers', filter, signal);
  return found.find(({ phone_number: owned }) => owned === number);
}
