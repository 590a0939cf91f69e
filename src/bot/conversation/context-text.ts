import type { LLMMessage } from '../pipeline/frames/index.js';
import { isKeyName } from './key-names.js';
import { plainWords } from './plain-words.js';

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

/** What stands before the words that a text ends with, however they are written; undefined where it does not end with them. */
export function withoutEnd(text: string, end: string): string | undefined {
  const words = text.split(/\s+/).filter(Boolean);
  const count = end.split(/\s+/).filter(Boolean).length;
  const kept = words.length - count;
  const isSame = kept >= 0 && plainWords(words.slice(kept).join(' ')) === plainWords(end);
  return isSame ? words.slice(0, kept).join(' ') : undefined;
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
