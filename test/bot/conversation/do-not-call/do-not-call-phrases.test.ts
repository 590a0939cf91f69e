import { languageAskedIn } from '../../../../src/bot/conversation/do-not-call-phrases.js';
import { SENTENCES } from './sentences.js';

describe.each(Object.entries(SENTENCES))('what is said in %s', (language, { asks, others }) => {
  const lines = (text: string) => text.split('\n');

  test('asks not to be called again, in forty ways at least', () => {
    const missed = lines(asks).filter((line) => languageAskedIn(line) !== language);
    expect({ missed }).toEqual({ missed: [] });
    expect(lines(asks).length).toBeGreaterThanOrEqual(40);
  });

  test('asks for something else, in forty ways at least', () => {
    const wrong = lines(others).filter((line) => languageAskedIn(line) !== undefined);
    expect({ wrong }).toEqual({ wrong: [] });
    expect(lines(others).length).toBeGreaterThanOrEqual(40);
  });

  test('asks the same without capitals and marks, as ears that write none understand it', () => {
    const plain = lines(asks)
      .filter((line) => !/[.!] \S/.test(line))
      .map((line) => line.toLowerCase().replace(/[.,!?¡¿:]/g, ''));
    expect(plain.filter((line) => languageAskedIn(line) !== language)).toEqual([]);
  });
});

test('says nothing in an empty text, and in very long ones takes no time', () => {
  expect(languageAskedIn('')).toBeUndefined();
  const startedAt = performance.now();
  expect(languageAskedIn('do not please call the please do not '.repeat(3_000))).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
