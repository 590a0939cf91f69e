import type { ModelMessage, ToolModelMessage } from 'ai';
import type { LLMMessage, ToolCall, ToolResult } from '../../pipeline/frames/index.js';

/** Told in every request, needed or not: vendors answer sooner while the beginning of what they are shown stays the same. */
const NOTES_EXPLAINED =
  'Text in <system> tags comes from the system that runs this call, not from the caller; the caller does not hear it.';

/** What must travel back with a call, as its vendor gave it: Gemini refuses its own calls without their signature. */
export type CallMetadata = WeakMap<ToolCall, Record<string, Record<string, string>>>;

type Assistant = Extract<LLMMessage, { role: 'assistant' }>;

const CALL_BEGINS = note('The call has just begun.');
const GO_ON = note('Go on from here. Do not repeat what you have said.');
export const INTERRUPTED = note('The caller spoke over you. Of your last sentence they heard only what stands above.');

/**
 * Writes a conversation in a form that every vendor takes. OpenAI takes nearly anything; Anthropic and Google refuse
 * system messages behind the first other message, and conversations that the assistant begins; models that read the end
 * of a conversation as the beginning of their answer refuse one that ends with the assistant, and the chat templates of
 * several open models want user and assistant to alternate. Hence:
 *
 * - System messages at the beginning are the `system` text. Later ones are the user's, in `<system>` tags, which neither
 *   callers nor the results of functions can forge.
 * - Neighbours of one role are one message. A note in tags stands in for a user who is missing at the beginning or the end.
 * - That the caller spoke over an answer is said in such a note, behind it: models copy what they find in their own words.
 */
export function toModelMessages(
  messages: readonly LLMMessage[],
  metadata: CallMetadata = new WeakMap(),
): { system: string; messages: ModelMessage[] } {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const leading = first < 0 ? messages : messages.slice(0, first);
  const system = leading.map(({ content }: LLMMessage & { content?: string }) => content ?? '');
  const written: ModelMessage[] = [];
  let wasInterrupted = false;
  const say = (text: string) => {
    addUserText(written, wasInterrupted ? `${INTERRUPTED}\n${text}` : text);
    wasInterrupted = false;
  };

  for (const message of messages.slice(leading.length)) {
    if (message.role === 'user') say(withoutTags(message.content));
    else if (message.role === 'tool') written.push({ role: 'tool', content: message.results.map(toResultPart) });
    else if (message.role !== 'assistant') say(note(message.content));
    else {
      if (written.length === 0) addUserText(written, CALL_BEGINS);
      addAssistant(written, message, metadata);
      wasInterrupted ||= message.isInterrupted === true;
    }
  }
  if (written.length === 0) addUserText(written, CALL_BEGINS);
  if (written.at(-1)?.role === 'assistant') say(GO_ON);
  return { system: [...system, NOTES_EXPLAINED].join('\n\n'), messages: written };
}

/** A text as one of the system's own, which neither callers nor the results of functions can forge. */
export function note(text: string): string {
  return `<system>${text}</system>`;
}

/** Any way of writing them that a model may take for one, such as `</ System >`, or one that never ends. */
export function withoutTags(text: string): string {
  return text.replace(/<([\s/\p{Cf}]*system\b[^<>]*)(>?)/giu, (_tag, inner, end) => `(${inner}${end && ')'}`);
}

/** The same in every text of a value that is written as JSON. */
function valueWithoutTags(value: unknown): unknown {
  if (typeof value === 'string') return withoutTags(value);
  if (Array.isArray(value)) return value.map(valueWithoutTags);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [withoutTags(name), valueWithoutTags(field)]));
}

/** The text of a message of that role which is nothing but text. */
function wordsOf(message: ModelMessage | undefined, role: 'user' | 'assistant'): string | undefined {
  return message?.role === role && typeof message.content === 'string' ? message.content : undefined;
}

function addUserText(messages: ModelMessage[], text: string): void {
  const before = wordsOf(messages.at(-1), 'user');
  if (before !== undefined) messages.pop();
  messages.push({ role: 'user', content: before === undefined ? text : `${before}\n${text}` });
}

function addAssistant(messages: ModelMessage[], { content, toolCalls = [] }: Assistant, metadata: CallMetadata): void {
  const before = wordsOf(messages.at(-1), 'assistant');
  const text = [before, content].filter(Boolean).join(' ');
  if (before !== undefined) messages.pop();
  if (toolCalls.length > 0) {
    const words = text ? [{ type: 'text' as const, text }] : [];
    messages.push({ role: 'assistant', content: [...words, ...toolCalls.map((call) => toCallPart(call, metadata))] });
  } else if (text) messages.push({ role: 'assistant', content: text });
}

function toCallPart(call: ToolCall, metadata: CallMetadata) {
  const providerOptions = metadata.get(call);
  return {
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.name,
    // some vendors refuse to be shown an input that is not an object; that it was wrong, the result says
    input: typeof call.input === 'object' && call.input !== null && !Array.isArray(call.input) ? call.input : {},
    ...(providerOptions && { providerOptions }),
  };
}

function toResultPart({ callId, name, output, isError }: ToolResult): ToolModelMessage['content'][number] {
  const value = valueWithoutTags(output) as never;
  return {
    type: 'tool-result',
    toolCallId: callId,
    toolName: name,
    output:
      typeof output === 'string'
        ? { type: isError ? 'error-text' : 'text', value }
        : { type: isError ? 'error-json' : 'json', value },
  };
}
