import fc from 'fast-check';
import type { Utterance } from '../../../src/bot/pipeline/frames/index.js';
import { HeardText } from '../../../src/bot/transports/heard-text.js';

const utterance = (id: number): Utterance => ({ id, appendToContext: true });

function setUp() {
  const told: string[] = [];
  const heard = new HeardText(({ utterance: { id }, text, wasInterrupted }) => {
    told.push(`${id}: ${text}${wasInterrupted ? ' |' : ''}`);
  });
  return { heard, told };
}

test('an utterance that was played to its end was heard as a whole', () => {
  const { heard, told } = setUp();
  const one = utterance(1);
  heard.start(one, 100);
  heard.addText(one, 'Good morning.', 100);
  heard.heardUntil(1_000);
  expect(told).toEqual([]); // its audio may not be complete
  heard.stop(one, 900);
  heard.heardUntil(890);
  expect(told).toEqual([]);
  heard.heardUntil(900);
  expect(told).toEqual(['1: Good morning.']);
});

test.each([
  ['without times a sentence is cut in proportion, at the end of a word', 1_000, 'The first bus'],
  ['what was heard of the second sentence follows the first', 2_700, 'The first bus leaves at nine. The last'],
])('%s', (_title, cutMs, text) => {
  const { heard, told } = setUp();
  const one = utterance(1);
  heard.start(one, 0);
  heard.addText(one, 'The first bus leaves at nine.', 0);
  heard.addText(one, ' The last one at ten.', 2_000);
  heard.stop(one, 3_500);
  heard.cut(cutMs);
  expect(told).toEqual([`1: ${text} |`]);
});

test('times of words count from the first sample of their utterance', () => {
  const { heard, told } = setUp();
  const one = utterance(1);
  heard.start(one, 5_000);
  heard.addText(one, 'Well, it is $5 today.', 5_000);
  heard.addTiming(one, [
    { text: 'Well,', startMs: 0, endMs: 400 },
    { text: 'it', startMs: 600, endMs: 700 },
    { text: 'is', startMs: 700, endMs: 800 },
    { text: 'five', startMs: 800, endMs: 1_000 }, // not in the text
    { text: 'today.', startMs: 1_500, endMs: 2_000 },
  ]);
  heard.stop(one, 7_000);
  heard.cut(6_490); // three quarters of its time, but the voice has paused
  heard.start(utterance(2), 8_000);
  heard.cut(9_000);
  expect(told).toEqual(['1: Well, it is |', '2:  |']);
});

test('the time of a single word tells more than the length of the text', () => {
  const { heard, told } = setUp();
  const one = utterance(1);
  heard.start(one, 0);
  heard.addText(one, 'Well, it is five.', 0);
  heard.addTiming(one, [{ text: 'Well,', startMs: 0, endMs: 400 }]);
  heard.stop(one, 2_000);
  heard.cut(1_900);
  expect(told).toEqual(['1: Well, |']);
});

test('what comes for an utterance that was cut means nothing', () => {
  const { heard, told } = setUp();
  const one = utterance(1);
  heard.start(one, 0);
  heard.cut(0);
  heard.addText(one, 'late', 0);
  heard.addTiming(one, [{ text: 'late', startMs: 0, endMs: 10 }]);
  heard.stop(one, 10);
  heard.heardUntil(100);
  expect(told).toEqual(['1:  |']);
});

test('whatever moment it is cut at, what was heard is a beginning of the text that ends with a word', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}[.,]?$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.nat(20_000), fc.boolean(), (words, cutMs, hasTimes) => {
      const { heard, told } = setUp();
      const one = utterance(1);
      const text = words.join(' ');
      heard.start(one, 0);
      heard.addText(one, text, 0);
      if (hasTimes) {
        heard.addTiming(
          one,
          words.map((spoken, index) => ({ text: spoken, startMs: index * 300, endMs: index * 300 + 250 })),
        );
      }
      heard.stop(one, words.length * 300);
      heard.cut(cutMs);
      const got = (told[0] ?? '').replace(/^1: | \|$/g, '').trim();
      expect(text.startsWith(got)).toBe(true);
      expect([undefined, ' ']).toContain(got === '' ? undefined : text[got.length]);
    }),
  );
});
