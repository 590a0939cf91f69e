import { lastName, lineOf, type PlacedNode, type SourceNode, untyped } from './source-nodes.js';

/** A text that an expression may come to. */
export interface SourceText {
  /** Its fixed pieces; between two of them stands what is put in. */
  readonly pieces: readonly string[];
  readonly line: number;
}

/** What was read of an expression. */
export interface TextsRead {
  readonly texts: readonly SourceText[];
  /** Lines of parts that are no literals: what they come to is not known before the bot runs. */
  readonly unread: readonly number[];
}

/** Names of names of names are followed so far. */
const MOST_NAMES = 5;
/** The pieces of what is put in. */
const PUT_IN = ['', ''];

/** Finds the texts in the expressions of one file. */
export class SourceTexts {
  /** The values that names are given. */
  readonly #given = new Map<string, SourceNode[]>();

  constructor(nodes: readonly PlacedNode[]) {
    for (const [node] of nodes) {
      const { name, value } = assignmentOf(node) ?? {};
      if (name && value) this.#given.set(name, [...(this.#given.get(name) ?? []), value]);
    }
  }

  in(expression: SourceNode): TextsRead {
    return this.#read(expression, MOST_NAMES);
  }

  /** What is given to a name; nothing for what is no name. */
  givenTo(node: SourceNode): readonly SourceNode[] {
    return this.#given.get(variableName(node) ?? '') ?? [];
  }

  #read(expression: SourceNode, names: number): TextsRead {
    const node = untyped(expression);
    const choices = choicesOf(node);
    if (choices) return together(choices.map((choice) => this.#read(choice, names)));
    const values = names > 0 ? this.givenTo(node) : [];
    if (values.length > 0) return together(values.map((value) => this.#read(value, names - 1)));
    const pieces = this.#pieces(node, names);
    const line = lineOf(node);
    return pieces.some((piece) => /\p{L}/u.test(piece))
      ? { texts: [{ pieces, line }], unread: [] }
      : { texts: [], unread: [line] };
  }

  #pieces(expression: SourceNode, names: number): readonly string[] {
    const node = untyped(expression);
    if (node.type === 'StringLiteral') return [node.value];
    if (node.type === 'TemplateLiteral') {
      const put = node.expressions.map((one) => this.#pieces(one, names));
      return node.quasis.flatMap(({ value }, at) => [[value.cooked ?? ''], put[at] ?? ['']]).reduce(joined);
    }
    if (node.type === 'BinaryExpression' && node.operator === '+')
      return joined(this.#pieces(node.left, names), this.#pieces(node.right, names));
    const [value, ...others] = names > 0 ? this.givenTo(node) : [];
    return value && others.length === 0 ? this.#pieces(value, names - 1) : PUT_IN;
  }
}

/** The expressions that one may come to; undefined where that is not one of several. */
function choicesOf(node: SourceNode): readonly SourceNode[] | undefined {
  switch (node.type) {
    case 'ConditionalExpression':
      return [node.consequent, node.alternate];
    case 'LogicalExpression':
      return node.operator === '&&' ? [node.right] : [node.left, node.right];
    case 'AssignmentPattern':
      return [node.right];
    case 'NullLiteral':
    case 'BooleanLiteral':
      return [];
    default:
      return node.type === 'Identifier' && node.name === 'undefined' ? [] : undefined;
  }
}

const together = (read: readonly TextsRead[]): TextsRead => ({
  texts: read.flatMap(({ texts }) => texts),
  unread: read.flatMap(({ unread }) => unread),
});

/** The pieces of two texts, one behind the other. What is put in twice in a row counts once. */
function joined(before: readonly string[], behind: readonly string[]): readonly string[] {
  const pieces = [...before.slice(0, -1), `${before.at(-1)}${behind[0]}`, ...behind.slice(1)];
  return pieces.filter((piece, at) => piece !== '' || at === 0 || at === pieces.length - 1);
}

/** What a node gives to a name. Of a default the whole pattern: others may be given too, so that it is no constant. */
function assignmentOf(node: SourceNode) {
  switch (node.type) {
    case 'VariableDeclarator':
      return { name: variableName(node.id), value: node.init };
    case 'AssignmentExpression':
      return { name: variableName(node.left), value: node.right };
    case 'AssignmentPattern':
      return { name: variableName(node.left), value: node };
    case 'ClassProperty':
    case 'ClassPrivateProperty':
      return { name: `this.${lastName(node.key)}`, value: node.value };
    default:
      return undefined;
  }
}

/** A variable, or a field of `this`; not a field of an object, whose name others may have too. */
function variableName(node: SourceNode): string | undefined {
  const name = lastName(node);
  if (node.type === 'Identifier') return name;
  return name && 'object' in node && node.object.type === 'ThisExpression' ? `this.${name}` : undefined;
}
