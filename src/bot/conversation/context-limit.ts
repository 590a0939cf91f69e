import type { LLMMessage } from '../pipeline/frames/index.js';

/** How much of a conversation the model is shown. */
export interface ContextLimit {
  /** Characters of all messages, beyond which the oldest are let go; 1000 or more. */
  maxCharacters: number;
  /**
   * Puts what is let go into fewer words, which the model is shown in its place; until then, and when it fails, the messages
   * stay. Default: they are forgotten.
   */
  summarise?: (messages: readonly LLMMessage[]) => Promise<string>;
}

/** How large a message is to a model, in characters. */
function sizeOf(message: LLMMessage): number {
  if (message.role === 'tool') return JSON.stringify(message.results).length;
  const calls = message.role === 'assistant' && message.toolCalls ? JSON.stringify(message.toolCalls).length : 0;
  return message.content.length + calls;
}

/**
 * How many of the oldest messages have to go until half the limit is left: 0 while the limit holds. What is left begins with
 * what the caller says, so that no result of a function stands there without its call.
 */
export function surplus(messages: readonly LLMMessage[], maxCharacters: number): number {
  const sizes = messages.map(sizeOf);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= maxCharacters) return 0;
  let count = 0;
  const mayStartAt = (index: number) => messages[index]?.role === 'user';
  const lastStart = messages.findLastIndex(({ role }) => role === 'user');
  while (count < lastStart && (total > maxCharacters / 2 || !mayStartAt(count))) {
    total -= sizes[count] ?? 0;
    count += 1;
  }
  return count;
}

/**
 * How many parts of a conversation are its older half, in whole exchanges: 0 where there is only one.
 * @param parts the messages of each
 */
export function olderHalf(parts: ReadonlyArray<readonly LLMMessage[]>): number {
  const messages = parts.flat();
  const total = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  return partsWith(parts, surplus(messages, total - 1));
}

/** How many of the first parts hold the first `count` messages. */
export function partsWith(parts: ReadonlyArray<readonly LLMMessage[]>, count: number): number {
  let index = 0;
  for (let messages = 0; messages < count; index += 1) messages += parts[index]?.length ?? 0;
  return index;
}
