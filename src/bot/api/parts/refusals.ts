import { ERROR_SUMMARIES, VoicebotError } from '../../../base/errors.js';
import { OptionProblems } from '../../../base/names/option-names.js';

/**
 * What a part was refused with, told with its path: `stt[1].langauge is not known`.
 * @param at the path, such as `stt[1]`; a problem of the whole part names it already
 */
export function atPath(at: string, thrown: unknown): unknown {
  if (!(thrown instanceof VoicebotError)) return thrown;
  if (thrown instanceof OptionProblems) {
    const problems = thrown.problems.map((problem) => (isAbout(at, problem) ? problem : `${at}.${problem}`));
    return new OptionProblems(problems, thrown.code);
  }
  const { code, hint } = thrown;
  const words = wordsOf(thrown);
  if (code === 'VB_CREDENTIALS_MISSING' || isAbout(at, words)) return thrown;
  return new VoicebotError(code, `${at}: ${words}`, { hint, cause: thrown });
}

/** What options are refused with that have these problems, a sentence for each: nothing where there are none. */
export const refusalsFor = (problems: readonly string[]): VoicebotError[] =>
  problems.length > 0 ? [new OptionProblems(problems)] : [];

/** What making a part is refused with. @throws what is no VoicebotError */
export function refusalsOf(make: () => unknown): VoicebotError[] {
  try {
    make();
    return [];
  } catch (error) {
    if (error instanceof VoicebotError) return [error];
    throw error;
  }
}

/** @throws VoicebotError with all of them, when there are any, and the code of the first */
export function refuseAll(refusals: readonly VoicebotError[]): void {
  const [first, ...others] = refusals;
  if (!first) return;
  if (others.length === 0) throw first;
  const hint = [...new Set(refusals.flatMap((one) => one.hint ?? []))].join('; ') || undefined;
  throw new VoicebotError(first.code, [...new Set(refusals.map(wordsOf))].join('; '), { hint, cause: first });
}

const isAbout = (at: string, problem: string) => problem.startsWith(`${at} `) || problem.startsWith(`${at}:`);

const wordsOf = ({ code, message }: VoicebotError) => message.replace(`${ERROR_SUMMARIES[code]}: `, '');
