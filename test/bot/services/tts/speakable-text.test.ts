import fc from 'fast-check';
import { SpeakableText } from '../../../../src/bot/services/tts/speakable-text.js';

const spoken = (...pieces: string[]) => {
  const speakable = new SpeakableText();
  return pieces.map((piece) => speakable.of(piece));
};

describe('SpeakableText', () => {
  test.each([
    ['Plain text, as it is. ', 'Plain text, as it is. '],
    ['**Bold** and *slanted* and __both__ and ~~gone~~. ', 'Bold and slanted and both and gone. '],
    ['_Slanted_ but snake_case stays. ', 'Slanted but snake_case stays. '],
    ['5 * 3 is 15, and 2*3 is 6. ', '5 * 3 is 15, and 2*3 is 6. '],
    ['Run `npm test` now. ', 'Run npm test now. '],
    ['# Heading\n', 'Heading '],
    ['We are #1. ', 'We are #1. '],
    ['- Apples\n', 'Apples '],
    ['* Apples\n', 'Apples '],
    ['- [x] Done\n', 'Done '],
    ['1. First\n', '1. First '],
    ['> Quoted\n', 'Quoted '],
    ['See [our page](https://a.example/b_c_d "title"). ', 'See our page. '],
    ['![A cat](cat.png) sits. ', 'A cat sits. '],
    ['Hello 😀 there 👩‍👩‍👧 🇩🇪 ❤️. ', 'Hello there. '],
    ['Voicebot™ costs 5 € or $6. ', 'Voicebot™ costs 5 € or $6. '],
    ['```ts\n', ''],
    ['---\n', ''],
    ['😀', ''],
    ['** ', ''],
    [' \n', ''],
  ])('%j is spoken as %j', (text, expected) => {
    expect(spoken(text)).toEqual([expected]);
  });

  test('knows a list by the line it begins, not by the middle of one', () => {
    expect(spoken('Here:\n', '- one\n', '- two')).toEqual(['Here: ', 'one ', 'two']);
    expect(spoken('It is one ', '- or two.')).toEqual(['It is one ', '- or two.']);
  });

  test('drops the address of a link that was cut in two', () => {
    expect(spoken('See [our page, ', 'which is new](https://a.example). ')).toEqual([
      'See [our page, ',
      'which is new. ',
    ]);
  });

  test('takes any text, and leaves words alone', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => typeof spoken(text)[0] === 'string'));
    const words = fc.array(fc.stringMatching(/^[a-zA-Z]{1,8}$/), { minLength: 1 }).map((list) => list.join(' '));
    fc.assert(fc.property(words, (text) => expect(spoken(text)).toEqual([text])));
  });
});
