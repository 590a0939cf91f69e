import type { TimelineEvent } from '../../../src/call/timeline.js';
import { isBeingTyped, notUnderstood, type TypedSentence } from '../../../src/call/view/typed-lines.js';

const T0 = 1_000_000;
const typed = (ms: number, text: string): TypedSentence => ({ text, at: T0 + ms, isSaid: false });
const understood = (ms: number, text: string): TimelineEvent => ({
  at: T0 + ms,
  source: 'bot',
  type: 'said',
  speaker: 'caller',
  text,
});
const texts = (sentences: readonly TypedSentence[]) => sentences.map(({ text }) => text);

test('a typed sentence stands there until the ears of the bot have it, about as it was typed', () => {
  const sentence = typed(0, 'I would like a table for two.');
  expect(notUnderstood([sentence], [])).toEqual([sentence]);
  expect(notUnderstood([sentence], [understood(3_000, 'i would like a table for you')])).toEqual([]);
  expect(notUnderstood([sentence], [understood(3_000, 'Good morning.')])).toEqual([sentence]);
});

test('what was understood before it was typed is another sentence', () => {
  expect(texts(notUnderstood([typed(10_000, 'Yes.')], [understood(2_000, 'Yes.')]))).toEqual(['Yes.']);
});

test('a sentence that was typed twice has to be understood twice', () => {
  const twice = [typed(0, 'Yes.'), typed(4_000, 'Yes.')];
  expect(notUnderstood(twice, [understood(1_000, 'Yes.')])).toEqual([twice[1]]);
  expect(notUnderstood([typed(0, '?!')], [understood(1_000, '...')])).toEqual([]);
});

test('words that may still change are those of the sentence that is being said', () => {
  const open = [typed(0, 'I would like a table.')];
  expect(isBeingTyped(['I', 'would'], open)).toBe(true);
  expect(isBeingTyped(['Good', 'morning'], open)).toBe(false);
});
