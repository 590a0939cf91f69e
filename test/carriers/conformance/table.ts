import { CARRIERS, type PlayedCarrier } from './carriers.js';
import { DIFFERENCES } from './differences.js';
import type { Story } from './story.js';

/** Stories by carriers, all of one run, with what is different where. */
export class ConformanceTable {
  readonly #rows = new Map<string, Map<string, boolean>>();

  note({ title }: Story, { name }: PlayedCarrier, isAsExpected: boolean): void {
    const row = this.#rows.get(title) ?? new Map<string, boolean>();
    this.#rows.set(title, row.set(name, isAsExpected));
  }

  print(): void {
    const names = CARRIERS.map(({ name }) => name);
    const notes: string[] = [];
    const rows = [...this.#rows].map(([title, row]) => {
      const cells = names.map((name) => {
        const differences = DIFFERENCES.filter(({ carrier, story }) => carrier === name && story === title);
        const marks = differences.map(
          ({ field, value, why }) => `[${notes.push(`${name}: ${field} is ${value}: ${why}`)}]`,
        );
        const is = row.get(name) === undefined ? '-' : row.get(name) ? 'yes' : 'NO';
        return [is, ...marks].join(' ').padEnd(10);
      });
      return `  ${title.padEnd(92)}${cells.join('')}`;
    });
    const head = `  ${'CONFORMANCE'.padEnd(92)}${names.map((name) => name.padEnd(10)).join('')}`;
    process.stderr.write(
      `${['', head, ...rows, ...notes.map((note, at) => `  [${at + 1}] ${note}`), ''].join('\n')}\n`,
    );
  }
}
