import { InvalidArgumentError } from 'commander';
import type { Parse } from '../config/settings.js';

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
