import { didYouMean } from '../../base/names/did-you-mean.js';
import { fieldName, type LineOf, type PlacedScenario, placeScenario, type ScenarioProblem } from './placed-scenario.js';

/** A value of a table. */
export type TableCell = string | number | boolean;
/** Values by the names of their columns. */
export type TableRow = Readonly<Record<string, TableCell>>;
type Path = ReadonlyArray<string | number>;

/** What of a given scenario can be used, and what is wrong with the rest. */
export interface PlacedScenarios {
  readonly scenarios: readonly PlacedScenario[];
  readonly problems: readonly ScenarioProblem[];
}

const COLUMN = /^[A-Za-z_][\w-]*$/;
/** `$${`, which is written as `${`, or `${name}`. */
const PLACES = /\$\$\{|\$\{([^{}]*)\}/g;

/** Checks a scenario, made once for each row of the table that it has in `each`. @param given as it stands in its file */
export function placeScenarios(given: unknown, file: string, lineOf: LineOf): PlacedScenarios {
  const problemAt = (path: Path, message: string): ScenarioProblem => ({
    file,
    line: lineOf(path),
    field: fieldName(path),
    message,
  });
  if (!isMapping(given)) return placed([placeScenario(given, file, lineOf)]);
  const { each, ...fields } = given;
  const table = each === undefined ? undefined : new Table(each);
  if (table && table.problems.length > 0)
    return { scenarios: [], problems: table.problems.map(([path, message]) => problemAt(path, message)) };
  const rows = table?.rows ?? [{}];
  const made = rows.map((row, no) => {
    const filled = new Filled(fields, row, table !== undefined);
    if (filled.problems.length > 0) return filled.problems.map(([path, message]) => problemAt(path, message));
    const one = placeScenario(filled.value, file, lineOf);
    if (!Array.isArray(one)) return one;
    // What comes of a value of the row is mended in the row.
    return one.map((problem) => {
      const [column] = filled.columnsAt.get(problem.field) ?? [];
      if (column === undefined) return problem;
      const words = `${problem.message} (${column} of row ${no + 1})`;
      return { ...problem, line: lineOf(['each', no, column]), message: words };
    });
  });
  const used = new Filled(fields, rows[0] ?? {}, true).columnsUsed;
  const unused = table?.columns.filter((column) => !used.includes(column)) ?? [];
  const idle = unused.map((column) =>
    problemAt(
      ['each', 0, column],
      `is used nowhere in ${shownName(fields)}: \${${column}} stands in none of its texts`,
    ),
  );
  const all = placed(made);
  return { ...all, problems: different([...idle, ...all.problems]) };
}

/** A value in whose texts nothing is taken for a place of a table. */
export function withoutPlaces(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${');
  if (Array.isArray(value)) return value.map(withoutPlaces);
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [withoutPlaces(key), withoutPlaces(one)]));
}

function placed(all: ReadonlyArray<PlacedScenario | readonly ScenarioProblem[]>): PlacedScenarios {
  return {
    scenarios: all.flatMap((one) => ('file' in one ? [one] : [])),
    problems: all.flatMap((one) => ('file' in one ? [] : one)),
  };
}

/** Each once: what is wrong in all rows is wrong with their scenario. */
const different = (problems: readonly ScenarioProblem[]): ScenarioProblem[] => [
  ...new Map(problems.map((one) => [JSON.stringify(one), one])).values(),
];

/** The rows of `each`, checked. */
class Table {
  readonly rows: readonly TableRow[];
  readonly columns: readonly string[];
  readonly problems: Array<[path: Path, message: string]> = [];

  constructor(each: unknown) {
    this.rows = Array.isArray(each) ? each.filter(isMapping).map((row) => row as TableRow) : [];
    this.columns = Object.keys(this.rows[0] ?? {});
    if (!Array.isArray(each)) this.problems.push([['each'], 'must be a list of rows, such as [{ pin: "1111" }]']);
    else if (each.length === 0) this.problems.push([['each'], 'must have a row']);
    else for (const [no, row] of each.entries()) this.#check(row, no);
  }

