import { createMessageMutator } from '../../../../src/lab/kit/conformance/message-mutator.js';
import { recordedMessages } from '../../../providers/plivo/recorded-messages.js';

const corpus = recordedMessages('plivo/messages');
const take = (count: number, next: () => string) => Array.from({ length: count }, next);

test('gives the same messages for the same seed and others for another', () => {
  const first = take(500, createMessageMutator(corpus, 7));
  expect(take(500, createMessageMutator(corpus, 7))).toEqual(first);
  expect(take(500, createMessageMutator(corpus, 8))).not.toEqual(first);
});

test('damages nearly every message, variously, and never beyond 64 KB', () => {
  const messages = take(5_000, createMessageMutator(corpus, 1));
  expect(messages.filter((text) => corpus.includes(text)).length).toBeLessThan(250);
  expect(new Set(messages).size).toBeGreaterThan(4_000);
  expect(Math.max(...messages.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(64 * 1024);
});
