import fc from 'fast-check';
import { SentenceSplitter } from '../../../../src/bot/services/tts/sentence-splitter.js';

/** The pieces of a text that arrives in these parts. */
function pieces(...parts: string[]): string[] {
  const splitter = new SentenceSplitter();
  return [...parts.flatMap((part) => splitter.push(part)), ...splitter.end()];
}

describe('SentenceSplitter', () => {
  test.each([
    ['plain sentences', ['Hello! ', 'How are you? ', 'I am fine.']],
    ['titles', ['Dr. Smith and Mrs. Jones vs. Mr. Doe. ', 'Next.']],
    ['abbreviations', ['Take fruit, e.g. apples, i.e. food. ', 'Next.']],
    ['numbers', ['It costs 3.50 or 1,000.25 dollars. ', 'Next.']],
    ['numbered things', ['It is No. 5 of them. ', 'Next.']],
    ['the word no', ['No. ', 'I do not.']],
    ['times of day', ['Come at 10 a.m. tomorrow. ', 'Or at 8 p.m. ', 'That is all.']],
    ['initials', ['J. R. R. Tolkien wrote it. ', 'Next.']],
    ['the pronoun', ['So am I. ', 'Next.']],
    ['countries', ['In the U.S. we do. ', 'Next.']],
    ['ellipses in a sentence', ['Well... let me see. ', 'Next.']],
    ['ellipses at its end', ['Let me see... ', 'Here it is.']],
    ['the ellipsis character', ['Let me see… ', 'Here it is.']],
    ['addresses', ['See https://a.example/b?c=d.e or mail me@x.example. ', 'Next.']],
    ['file names', ['Open README.md and package.json now. ', 'Next.']],
    ['quotations', ['She said "Stop!" ', 'Then she left.']],
    ['brackets', ['(He was late.) ', 'Next.']],
    ['emphasis', ['**Really.** ', 'Next.']],
    ['marks in a row', ['What?! ', 'No!!! ', 'Next.']],
    ['companies', ['We are Acme Inc. and they are not. ', 'We are Acme Inc. ', 'They are not.']],
    ['a number at the end', ['I have 3. ', 'You have 5.']],
    ['a list', ['1. Apples\n', '2. Pears\n', '3. Plums']],
    ['bullets', ['- Apples\n', '- Pears\n']],
    ['lines', ['One line\n', 'Another line\n\n', 'A third']],
    ['Chinese', ['你好。', '今天天气好吗？', '很好！']],
    ['Japanese with quotation marks', ['「はい。」', 'そうです。']],
    ['Hindi', ['नमस्ते। ', 'आप कैसे हैं? ', 'ठीक।']],
    ['Arabic', ['كيف حالك؟ ', 'أنا بخير.']],
    ['Spanish', ['¿Qué tal? ', '¡Muy bien! ', 'Vale.']],
  ])('cuts %s where a sentence ends', (_name, expected) => {
    expect(pieces(expected.join(''))).toEqual(expected);
    const words = (cut: string[]) => cut.map((piece) => piece.replace(/[\s」]/g, ''));
    expect(words(pieces(...expected.join('')))).toEqual(words(expected));
  });

  test('the first piece may end at a comma when it is long enough', () => {
    expect(pieces('I am happy to help you with that, and with more, of course. Next, please, go on.')).toEqual([
      'I am happy to help you with that, ',
      'and with more, of course. ',
      'Next, please, go on.',
    ]);
    expect(pieces('Yes, of course.')).toEqual(['Yes, of course.']);
    expect(pieces('The total of your order is 12,500 dollars now.')).toHaveLength(1);
  });

  test.each([', ', '; ', ': ', ' – ', ' — ', ' - '])('takes %j for the end of a clause', (mark) => {
    expect(pieces(`I have looked for your order${mark}it was sent today.`)).toEqual([
      `I have looked for your order${mark}`,
      'it was sent today.',
    ]);
  });

  test('gives a sentence as soon as the space behind it is there', () => {
    const splitter = new SentenceSplitter();
    expect(splitter.push('Hello there')).toEqual([]);
    expect(splitter.push('.')).toEqual([]);
    expect(splitter.push(' ')).toEqual(['Hello there. ']);
    expect(splitter.push('It costs 3.')).toEqual([]);
    expect(splitter.push('5 dollars.\n')).toEqual(['It costs 3.5 dollars.\n']);
    expect(splitter.push('是。')).toEqual(['是。']);
  });

  test('waits for the next word only where it decides', () => {
    const splitter = new SentenceSplitter();
    expect(splitter.push('Come at 10 a.m. ')).toEqual([]);
    expect(splitter.push('T')).toEqual(['Come at 10 a.m. ']);
    expect(splitter.push('hen. ')).toEqual(['Then. ']);
  });

  test('a text without an end is cut at a word before it gets too long', () => {
    const text = 'word '.repeat(200);
    const cut = pieces(text);
    expect(cut.join('')).toBe(text);
    expect(Math.max(...cut.map(({ length }) => length))).toBeLessThanOrEqual(250);
    expect(cut.every((piece) => piece.endsWith(' '))).toBe(true);
  });

  test('starts anew after the end', () => {
    const splitter = new SentenceSplitter();
    splitter.push('Not over');
    expect(splitter.end()).toEqual(['Not over']);
    expect(splitter.end()).toEqual([]);
    expect(splitter.push('Yes. ')).toEqual(['Yes. ']);
  });

  const prose = fc.array(
    fc.oneof(
      fc.constantFrom(
        '. ',
        '.',
        '! ',
        '? ',
        '…',
        ', ',
        '\n',
        ' ',
        '3.5',
        'Dr. ',
        'e.g. ',
        '。',
        '，',
        '"',
        ')',
        '**',
        '[a](http://b.c)',
        '- ',
        '1. ',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.constantFrom('hello', 'World', '你好', '😀', '👩‍👩‍👧'),
    ),
    { maxLength: 120 },
  );

  test('all pieces together are the text, however it arrives', () => {
    fc.assert(
      fc.property(prose, (parts) => {
        const cut = pieces(...parts);
        expect(cut.join('')).toBe(parts.join(''));
        expect(cut.every((piece) => piece !== '')).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('never cuts a character in two, nor gives a piece longer than 250 characters and the spaces behind', () => {
    fc.assert(
      fc.property(prose, (parts) => {
        for (const piece of pieces(parts.join(''))) {
          expect(piece).not.toMatch(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/);
          expect(piece.trimEnd().length).toBeLessThanOrEqual(260);
        }
      }),
      { numRuns: 200 },
    );
  });
});
