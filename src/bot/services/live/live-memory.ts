import { type ContextPart, STILL_RUNNING } from '../../conversation/context-entry.js';
import type { LLMMessage, ToolResult } from '../../pipeline/frames/index.js';
import { INTERRUPTED, note, withoutTags } from '../llm/model-messages.js';

/** What is written into a session. */
export type LiveEntry =
  | {
      readonly type: 'text';
      readonly role: 'user' | 'assistant';
      readonly text: string;
      /** Our name of it. */
      readonly id: string;
    }
  | { readonly type: 'result'; readonly callId: string; readonly result: ToolResult };

/** What a session does not know yet, and what it is to forget. */
export interface LiveNews {
  readonly entries: readonly LiveEntry[];
  /** Items that the conversation shows no more. */
  readonly forgotten: readonly string[];
}

interface Known {
  /** The session's items of it, by their names. */
  readonly ids: () => Iterable<string>;
  /** What was heard of it has been told. */
  isHeard: boolean;
}

/** Which part of the conversation a session remembers by itself, so that it is told the rest, once. */
export class LiveMemory {
  readonly #known = new Map<object | number, Known>();
  /** The functions that the session has called: by our identifier, its own, and whether it has the result. */
  readonly #calls = new Map<string, { readonly callId: string; isTold: boolean }>();

  #ids = 0;

  /** Another session remembers nothing. */
  clear(): void {
    this.#known.clear();
    this.#calls.clear();
  }

  /**
   * The session has said or heard this itself, or knows it by its instructions.
   * @param ids its items of that, by their names
   * @param isHeard it is not something that the caller has still to hear
   */
  own(key: object | number, ids: () => Iterable<string> = () => [], isHeard = false): void {
    this.#known.set(key, { ids, isHeard });
  }

  /** The caller has heard what they will hear of it. */
  heard(key: object | number): void {
    const known = this.#known.get(key);
    if (known) known.isHeard = true;
  }

  /** The session has called a function. @param id our identifier of the call */
  called(id: string, callId: string): void {
    this.#calls.set(id, { callId, isTold: false });
  }

  /** The session wants no results of these functions any more. @param callIds as it names them */
  cancelled(callIds: readonly string[]): void {
    for (const [id, { callId }] of this.#calls) if (callIds.includes(callId)) this.#calls.delete(id);
  }

  knows(key: object | number): boolean {
    return this.#known.has(key);
  }

  /** What is to be told before the session is asked: it knows all of it then. */
  takeNews(parts: readonly ContextPart[]): LiveNews {
    const entries = parts.flatMap((part) => this.#entriesOf(part));
    const shown = new Set(parts.map(({ key }) => key));
    const gone = [...this.#known].filter(([key, { isHeard }]) => isHeard && !shown.has(key));
    for (const [key] of gone) this.#known.delete(key);
    return { entries, forgotten: gone.flatMap(([, { ids }]) => [...ids()]) };
  }

  #entriesOf({ key, messages }: ContextPart): LiveEntry[] {
    const [first, second] = messages;
    const calls = first?.role === 'assistant' ? (first.toolCalls ?? []) : [];
    if (second?.role === 'tool' && calls.some(({ id }) => this.#calls.has(id))) {
      return second.results.flatMap((result) => this.#resultOf(result));
    }
    if (this.#known.has(key) || messages.length === 0) return [];
    // of what another session has called, or this one does not want any more
    if (second?.role === 'tool' && second.results.some(({ output }) => output === STILL_RUNNING)) return [];
    const entries = messages
      .flatMap(textsOf)
      .map(([role, text]) => ({ type: 'text' as const, role, text, id: this.#newId() }));
    this.own(key, () => entries.map(({ id }) => id), true);
    return entries;
  }

  #newId(): string {
    this.#ids += 1;
    return `vb_${this.#ids}`;
  }

  #resultOf(result: ToolResult): LiveEntry[] {
    const call = this.#calls.get(result.callId);
    if (!call || call.isTold || result.output === STILL_RUNNING) return [];
    call.isTold = true;
    return [{ type: 'result', callId: call.callId, result }];
  }
}

const text = (role: 'user' | 'assistant', words: string) => [role, words] as const;

/** A message as texts: also of functions that another session has called. */
function textsOf(message: LLMMessage): Array<ReturnType<typeof text>> {
  if (message.role === 'user') return [text('user', withoutTags(message.content))];
  if (message.role === 'system') return [text('user', note(message.content))];
  if (message.role === 'tool') {
    const told = message.results.map(
      ({ name, output }) => `${name} has returned ${withoutTags(JSON.stringify(output))}`,
    );
    return [text('user', note(told.join('\n')))];
  }
  if (message.role !== 'assistant') return [];
  const { content, toolCalls = [], isInterrupted } = message;
  const called = toolCalls.map(({ name, input }) => `${name} was called with ${withoutTags(JSON.stringify(input))}`);
  return [
    ...(content ? [text('assistant', content)] : []),
    ...(isInterrupted ? [text('user', INTERRUPTED)] : []),
    ...(called.length > 0 ? [text('user', note(called.join('\n')))] : []),
  ];
}
