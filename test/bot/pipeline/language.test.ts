import { Conversation } from '../../../src/bot/conversation/conversation.js';
import { languageOf } from '../../../src/bot/pipeline/language.js';

test.each([
  [undefined, 'en'],
  ['en-GB', 'en'],
  ['de', 'de'],
  ['de-AT', 'de'],
  ['DE-ch', 'de'],
  ['deu', 'de'],
  ['es-419', 'es'],
  ['fr-CA', 'fr'],
  ['it-IT', 'it'],
  ['nl-NL', 'en'],
  ['est', 'en'],
])('%s gets the sentences of %s', (tag, language) => {
  expect(languageOf(tag)).toBe(language);
});

test.each([['en_US'], ['German'.repeat(2)], [''], ['de-'], [7 as unknown as string], [null as unknown as string]])(
  'a conversation with the language %j is refused',
  (language) => {
    expect(() => new Conversation({ language, holdAfterMs: 3 })).toThrow(/language must be a BCP 47 tag.*holdAfterMs/);
  },
);

test('a well-formed tag of any language is taken', () => {
  expect(() => new Conversation({ language: 'pt-BR' })).not.toThrow();
});
