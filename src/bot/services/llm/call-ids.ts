import { randomUUID } from 'node:crypto';
import type { LLMContext } from '../../conversation/llm-context.js';

/** Every identifier that was given in a conversation, also those of calls it no longer shows. */
const given = new WeakMap<LLMContext, Set<string>>();

/**
 * The identifier of a call, unlike any other of the conversation: some models count anew in every answer, and the late result of one
 * call would be taken for that of another. The model's own is kept where it can be.
 * @returns 1 to 64 of `A-Z a-z 0-9 _ -`, which every vendor takes; one of our own has nine letters and digits, as Mistral wants it
 */
export function uniqueCallId(context: LLMContext, id: string): string {
  const known = given.get(context) ?? new Set(idsOf(context));
  given.set(context, known);
  let unique = id;
  while (!/^[\w-]{1,64}$/.test(unique) || known.has(unique)) unique = randomUUID().replaceAll('-', '').slice(0, 9);
  known.add(unique);
  return unique;
}

/** Of the messages that the conversation began with. */
function idsOf({ messages }: LLMContext): string[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
  );
}
