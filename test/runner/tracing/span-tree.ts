/** What is looked at of a span. */
export interface SeenSpan {
  readonly name: string;
  readonly id: string;
  readonly traceId: string;
  readonly parentId: string | undefined;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isError: boolean;
}

/** Spans and how they hang together. */
export class SpanTree {
  constructor(readonly spans: readonly SeenSpan[]) {}

  /** The only span of this name. */
  one(name: string): SeenSpan {
    const [span, ...more] = this.all(name);
    if (!span || more.length > 0) throw new Error(`${more.length + (span ? 1 : 0)} spans ${name} in\n${this}`);
    return span;
  }

  all(name: string): SeenSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  childrenOf({ id }: SeenSpan): SeenSpan[] {
    return this.spans.filter(({ parentId }) => parentId === id).sort((a, b) => a.startedAt - b.startedAt);
  }

  /** Names from the root down to this span. */
  pathOf(span: SeenSpan): string[] {
    const parent = this.spans.find(({ id }) => id === span.parentId);
    return [...(parent ? this.pathOf(parent) : []), span.name];
  }

  /** One line a span: its name, when it began after the root, how long it took, what it failed with. */
  toString(): string {
    const ids = this.spans.map(({ id }) => id);
    const roots = this.spans.filter(({ parentId }) => parentId === undefined || !ids.includes(parentId));
    return roots.map((root) => this.#lines(root, root.startedAt, 0).join('\n')).join('\n');
  }

  #lines(span: SeenSpan, from: number, depth: number): string[] {
    const { name, startedAt, endedAt, attributes, isError } = span;
    const error = isError ? `  ${attributes['error.type']}` : '';
    const line = `${'  '.repeat(depth)}${name}  +${Math.round(startedAt - from)} ms, ${Math.round(endedAt - startedAt)} ms${error}`;
    return [line, ...this.childrenOf(span).flatMap((child) => this.#lines(child, from, depth + 1))];
  }
}
