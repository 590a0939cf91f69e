import type { ApiAnswer } from '../../base/http/api-connection.js';
import { isFields, type JsonFields, parseFields, textOf } from '../../base/http/json-fields.js';
import { ProviderRequestError } from '../../base/http/provider-request-error.js';
import { isWebPage, shownText } from '../../base/http/shown-text.js';
import { hintFor } from '../refusal-hints.js';

const statusHints = (keyName: string): Readonly<Record<number, string>> => ({
  403: `use the ${keyName} of the domain that this belongs to`,
  429: "try again in a moment, or have the provider's support raise the limit",
});

/** What looks like a secret, a token, or the address of a person. */
const SECRET_LIKE: ReadonlyArray<readonly [RegExp, string]> = [
  [/eyJ[\w.-]{8,}|[A-Za-z0-9+/]{24,}={0,2}/g, '[redacted]'],
  [/\bsips?:[^\s"'<>\\]+/g, '[address]'],
];

/**
 * The error for an answer that means the request was not done.
 * @param what the request, as in "creating the room"
 * @param secrets what must not be shown, should the provider repeat it
 * @param mayBeDone whether it may have been carried out all the same
 * @param keyName the variable that the key stands in
 * @see rooms reference 1.1
 */
export function refusalOf(
  what: string,
  { status, text, retryAfterMs }: ApiAnswer,
  secrets: readonly string[],
  mayBeDone: boolean,
  keyName: string,
): ProviderRequestError {
  const fields = parseFields(text);
  const error = stableWordOf(fields, secrets);
  if (status === 401 || error === 'authorization-header-error' || error === 'authentication-error') {
    return new ProviderRequestError('VB_CREDENTIALS_REFUSED', `${what} got status ${status}`, {
      hint: `check ${keyName}`,
      status,
      error,
    });
  }
  const words = isWebPage(text) ? 'a web page' : shownText(fields ? wordsOf(fields) : text, secrets, SECRET_LIKE);
  const doubt = mayBeDone ? '; it may have been carried out' : '';
  return new ProviderRequestError(
    'VB_ROOMS_REQUEST_FAILED',
    `${what} got status ${status}${words && `: ${words}`}${doubt}`,
    {
      hint: hintFor(words) ?? statusHints(keyName)[status],
      status,
      error,
      text: words,
      mayBeDone,
      retryAfterMs,
    },
  );
}

/** The provider's `info`, or what stands in its place where a number vendor or a proxy answers. */
function wordsOf({ info, error, message, errors }: JsonFields): string {
  const details = Array.isArray(errors) ? errors.filter(isFields) : [];
  const vendorWords = details.flatMap(({ detail, title }) => textOf(detail) ?? textOf(title) ?? []).join('; ');
  return textOf(info) ?? textOf(message) ?? (vendorWords || textOf(error) || '');
}

function stableWordOf(fields: JsonFields | undefined, secrets: readonly string[]): string | undefined {
  const word = textOf(fields?.error);
  return word && /^[a-z]+(-[a-z]+){0,5}$/.test(word) && word.length <= 64 && !secrets.includes(word) ? word : undefined;
}
