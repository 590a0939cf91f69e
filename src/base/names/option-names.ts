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

/** What options are refused with. */
export class OptionProblems extends VoicebotError {
  /** @param problems a sentence for each, which begins with the name of its option */
  constructor(
    readonly problems: readonly string[],
    code: ErrorCode = 'VB_CONFIG_INVALID',
  ) {
    super(code, problems.join('; '));
  }
}

/** @throws VoicebotError with `code` and every problem, when there are any. Default VB_CONFIG_INVALID */
export function refuseProblems(problems: readonly string[], code?: ErrorCode): void {
  if (problems.length > 0) throw new OptionProblems(problems, code);
}

/** @returns a sentence for each option that is given and is no text, or an empty one */
export function textProblems(options: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (typeof value !== 'string') return [`${name} must be text, got ${String(value)}`];
    return value.trim() === '' ? [`${name} must not be empty`] : [];
  });
}

/** @returns a sentence when a value is given and is no list, and one for each entry that is no text, or an empty one */
export function textListProblems(name: string, given: unknown): string[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) return [`${name} must be a list of texts`];
  return textProblems(Object.fromEntries(given.map((text, index) => [`${name}[${index}]`, text ?? null])));
}
