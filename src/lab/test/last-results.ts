import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../runner/numbers/durable-file.js';
import type { ScenarioOnWire, TestOutcome } from './test-outcome.js';

const CONTENT = z.object({
  version: z.literal(1),
  directory: z.string(),
  failed: z.array(z.object({ file: z.string(), name: z.string(), wire: z.string() })),
});
type Kept = z.output<typeof CONTENT>;
type Failed = Kept['failed'][number];

/**
 * Which scenarios have failed, or could not be run, the last time that they were run from a directory. Kept in the state directory, in
 * `tests/`; a scenario is known by its file, name and wire.
 */
export class LastResults {
  #failed: ReadonlyMap<string, Failed>;
  #isKnown: boolean;
  readonly #path: string;

  /**
   * Reads what was kept; a file that is damaged is none.
   * @param home state directory
   * @param directory the working directory
   */
  constructor(
    home: string,
    private readonly directory: string,
  ) {
    const name = createHash('sha256').update(directory).digest('hex').slice(0, 16);
    this.#path = join(home, 'tests', `${name}.json`);
    const kept = readKept(this.#path);
    this.#isKnown = kept?.directory === directory;
    this.#failed = new Map(this.#isKnown ? kept?.failed.map((one) => [keyOf(one), one]) : []);
  }

  /** Whether there was a last time. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  hasFailed({ scenario: { file, name }, wire }: ScenarioOnWire): boolean {
    return this.#failed.has(keyOf({ file, name, wire }));
  }

  /**
   * Keeps what has come of a test, beside what is known of scenarios that were not in it.
   * @param known all scenarios of the files that were read: of what else is known in them there is nothing any more
   * @throws Error when it cannot be written
   */
  note({ results, notRun }: TestOutcome, known: readonly ScenarioOnWire[]): void {
    const failed = new Map(this.#failed);
    const files = new Set(known.map(({ scenario }) => scenario.file));
    const names = new Set(known.map((one) => keyOf(idOf(one))));
    for (const [key, { file }] of failed) if (files.has(file) ? !names.has(key) : !existsSync(file)) failed.delete(key);
    for (const result of results) {
      const id = idOf(result);
      if (result.passed) failed.delete(keyOf(id));
      else failed.set(keyOf(id), id);
    }
    for (const one of notRun) failed.set(keyOf(idOf(one)), idOf(one));
    [this.#failed, this.#isKnown] = [failed, true];
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const content: Kept = { version: 1, directory: this.directory, failed: [...failed.values()] };
    replaceFile(this.#path, JSON.stringify(content));
  }
}

const idOf = ({ scenario: { file, name }, wire }: ScenarioOnWire): Failed => ({ file, name, wire });
const keyOf = ({ file, name, wire }: Failed): string => JSON.stringify([file, name, wire]);

function readKept(path: string): Kept | undefined {
  try {
    return CONTENT.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
