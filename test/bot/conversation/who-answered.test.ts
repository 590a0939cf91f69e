import { answersIn, EARS, type Ears, judged } from './answers/played-answers.js';

const LANGUAGES = ['en', 'de', 'es', 'fr', 'it'];

describe.each(LANGUAGES)('of those who answer in %s', (language) => {
  const answers = answersIn(language);
  const of = (who: string) => answers.filter(({ by }) => by === who);
  /** Those that are taken for something else, and for whom. */
  const mistaken = (who: string, ears: Ears) =>
    of(who).flatMap(({ text, isMissed }) => {
      const verdict = judged(text, ears);
      return verdict === (isMissed ? 'person' : who) ? [] : [`${verdict}: ${text}`];
    });

  test('the table has forty people, forty machines and eight screening assistants at least', () => {
    expect(of('person').length).toBeGreaterThanOrEqual(40);
    expect(of('machine').length).toBeGreaterThanOrEqual(40);
    expect(of('screener').length).toBeGreaterThanOrEqual(8);
  });

  test.each(EARS)('no person is taken for anything else, with $name', (ears) => {
    expect(mistaken('person', ears)).toEqual([]);
  });

  test.each(EARS)('machines are known, but for those that the table marks, with $name', (ears) => {
    expect(mistaken('machine', ears)).toEqual([]);
  });

  test.each(EARS)('screening assistants are known, but for those that the table marks, with $name', (ears) => {
    expect(mistaken('screener', ears)).toEqual([]);
  });
});

test('of all machines at most two in a hundred are missed', () => {
  const machines = LANGUAGES.flatMap(answersIn).filter(({ by }) => by === 'machine');
  expect(machines.filter(({ isMissed }) => isMissed).length / machines.length).toBeLessThanOrEqual(0.02);
});
