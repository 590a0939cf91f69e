import type { TimelineEvent } from '../../../src/call/timeline.js';
import { isBeingTyped, notUnderstood, type TypedSentence } from '../../../src/call/view/typed-lines.js';

const T0 = 1_000_000;
const typed = (text: string, after = 0): TypedSentence => ({ text, at: T0, after, isSaid: false });
const understood = (ms: number, text: string): TimelineEvent => ({
  at: T0 + ms,
  source: 'bot',
  type: 'said',
  speaker: 'caller',
  text,
});
const texts = (sentences: readonly TypedSentence[]) => sentences.map(({ text }) => text);

test('a typed sentence stands there until the ears of the bot have it, about as it was typed', () => {
  const sentence = typed('I would like a table for two.');
  expect(notUnderstood([sentence], [])).toEqual([sentence]);
  expect(notUnderstood([sentence], [understood(3_000, 'i would like a table for you')])).toEqual([]);
  expect(notUnderstood([sentence], [understood(3_000, 'Good morning.')])).toEqual([sentence]);
});

test('what was understood before it was typed is another sentence', () => {
  expect(texts(notUnderstood([typed('Yes.', 1)], [understood(2_000, 'Yes.')]))).toEqual(['Yes.']);
});

test('whatever the clocks of the page and of the runner say, what is understood after it was typed counts', () => {
  const sentences = [-5_000, 5_000].map((ms) => ({ ...typed('Two loaves, please.'), at: T0 + ms }));
  for (const sentence of sentences) expect(notUnderstood([sentence], [understood(0, 'Two loaves.')])).toEqual([]);
});

test('a sentence that has been said gives way to what is understood next, however its ears write it', () => {
  const [digits, yes] = [typed('Four five seven.'), typed('Yes.')];
  const said = { ...digits, isSaid: true };
  expect(notUnderstood([said], [understood(2_000, '457')])).toEqual([]);
  expect(notUnderstood([digits], [understood(2_000, '457')])).toEqual([digits]);
  expect(notUnderstood([said, yes], [understood(2_000, '457'), understood(4_000, 'Yes.')])).toEqual([]);
  expect(notUnderstood([said, yes], [understood(4_000, 'Yes.')])).toEqual([said]);
  expect(notUnderstood([{ ...said, after: 1 }], [understood(2_000, '457')])).toHaveLength(1);
});

test('of writing without spaces the characters are compared', () => {
  expect(notUnderstood([typed('我想订两个面包。')], [understood(2_000, '我想定两个面包')])).toEqual([]);
  expect(isBeingTyped('我想定', [typed('我想订两个面包。')])).toBe(true);
  expect(isBeingTyped('早上好', [typed('我想订两个面包。')])).toBe(false);
});

test('a sentence that was typed twice has to be understood twice', () => {
  const twice = [typed('Yes.'), typed('Yes.')];
  expect(notUnderstood(twice, [understood(1_000, 'Yes.')])).toEqual([twice[1]]);
  expect(notUnderstood([typed('?!')], [understood(1_000, '...')])).toEqual([]);
});

test('words that may still change are those of the sentence that is being said', () => {
  const open = [typed('I would like a table.')];
  expect(isBeingTyped('I would', open)).toBe(true);
  expect(isBeingTyped('Good morning', open)).toBe(false);
});
