import { VoicebotError } from '../../base/errors.js';
import { isFields } from '../../base/http/json-fields.js';
import { RestClient, type RestOptions } from '../../base/http/rest-client.js';
import { addressHints, namesOf } from '../account-names.js';
import type { AnswerForm } from '../account-objects.js';
import type { CarrierCredentials } from '../carrier.js';
import { requireIdentifier } from './identifier.js';
import { refusalOf } from './refusal.js';

/** The most objects of a page (carrier reference 1.1). */
const PAGE_LIMIT = 20;

/** @see carrier reference 1.1 */
export const ANSWERS: AnswerForm = {
  objects: 'objects',
  maxPages: 500,
  query: (_page, before) => ({ limit: String(PAGE_LIMIT), offset: String(before) }),
  // The address of the next page is left alone: where our credentials go is for us to say.
  goesOn: ({ meta }) => isFields(meta) && Boolean(meta.next),
};

/**
 * The REST API of one account. An aborted `signal` rejects with its own reason.
 * @throws VoicebotError VB_CREDENTIALS_MISSING when one is empty, VB_IDENTIFIER_INVALID when the auth id is not of the
 *   carrier's form
 * @see carrier reference 1.1
 */
export function openApi(credentials: CarrierCredentials, options?: RestOptions): RestClient {
  const { authId, authToken, apiUrl } = credentials;
  const names = namesOf(credentials);
  if (!authId || !authToken) {
    throw new VoicebotError('VB_CREDENTIALS_MISSING', 'the carrier needs an auth id and an auth token', {
      hint: `set ${names.signIn}`,
    });
  }
  requireIdentifier(authId, 'auth id');
  const basic = Buffer.from(`${authId}:${authToken}`).toString('base64');
  return new RestClient(
    {
      base: `${apiUrl.replace(/\/+$/, '')}/Account/${authId}/`,
      // A scoped token stands for itself (carrier reference 1.1).
      authorization: authToken.startsWith('stk_') ? `Bearer ${authToken}` : `Basic ${basic}`,
      repeats: { times: 3 },
      codes: { failed: 'VB_CARRIER_REQUEST_FAILED', unreachable: 'VB_CARRIER_UNREACHABLE' },
      ...addressHints(names),
      refusal: (what, answer, _request, mayBeDone) => refusalOf(what, answer, [authToken, basic], mayBeDone, names),
    },
    options,
  );
}
