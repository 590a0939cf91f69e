import { ProviderRequestError } from '../../base/http/provider-request-error.js';
import { shownText, statusText } from '../../base/http/shown-text.js';
import { type CarrierRefusal, hintIn, type WordHints } from '../carrier-refusal.js';

/** What the carrier's words mean for the person who set things up, and the page where it is changed (carrier reference 1.1). */
const HINTS: WordHints = [
  [
    /from parameter is invalid|not associated with your account/i,
    ({ phoneNumber }) =>
      `set ${phoneNumber} to a voice number of this account: console.plivo.com, Phone Numbers, Your Numbers`,
  ],
  [
    /barred|geo.?permission/i,
    'allow this destination in the geo permissions: console.plivo.com, Voice, Geo Permissions',
  ],
  [/voice\b.*\bdisabled/i, 'have voice calls enabled for this account: console.plivo.com, Account'],
  [/not (been )?verified/i, 'complete the verification of this account: console.plivo.com, Account'],
  [/insufficient|out of credit|balance/i, 'add to the credits of this account: console.plivo.com, Billing'],
  [
    /compliance application/i,
    "wait until the number's compliance application is accepted: console.plivo.com, Phone Numbers, Compliance",
  ],
  [/concurren/i, 'wait for running calls to end, or have the limit on calls at once raised'],
];

/** A 403 that speaks of what the account may do is about that; any other, and every 401, is about the credentials. */
export const refusalOf: CarrierRefusal = (what, { status, text: answer, retryAfterMs }, secrets, mayBeDone, names) => {
  const text = shownText(errorText(answer), secrets);
  const hint = hintIn(HINTS, text, names);
  if (status === 401 || (status === 403 && hint === undefined)) {
    return new ProviderRequestError('VB_CREDENTIALS_REFUSED', `${what} got status ${status}`, {
      status,
      hint: `check ${names.signIn}`,
    });
  }
  const options = { status, hint, text, mayBeDone, retryAfterMs };
  return new ProviderRequestError('VB_CARRIER_REQUEST_FAILED', statusText(what, status, text), options);
};

/** What the carrier said: the `error` of its envelope, which may be text or any JSON, else the answer itself. */
function errorText(text: string): string {
  try {
    const { error } = JSON.parse(text);
    return typeof error === 'string' ? error : JSON.stringify(error ?? text);
  } catch {
    return text;
  }
}
