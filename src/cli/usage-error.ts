/** The command line cannot be used as typed. Carries every problem found, so that one look is enough to mend it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  constructor(problems: readonly [string, ...string[]]) {
    super(problems.join('\n'));
  }
}
