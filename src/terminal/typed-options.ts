import { InvalidArgumentError } from 'commander';
import type { Parse } from '../config/settings.js';

/** What was typed is shown up to here: enough to find it again. */
const SHOWN_CHARACTERS = 60;

/** Checks what was typed and collects every problem, so that one look is enough to mend them all. */
export class TypedOptions {
  readonly #problems: string[] = [];

  /** @param parse throws `Error` with what it must be; then the result is undefined, as for an option left out */
  check<T>(name: string, raw: string | undefined, parse: (raw: string) => T): T | undefined {
    if (raw === undefined) return undefined;
    try {
      return parse(raw);
    } catch (error) {
      const shown = raw.length > SHOWN_CHARACTERS ? `${raw.slice(0, SHOWN_CHARACTERS)}…` : raw;
      this.refuse(`${name} ${shown}: ${messageOf(error)}`);
      return undefined;
    }
  }

  refuse(problem: string): void {
    this.#problems.push(problem);
  }

  /** @throws UsageError naming every problem there was */
  throwIfRefused(): void {
    const [first, ...others] = this.#problems;
    if (first !== undefined) throw new UsageError([first, ...others]);
  }
}

function messageOf(error: unknown): string {
  const { message, hint } = error as Error & { hint?: string };
  return hint ? `${message}. ${hint}` : message;
}

/** The same check for a flag as for its variable, with commander's way of refusing. */
export function checked<T>(parse: Parse<T>): (raw: string) => T {
  return (raw) => {
    try {
      return parse(raw);
    } catch (error) {
      throw new InvalidArgumentError(`It ${(error as Error).message}.`);
    }
  };
}

/** The command line cannot be used as typed. Carries every problem found, so that one look is enough to mend it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  constructor(problems: readonly [string, ...string[]]) {
    super(problems.join('\n'));
  }
}
