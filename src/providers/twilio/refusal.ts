import { parseFields } from '../../base/http/json-fields.js';
import { ProviderRequestError } from '../../base/http/provider-request-error.js';
import { shownText, statusText } from '../../base/http/shown-text.js';
import type { AccountNames } from '../account-names.js';
import { type CarrierHint, type CarrierRefusal, hintText } from '../carrier-refusal.js';

const CONSOLE = 'https://console.twilio.com/us1';
const UNVERIFIED = `verify the number, or upgrade the trial account: ${CONSOLE}/develop/phone-numbers/manage/verified`;
const GEO_PERMISSIONS = `allow this destination: ${CONSOLE}/develop/voice/settings/geo-permissions`;
const OWN_NUMBER = ({ phoneNumber }: AccountNames) =>
  `set ${phoneNumber} to a voice number of this account: ${CONSOLE}/develop/phone-numbers/manage/incoming`;
const BILLING = `see the balance and the state of the account: ${CONSOLE}/billing`;

/** What the carrier's error codes mean for the person who set things up, and the page where it is changed. */
const HINTS: ReadonlyMap<number, CarrierHint> = new Map<number, CarrierHint>([
  [10001, BILLING],
  [10002, `upgrade the trial account: ${CONSOLE}/billing`],
  [10004, 'wait for running calls to end, or have the limit on calls at once raised'],
  [13227, GEO_PERMISSIONS],
  [20005, BILLING],
  [20429, 'send fewer requests at once, and try again in a moment'],
  [21210, OWN_NUMBER],
  [21212, OWN_NUMBER],
  [21215, GEO_PERMISSIONS],
  [21216, GEO_PERMISSIONS],
  [21219, UNVERIFIED],
  [21608, UNVERIFIED],
]);

const NO_MONEY = /insufficient (funds|balance)|balance is (too low|insufficient)|suspended/i;

/** With the carrier's code as its `error`. Without one that we know, a 401 or 403 is about the credentials. */
export const refusalOf: CarrierRefusal = (what, { status, text: answer, retryAfterMs }, secrets, mayBeDone, names) => {
  const { code, message } = parseFields(answer) ?? {};
  const number = Number.isSafeInteger(code) ? (code as number) : undefined;
  const words = shownText(typeof message === 'string' ? message : answer, secrets);
  const text = number === undefined ? words : `${number} ${words}`;
  const hint = number === undefined ? undefined : HINTS.get(number);
  const known = hintText(hint, names) ?? (NO_MONEY.test(words) ? BILLING : undefined);
  const error = number === undefined ? undefined : String(number);
  if ((status === 401 || status === 403) && known === undefined) {
    return new ProviderRequestError('VB_CREDENTIALS_REFUSED', statusText(what, status, text), {
      status,
      error,
      text,
      hint: `check ${names.signIn}: ${CONSOLE}/account/keys-credentials/api-keys; ${aboutRegion(names)}`,
    });
  }
  const explained = number === undefined ? undefined : `read https://www.twilio.com/docs/errors/${number}`;
  const options = { status, error, hint: known ?? explained, text, mayBeDone, retryAfterMs };
  return new ProviderRequestError('VB_CARRIER_REQUEST_FAILED', statusText(what, status, text), options);
};

/** Each region has keys of its own, and refuses those of the others like wrong ones. */
function aboutRegion({ apiUrl }: AccountNames): string {
  return apiUrl?.includes('TWILIO_')
    ? `the keys of a region open that region alone, and ${apiUrl} ${apiUrl.includes(' and ') ? 'are' : 'is'} set`
    : 'keys of another region than us1 need TWILIO_REGION, such as ie1';
}

/** Whether the carrier says that a call is over: it does not know it, or it is not in progress any more. */
export function isOver(error: unknown): error is ProviderRequestError {
  if (!(error instanceof ProviderRequestError)) return false;
  return error.status === 404 || error.error === '20404' || error.error === '21220';
}
