/**
 * What is wrong with one choice of a bot's, or with each of a list.
 * @param at where the bot gives it, such as `tts.es`
 * @param empty what is wrong with a list that is empty
 * @param problemsOf a sentence for each thing that is wrong with one; `at`: where that stands, such as `tts.es[1]`
 */
export function listProblems(
  given: unknown,
  at: string,
  empty: string,
  problemsOf: (one: unknown, at: string) => string[],
): string[] {
  if (!Array.isArray(given)) return problemsOf(given, at);
  if (given.length === 0) return [`${at} ${empty}`];
  return given.flatMap((one, index) => problemsOf(one, `${at}[${index}]`));
}
