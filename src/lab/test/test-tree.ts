import { cleanText } from '../../base/clean-text.js';
import type { Paint, TerminalSize } from '../../terminal/output.js';
import { aligned } from '../../terminal/table.js';
import type { ScenarioProgress, ScenarioState } from './scenario-progress.js';
import { byFile, type ScenarioOnWire } from './test-outcome.js';

/** Beside the tree a terminal shows an empty line and the sums, and the cursor below them. */
const OTHER_ROWS = 3;
/** In front of the name of a scenario. */
const INDENT = 4;

export interface TestTreeOptions {
  readonly paint: Paint;
  readonly titleOf: (one: ScenarioOnWire) => string;
  /** How a file is shown. */
  readonly fileName: (file: string) => string;
}

/** Shows scenarios as a tree: a line for each file, below it one for each of its scenarios. */
export class TestTree {
  readonly #files: ReadonlyMap<string, readonly ScenarioProgress[]>;

  constructor(
    scenarios: readonly ScenarioProgress[],
    private readonly options: TestTreeOptions,
  ) {
    const files = byFile(scenarios.map((progress) => ({ ...progress.planned, progress })));
    this.#files = new Map([...files].map(([file, all]) => [file, all.map(({ progress }) => progress)]));
  }

  isOver(file: string): boolean {
    return this.#of(file).every((one) => one.isOver);
  }

  /** A file, with what stands below each of its scenarios. */
  whole(file: string, below: (one: ScenarioProgress) => readonly string[]): string[] {
    const lines = this.#lines(this.#of(file));
    return [this.#name(file), ...this.#of(file).flatMap((one, at) => [lines[at] ?? '', ...below(one)])];
  }

  /** The files that are not over, as far as there is room: then only what is running, and of that the first. */
  unfinished({ columns, rows }: TerminalSize): string[] {
    const files = [...this.#files.keys()].filter((file) => !this.isOver(file));
    const room = Math.max(0, rows - OTHER_ROWS);
    const branches = (isShown: (one: ScenarioProgress) => boolean) =>
      files.flatMap((file) => {
        const lines = this.#lines(this.#of(file).filter(isShown), columns);
        return lines.length === 0 ? [] : [this.#name(file, columns), ...lines];
      });
    const all = branches(() => true);
    if (all.length <= room) return all;
    const running = branches(({ state }) => state === 'running');
    return running.length <= room ? running : running.slice(0, room);
  }

  readonly #of = (file: string): readonly ScenarioProgress[] => this.#files.get(file) ?? [];

  readonly #name = (file: string, columns?: number): string =>
    this.options.paint.bold(cleanText(this.options.fileName(file), columns));

  #lines(scenarios: readonly ScenarioProgress[], columns = Number.POSITIVE_INFINITY): string[] {
    const { paint, titleOf } = this.options;
    const rows = aligned(withoutEmpty(scenarios.map(({ planned, figures }) => [titleOf(planned), ...figures])));
    return scenarios.map(({ state }, at) => {
      const text = cleanText(rows[at] ?? '', columns - INDENT);
      return `  ${marked(state, paint)} ${['waiting', 'not_run', 'skipped'].includes(state) ? paint.dim(text) : text}`;
    });
  }
}

/** Without the columns in which nothing stands. */
function withoutEmpty(rows: readonly (readonly string[])[]): string[][] {
  const isUsed = (_: string, column: number) => rows.some((row) => row[column] !== '');
  return rows.map((row) => row.filter(isUsed));
}

/** One character that says how far a scenario is. */
export function marked(state: ScenarioState, paint: Paint): string {
  switch (state) {
    case 'waiting':
      return paint.dim('·');
    case 'running':
      return paint.yellow('▸');
    case 'passed':
      return paint.green('✓');
    case 'failed':
      return paint.red('✖');
    case 'not_run':
      return paint.yellow('-');
    case 'skipped':
      return paint.dim('-');
  }
}
