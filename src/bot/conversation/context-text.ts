import type { LLMMessage } from '../pipeline/frames/index.js';
import { isKeyName } from './key-names.js';

/** What follows what was heard, which is without the marks of formatting that the model may have written; undefined when it cannot be found. */
export function unheardOf({
  generated,
  heard,
}: {
  readonly generated: string;
  readonly heard: string;
}): string | undefined {
  const words = generated.trim().split(/\s+/);
  const plain = (word: string) => word.replace(/[^\p{L}\p{N}]/gu, '');
  const heardWords = heard.split(/\s+/).map(plain).filter(Boolean);
  let index = 0;
  for (const word of heardWords) {
    while (index < words.length && plain(words[index] ?? '') === '') index += 1;
    if (plain(words[index] ?? '') === word) index += 1;
    else if (!isKeyName(word)) return undefined; // said for a mark that was written
  }
  return words.slice(index).join(' ');
}

/** What the caller has said in several goes, with nothing heard in between, is one message. */
export function joinCallerWords(messages: readonly LLMMessage[]): LLMMessage[] {
  const joined: LLMMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      joined[joined.length - 1] = { role: 'user', content: `${last.content} ${message.content}` };
    } else joined.push(message);
  }
  return joined;
}
