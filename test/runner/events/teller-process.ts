import { ProgramToKill } from '../../program-to-kill.js';
import { SECRET } from './hand-receiver.js';

export interface TellerOptions {
  readonly stateDirectory: string;
  /** Of the receiver. */
  readonly url: string;
  readonly first: number;
  readonly last: number;
}

/** A process with the calls of a runner. */
export class Teller extends ProgramToKill {
  constructor({ stateDirectory, url, first, last }: TellerOptions) {
    super(new URL('teller.ts', import.meta.url), [stateDirectory, url, SECRET, `${first}`, `${last}`]);
  }

  get begun(): Set<number> {
    return this.#callsThatHave('begun');
  }

  get ended(): Set<number> {
    return this.#callsThatHave('ended');
  }

  get warnings(): string[] {
    return this.#after('warns');
  }

  get hasEndedAll(): boolean {
    return this.lines.all.includes('all ended');
  }

  #callsThatHave(what: string): Set<number> {
    return new Set(this.#after(what).map(Number));
  }

  #after(what: string): string[] {
    return this.lines.all.flatMap((line) => (line.startsWith(`${what} `) ? [line.slice(what.length + 1)] : []));
  }
}
