import { readFile } from 'node:fs/promises';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { LineOf, PlacedScenario, ScenarioProblem } from './placed-scenario.js';
import { placeScenarios } from './scenario-table.js';

/** What a file of scenarios gives. */
export interface ReadScenarios {
  readonly scenarios: readonly PlacedScenario[];
  readonly problems: readonly ScenarioProblem[];
}

/**
 * Reads scenarios in YAML: one, a list of them, or `scenarios:` with a list beside fields that hold for all of them.
 * @param file absolute path
 * @see https://yaml.org/spec/1.2.2
 */
export async function readYamlScenarios(file: string): Promise<ReadScenarios> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return { scenarios: [], problems: [{ file, line: undefined, field: '', message: (error as Error).message }] };
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos: [from] }) => ({
      file,
      line: lineAt(from),
      field: '',
      message,
    }));
    return { scenarios: [], problems };
  }
  const lineOf: LineOf = (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = offsetOf(document, path.slice(0, length));
      if (offset !== undefined) return lineAt(offset);
    }
    return isNode(document.contents) && document.contents.range ? lineAt(document.contents.range[0]) : 1;
  };
  let content: unknown;
  try {
    content = document.toJS();
  } catch (error) {
    return { scenarios: [], problems: [{ file, line: 1, field: '', message: (error as Error).message }] };
  }
  const { shared, given, base } = layoutOf(content);
  if (given.length === 0)
    return { scenarios: [], problems: [{ file, line: 1, field: '', message: 'has no scenarios' }] };
  const placed = given.map((one, at) => {
    const whole = typeof one === 'object' && one !== null && !Array.isArray(one) ? { ...shared, ...one } : one;
    const place = base === undefined ? [] : [...base, at];
    return placeScenarios(whole, file, (path) => {
      const [field] = path;
      const isShared = typeof field === 'string' && !Object.hasOwn(Object(one), field) && Object.hasOwn(shared, field);
      return lineOf(isShared ? path : [...place, ...path]);
    });
  });
  return {
    scenarios: placed.flatMap((one) => one.scenarios),
    problems: different(placed.flatMap((one) => one.problems)),
  };
}

/** By lines, each once: what is wrong with a shared field is wrong with every scenario that has it. */
const different = (problems: readonly ScenarioProblem[]): ScenarioProblem[] =>
  [...new Map(problems.map((one) => [JSON.stringify(one), one])).values()].toSorted(
    (a, b) => (a.line ?? 0) - (b.line ?? 0),
  );

/** Where a field or an item of a list begins, in characters; undefined where there is none. */
function offsetOf(document: Document, path: ReadonlyArray<string | number>): number | undefined {
  const name = path.at(-1);
  const around = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pair = isMap(around) ? around.items.find(({ key }) => isScalar(key) && key.value === name) : undefined;
  const node = pair ? pair.key : document.getIn(path, true);
  return isNode(node) ? node.range?.[0] : undefined;
}

/** Where the scenarios of a file stand. `base`: the path of their list; undefined for a single one. */
function layoutOf(content: unknown): {
  readonly shared: Readonly<Record<string, unknown>>;
  readonly given: readonly unknown[];
  readonly base: readonly string[] | undefined;
} {
  if (content === null) return { shared: {}, given: [], base: undefined };
  if (Array.isArray(content)) return { shared: {}, given: content, base: [] };
  const { scenarios, ...shared } = Object(content);
  if (Array.isArray(scenarios)) return { shared, given: scenarios, base: ['scenarios'] };
  return { shared: {}, given: [content], base: undefined };
}