  #check(row: unknown, no: number): void {
    const refuse = (path: Path, message: string) => this.problems.push([['each', no, ...path], message]);
    if (!isMapping(row)) return void refuse([], 'must be names with their values, such as { pin: "1111" }');
    const names = Object.keys(row);
    if (names.length === 0) refuse([], 'must have a value');
    for (const [name, value] of Object.entries(row)) {
      if (!COLUMN.test(name)) refuse([name], 'must be named with letters, digits, "-" and "_", a letter first');
      else if (!this.columns.includes(name))
        refuse([name], `is no column of the first row: ${didYouMean(name, this.columns)}`);
      if (!['string', 'number', 'boolean'].includes(typeof value))
        refuse([name], 'must be a text, a number, true or false');
    }
    const missing = this.columns.filter((name) => !Object.hasOwn(row, name));
    if (missing.length > 0) refuse([], `has no ${missing.join(', ')}, which the first row has`);
  }
}

/** The fields of a scenario with the values of a row. */
class Filled {
  readonly value: unknown;
  /** The columns of which a text has values, by the name of its field. */
  readonly columnsAt = new Map<string, readonly string[]>();
  readonly problems: Array<[path: Path, message: string]> = [];

  constructor(
    fields: Readonly<Record<string, unknown>>,
    private readonly row: TableRow,
    private readonly isTable: boolean,
  ) {
    const filled = this.#fill(fields, []) as Record<string, unknown>;
    const { name } = filled;
    // A name is a text, whatever its value is.
    if (this.columnsAt.has('name')) filled.name = String(name);
    else if (isTable && typeof name === 'string') filled.name = `${name} (${rowWords(row)})`;
    this.value = filled;
  }

  get columnsUsed(): string[] {
    return [...this.columnsAt.values()].flat();
  }

  #fill(value: unknown, path: Path): unknown {
    if (typeof value === 'string') return this.#fillText(value, path, path);
    if (Array.isArray(value)) return value.map((one, at) => this.#fill(one, [...path, at]));
    if (!isMapping(value)) return value;
    const filled = Object.entries(value).map(([key, one]): [string, unknown] => {
      const name = String(this.#fillText(key, [...path, key], (text) => [...path, text]));
      return [name, this.#fill(one, [...path, name])];
    });
    const names = filled.map(([name]) => name);
    for (const name of names.filter((one, at) => names.indexOf(one) !== at))
      this.problems.push([[...path, name], 'is there twice']);
    return Object.fromEntries(filled);
  }

  /** @param at where the problems of what comes of it will be */
  #fillText(text: string, path: Path, at: Path | ((filled: string) => Path)): TableCell {
    const columns: string[] = [];
    const cellOf = (column: string): TableCell => {
      const value = Object.hasOwn(this.row, column) ? this.row[column] : undefined;
      if (value !== undefined) {
        columns.push(column);
        return value;
      }
      this.problems.push([path, `\${${column}} is no column of each: ${this.#meant(column)}; $\${ writes \${ itself`]);
      return '';
    };
    const [only] = /^\$\{[^{}]*\}$/.exec(text) ?? [];
    const filled =
      only === undefined
        ? text.replaceAll(PLACES, (_, column: string | undefined) =>
            column === undefined ? '${' : String(cellOf(column)),
          )
        : cellOf(only.slice(2, -1));
    if (columns.length > 0) {
      const field = fieldName(typeof at === 'function' ? at(String(filled)) : at);
      this.columnsAt.set(field, [...(this.columnsAt.get(field) ?? []), ...columns]);
    }
    return filled;
  }

  #meant(column: string): string {
    return this.isTable ? didYouMean(column, Object.keys(this.row)) : 'the scenario has no each';
  }
}

const shownName = ({ name }: Readonly<Record<string, unknown>>): string =>
  typeof name === 'string' ? `"${name}"` : 'this scenario';

/** `pin 1111, says wrong` */
const rowWords = (row: TableRow): string =>
  Object.entries(row)
    .map(([column, value]) => `${column} ${value}`)
    .join(', ');

/** Not an object of a class, such as a regular expression or a caller that is played. */
function isMapping(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
