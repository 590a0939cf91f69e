import { type ErrorCode, VoicebotError } from '../errors.js';
import { didYouMean } from './did-you-mean.js';

/** Every option of an object of options: the compiler refuses a list that lacks one, or has one too many. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: true };

/**
 * Finds the options that no code reads.
 * @param given the options passed by the caller; a value that is no object has none
 * @param path in front of the names, such as `turns.`
 * @returns a sentence for each
 */
export function unknownOptions(given: unknown, names: Readonly<Record<string, true>>, path = ''): string[] {
  const known = Object.keys(names);
  return Object.keys(Object(given))
    .filter((name) => !known.includes(name))
    .map((name) => `${path}${name} is not known: ${didYouMean(name, known)}`);
}

/** @throws VoicebotError with `code` naming every option that is not known. Default VB_CONFIG_INVALID */
export function refuseUnknownOptions(given: unknown, names: Readonly<Record<string, true>>, code?: ErrorCode): void {
  refuseProblems(unknownOptions(given, names), code);
}

/** @throws VoicebotError with `code` and every problem, when there are any. Default VB_CONFIG_INVALID */
export function refuseProblems(problems: readonly string[], code: ErrorCode = 'VB_CONFIG_INVALID'): void {
  if (problems.length > 0) throw new VoicebotError(code, problems.join('; '));
}
