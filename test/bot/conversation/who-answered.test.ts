import { answersIn, EARS, judged } from './answers/played-answers.js';

const LANGUAGES = ['en', 'de', 'es', 'fr', 'it'];

describe.each(LANGUAGES)('of those who answer in %s', (language) => {
  const answers = answersIn(language);
  const by = (who: string) => answers.filter((answer) => answer.by === who);
  const taken = (who: string, as: string, ears: (typeof EARS)[number]) =>
    by(who)
      .filter(({ text }) => judged(text, ears) === as)
      .map(({ text }) => text);

  test('the table has forty people, forty machines and eight screening assistants', () => {
    expect(by('person').length).toBeGreaterThanOrEqual(40);
    expect(by('machine').length).toBeGreaterThanOrEqual(40);
    expect(by('screener').length).toBeGreaterThanOrEqual(8);
  });

  test.each(EARS)('no person is taken for anything else, with $name', (ears) => {
    expect({ machines: taken('person', 'machine', ears), screeners: taken('person', 'screener', ears) }).toEqual({
      machines: [],
      screeners: [],
    });
  });

  test.each(EARS)('machines are known, with $name', (ears) => {
    expect({ missed: taken('machine', 'person', ears), screeners: taken('machine', 'screener', ears) }).toEqual({
      missed: [],
      screeners: [],
    });
  });

  test.each(EARS)('screening assistants are known, with $name', (ears) => {
    expect({ people: taken('screener', 'person', ears), machines: taken('screener', 'machine', ears) }).toEqual({
      people: [],
      machines: [],
    });
  });
});
