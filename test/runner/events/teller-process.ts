import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SECRET } from './hand-receiver.js';

const LOADER = new URL('../../jest/loader.mjs', import.meta.url).href;
const TELLER = fileURLToPath(new URL('teller.ts', import.meta.url));

export interface TellerOptions {
  readonly stateDirectory: string;
  /** Of the receiver. */
  readonly url: string;
  readonly first: number;
  readonly last: number;
}

/** A process with the calls of a runner. */
export class Teller {
  readonly begun = new Set<number>();
  readonly ended = new Set<number>();
  readonly warnings: string[] = [];
  hasEndedAll = false;
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;

  constructor({ stateDirectory, url, first, last }: TellerOptions) {
    const args = ['--import', LOADER, TELLER, stateDirectory, url, SECRET, `${first}`, `${last}`];
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#closed = once(this.#child, 'close');
    createInterface({ input: this.#child.stdout as NonNullable<ChildProcess['stdout']> }).on('line', (line) => {
      const [what, ...rest] = line.split(' ');
      if (what === 'begun') this.begun.add(Number(rest[0]));
      else if (what === 'ended') this.ended.add(Number(rest[0]));
      else if (what === 'warns') this.warnings.push(rest.join(' '));
      else this.hasEndedAll = true;
    });
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal);
    await this.#closed;
  }
}
