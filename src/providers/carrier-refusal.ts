import type { ApiAnswer } from '../base/http/api-connection.js';
import type { ProviderRequestError } from '../base/http/provider-request-error.js';
import type { AccountNames } from './account-names.js';

/** What the carrier's words or its code mean for the person who set things up, and the page where that is changed. */
export type CarrierHint = string | ((names: AccountNames) => string);

/** Those of carriers that are known by their words. */
export type WordHints = ReadonlyArray<readonly [words: RegExp, hint: CarrierHint]>;

/**
 * The error for an answer that means the request was not done.
 * @param what the request, as in "hanging up"
 * @param secrets what must not be shown, should the carrier repeat it
 * @param mayBeDone whether it may have been carried out all the same
 * @param names of the account, for the hint
 */
export type CarrierRefusal = (
  what: string,
  answer: ApiAnswer,
  secrets: readonly string[],
  mayBeDone: boolean,
  names: AccountNames,
) => ProviderRequestError;

export const hintText = (hint: CarrierHint | undefined, names: AccountNames): string | undefined =>
  typeof hint === 'function' ? hint(names) : hint;

/** The hint of the first entry whose words are there. */
export const hintIn = (hints: WordHints, words: string, names: AccountNames): string | undefined =>
  hintText(hints.find(([pattern]) => pattern.test(words))?.[1], names);
