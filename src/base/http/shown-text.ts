import { cleanText } from '../clean-text.js';

/** The longest piece of an answer that enters a message, in characters. */
const MAX_WORDS = 300;

/**
 * What a provider said, for a message: shortened, without secrets, addresses and telephone numbers, because the provider may
 * repeat what it was asked for, and messages are logged.
 * @param secrets what must not be shown
 * @param others patterns of more that is replaced, and what with
 */
export function shownText(
  words: string,
  secrets: readonly string[],
  others: ReadonlyArray<readonly [pattern: RegExp, by: string]> = [],
): string {
  const withoutSecrets = secrets
    .filter((secret) => secret !== '')
    .reduce((told, secret) => told.replaceAll(secret, '[redacted]'), words);
  const told = others
    .reduce((text, [pattern, by]) => text.replaceAll(pattern, by), cleanText(withoutSecrets.slice(0, 10 * MAX_WORDS)))
    .replaceAll(/\b(?:https?|wss?):\/\/[^\s"'<>\\]+/g, '[address]')
    .replaceAll(/(?<![\w-])\+?\d{7,15}(?![\w-])/g, '[number]');
  return cleanText(told, MAX_WORDS);
}

/** Whether an answer is a web page, in place of JSON. */
export const isWebPage = (answer: string): boolean => /^\s*</.test(answer);

/** The answer to a request, for a message. @param what the request, as in "dialling". @param words as {@link shownText} gives them */
export const statusText = (what: string, status: number | undefined, words: string | undefined): string =>
  `${what} got status ${status}${words ? `: ${words}` : ' and no word of why'}`;
