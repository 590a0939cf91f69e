import { type ParserPlugin, parse, type parseExpression } from '@babel/parser';

type Expression = Extract<ReturnType<typeof parseExpression>, { type: 'ConditionalExpression' }>['test'];
type Statement = ReturnType<typeof parse>['program']['body'][number];
type NodeOf<Type> = Extract<Expression | Statement, { type: Type }>;

/** A node of a syntax tree, of a kind that is looked at here. */
export type SourceNode =
  | Expression
  | Statement
  | NodeOf<'CallExpression'>['callee']
  | NodeOf<'CallExpression'>['arguments'][number]
  | NodeOf<'ClassExpression'>['body']['body'][number]
  | NodeOf<'MemberExpression'>['property']
  | NodeOf<'ObjectExpression'>['properties'][number]
  | NodeOf<'SwitchStatement'>['cases'][number]
  | NodeOf<'TemplateLiteral'>['expressions'][number]
  | NodeOf<'VariableDeclaration'>['declarations'][number]
  | NodeOf<'VariableDeclaration'>['declarations'][number]['id'];

/** A node with the one that it is a part of. */
export type PlacedNode = readonly [node: SourceNode, parent: SourceNode | undefined];

/** A field that is written in an object, with what it is given; a method is given itself. */
export interface ObjectField {
  readonly name: string;
  readonly line: number;
  readonly value: SourceNode;
}

/** What was read of a file. */
interface ParsedFile {
  /** In the order they are written. */
  readonly nodes: readonly PlacedNode[];
  /** The line where it cannot be read any further. */
  readonly faults: readonly number[];
}

const PLUGINS: readonly ParserPlugin[] = ['decorators', 'decoratorAutoAccessors', 'explicitResourceManagement'];

/** Reads a file. One that cannot be parsed, or is nested too deep, has a fault and no nodes. */
export function nodesOf(file: string, source: string): ParsedFile {
  const typescript: readonly ParserPlugin[] = /\.([mc]?ts|tsx)$/.test(file) ? ['typescript'] : [];
  const jsx: readonly ParserPlugin[] = /\.[jt]sx$/.test(file) ? ['jsx'] : [];
  try {
    const { program } = parse(source, {
      sourceType: 'module',
      plugins: [...PLUGINS, ...typescript, ...jsx],
      errorRecovery: true,
      attachComment: false,
      createParenthesizedExpressions: false,
    });
    return { nodes: program.body.flatMap((statement) => nodesIn(statement)), faults: [] };
  } catch (error) {
    const { loc } = error as { loc?: { line: number } };
    return { nodes: [], faults: [loc?.line ?? 1] };
  }
}

/** A node and all that it is made of. */
export function nodesIn(root: SourceNode): PlacedNode[] {
  const found: PlacedNode[] = [];
  const add = (node: SourceNode, parent: SourceNode | undefined) => {
    found.push([node, parent]);
    for (const part of Object.values(node).flat()) if (isNode(part)) add(part, node);
  };
  add(root, undefined);
  return found;
}

const isNode = (value: unknown): value is SourceNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

export const lineOf = (node: SourceNode): number => node.loc?.start.line ?? 0;

/** What is written without `as`, `satisfies` and `!`, which say nothing of what it comes to. */
export function untyped(node: SourceNode): SourceNode {
  switch (node.type) {
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'TSTypeAssertion':
      return untyped(node.expression);
    default:
      return node;
  }
}

/** The text of a literal into which nothing is put. */
export function fixedText(node: SourceNode): string | undefined {
  if (node.type === 'StringLiteral') return node.value;
  return node.type === 'TemplateLiteral' && node.expressions.length === 0
    ? (node.quasis[0]?.value.cooked ?? undefined)
    : undefined;
}

/** Of `keys`, `heard?.keys` and `this.#keys` the last name. */
export function lastName(node: SourceNode): string | undefined {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'PrivateName') return `#${node.id.name}`;
  return 'property' in node && !('computed' in node && node.computed) ? lastName(node.property) : undefined;
}

/** The fields of an object that are written in it; none of what is no object. */
export function fieldsOf(node: SourceNode): ObjectField[] {
  const object = untyped(node);
  return object.type === 'ObjectExpression' ? object.properties.flatMap(fieldOf) : [];
}

/** The one field that a property makes; none of `...more` and of a name that is computed. */
export function fieldOf(property: SourceNode): ObjectField[] {
  if ((property.type !== 'ObjectProperty' && property.type !== 'ObjectMethod') || property.computed) return [];
  const { key } = property;
  const name = key.type === 'NumericLiteral' ? String(key.value) : (fixedText(key) ?? lastName(key));
  const value = property.type === 'ObjectProperty' ? property.value : property;
  return name === undefined ? [] : [{ name, line: lineOf(key), value }];
}
