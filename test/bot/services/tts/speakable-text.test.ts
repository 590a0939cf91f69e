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
    ['5 * 3 is 15, and 2*3 is 6. ', '5 times 3 is 15, and 2 times 3 is 6. '],
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

  test.each([
    ['Press * to go back, or # to go on. ', 'Press star to go back, or pound to go on. '],
    ['Press * to go back or * to hear it again. ', 'Press star to go back or star to hear it again. '],
    ["Press '*' to go back or '*' to hear it again. ", "Press 'star' to go back or 'star' to hear it again. "],
    ['Press "#", **#**, `#`, (#) or \\#. ', 'Press "pound", pound, pound, (pound) or pound. '],
    ['Dial *67 and then 42#. ', 'Dial star 67 and then 42 pound. '],
    ['Dial *67 or *69 first. ', 'Dial star 67 or star 69 first. '],
    ['Dial *#06# now. ', 'Dial star pound 06 pound now. '],
    ['You pressed 4 * 2 #. ', 'You pressed 4 star 2 pound. '],
    ['Press *', 'Press star'],
    ['Press #️⃣ or 1️⃣. ', 'Press pound or 1. '],
    ['Press the star key (*) or # (the pound key). ', 'Press the star key or pound. '],
    ['Press *one of these* or *. ', 'Press one of these or star. '],
    ['* to go back, # to go on. ', 'star to go back, pound to go on. '],
    ['# to repeat. ', 'pound to repeat. '],
    ['- * for the menu\n', 'star for the menu '],
    ['# Opening hours\n', 'Opening hours '],
    ['## opening hours\n', 'opening hours '],
    ['# opening hours\n', 'opening hours '],
    ['The # of items is 3. ', 'The number of items is 3. '],
    ['It costs *5* euros, or *5 to 6 euros*. ', 'It costs 5 euros, or 5 to 6 euros. '],
    ['From 5 €* a day, C# and A*. ', 'From 5 € a day, C# and A. '],
    ['*', 'star'],
    ['***', ''],
  ])('says keys: %j is spoken as %j', (text, expected) => {
    expect(spoken(text)).toEqual([expected]);
  });

  test.each([
    ['en-US', 'star or pound'],
    ['en-GB', 'star or hash'],
    ['de-AT', 'Stern or Raute'],
    ['es', 'asterisco or almohadilla'],
    ['es-CO', 'asterisco or numeral'],
    ['es-MX', 'asterisco or gato'],
    ['fr-CA', 'étoile or dièse'],
    ['it', 'asterisco or cancelletto'],
    ['deu', 'Stern or Raute'],
    ['nl', '* or #'],
    ['no such tag', '* or #'],
  ])('names keys in the language of the text: %s', (language, names) => {
    expect(new SpeakableText(language).of('1, * or #')).toBe(`1, ${names}`);
  });

  test('takes a product for one in the language of the text, and keys where something is pressed', () => {
    expect(new SpeakableText('de').of('5 * 3 ist 15.')).toBe('5 mal 3 ist 15.');
    expect(new SpeakableText('de').of('Drücken Sie 5 * 3.')).toBe('Drücken Sie 5 Stern 3.');
  });

  test('knows emphasis that ends in another piece', () => {
    expect(spoken('*This is so. ', 'And so is that*. ', '*. ')).toEqual(['This is so. ', 'And so is that. ', 'star. ']);
    expect(spoken('*This is so. ', '* Press 1. ', 'Or *. ')).toEqual(['This is so. ', ' Press 1. ', 'Or star. ']);
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
