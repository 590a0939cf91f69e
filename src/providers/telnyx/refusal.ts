import { isFields, parseFields } from '../../base/http/json-fields.js';
import { isNotFound, ProviderRequestError } from '../../base/http/provider-request-error.js';
import { shownText, statusText } from '../../base/http/shown-text.js';
import { type CarrierRefusal, hintIn, type WordHints } from '../carrier-refusal.js';

/** What the carrier's words mean for the person who set things up, and the page of its portal where that is changed. */
const HINTS: WordHints = [
  [
    /whitelist|destination.*not (?:allowed|enabled)|D3[0-9]\b.*countr/i,
    'allow this destination in the outbound voice profile: portal.telnyx.com, Voice, Outbound Voice Profiles',
  ],
  [
    /outbound voice profile|outbound profile/i,
    'give the TeXML application an outbound voice profile: portal.telnyx.com, Voice, TeXML Applications, Outbound',
  ],
  [
    /insufficient (?:funds|balance|credit)|balance|payment/i,
    'add to the balance of this account: portal.telnyx.com, Billing',
  ],
  [
    /account level|not (?:been )?verified|unverified|verification/i,
    'complete the verification of this account, or verify the number: portal.telnyx.com, Account, Verifications',
  ],
  [
    /channel limit|concurren/i,
    'wait for running calls to end, or raise the limit on calls at once: portal.telnyx.com, Voice, Outbound Voice Profiles',
  ],
  [
    /caller.?id|invalid.*\bfrom\b|\bfrom\b.*invalid|origination number/i,
    ({ phoneNumber }) => `set ${phoneNumber} to a number of this account: portal.telnyx.com, Numbers, My Numbers`,
  ],
];

/** The call that a request is about is over. @see carrier reference 7.2 */
const CALL_ENDED = '90018';

/** Whether the carrier says that a call is over, or knows none of this name. */
export const isCallOver = (error: unknown): error is ProviderRequestError =>
  isNotFound(error) || (error instanceof ProviderRequestError && error.error === CALL_ENDED);

/** A 403 that speaks of what the account may do is about that; any other, and every 401, is about the key. */
export const refusalOf: CarrierRefusal = (what, { status, text: answer, retryAfterMs }, secrets, mayBeDone, names) => {
  const { error, words } = readErrors(answer);
  const text = shownText(words, secrets);
  const hint = hintIn(HINTS, text, names);
  if (status === 401 || (status === 403 && hint === undefined)) {
    return new ProviderRequestError('VB_CREDENTIALS_REFUSED', `${what} got status ${status}`, {
      status,
      error,
      hint: `check ${names.signIn}: portal.telnyx.com, API Keys`,
    });
  }
  const options = { status, error, hint, text, mayBeDone, retryAfterMs };
  return new ProviderRequestError('VB_CARRIER_REQUEST_FAILED', statusText(what, status, text), options);
};

/** `{"errors":[{"code","title","detail"}]}`: the first code and all the words, else the answer itself. */
function readErrors(answer: string): { readonly error: string | undefined; readonly words: string } {
  const errors = parseFields(answer)?.errors;
  const known = Array.isArray(errors) ? errors.filter(isFields) : [];
  if (known.length === 0) return { error: undefined, words: answer };
  const words = known.map(({ code, title, detail }) => [code, title, detail].filter(isWord).join(' '));
  return { error: [known[0]?.code].filter(isWord).map(String)[0], words: words.join('; ') };
}

const isWord = (value: unknown) => (typeof value === 'string' && value !== '') || typeof value === 'number';
