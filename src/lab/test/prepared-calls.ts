import type { PlacedScenario } from '../scenario/placed-scenario.js';

/**
 * What the commands of a scenario prepare may be for one call at a time, such as a file of locks or a server on a fixed port: of the
 * scenarios of a file that have commands, one runs after the other.
 */
export class PreparedCalls {
  readonly #last = new Map<string, Promise<void>>();

  /** Whether a scenario would have to wait now. */
  isTaken(scenario: PlacedScenario): boolean {
    return isPrepared(scenario) && this.#last.has(scenario.file);
  }

  /** Waits until it is the scenario's turn, and lets it run. */
  async take<T>(scenario: PlacedScenario, run: () => Promise<T>): Promise<T> {
    const { file } = scenario;
    if (!isPrepared(scenario)) return run();
    const previous = this.#last.get(file);
    const running = previous ? previous.then(run) : run();
    const over = running.then(
      () => {},
      () => {},
    );
    this.#last.set(file, over);
    try {
      return await running;
    } finally {
      if (this.#last.get(file) === over) this.#last.delete(file);
    }
  }
}

const isPrepared = ({ before, after }: PlacedScenario): boolean => before !== undefined || after !== undefined;

/** Of this process: the rounds of a test and its mutants share what commands prepare. */
export const preparedCalls = new PreparedCalls();
