import { isTimeZone } from '../../../src/runner/dialing/local-time.js';
import { timeZoneProblem } from '../../../src/runner/dialing/time-zone-problem.js';

test.each([
  ['BST', 'did you mean Europe/London?'],
  ['bst', 'did you mean Europe/London?'],
  ['EST', 'did you mean America/New_York?'],
  ['EST5EDT', 'did you mean America/New_York?'],
  ['MST', 'did you mean America/Denver or America/Phoenix?'],
  ['GMT', 'did you mean Europe/London or Africa/Accra?'],
  ['AST', 'did you mean America/Halifax or America/Puerto_Rico?'],
  ['SST', 'did you mean Pacific/Pago_Pago?'],
  ['MEZ', 'did you mean Europe/Berlin?'],
  ['Eastern Standard Time', 'did you mean America/New_York?'],
  ['Etc/GMT-5', 'counts the other way round (Etc/GMT-5 is 5 hours ahead of Greenwich)'],
  ['Etc/GMT+5', 'counts the other way round (Etc/GMT+5 is 5 hours behind Greenwich)'],
  ['Etc/UTC', 'is the time of no place'],
  ['UTC', 'is the time of no place'],
  ['+02:00', 'is an offset, which has no summer time'],
  ['GMT+1', 'is an offset, which has no summer time'],
  ['Japan', 'did you mean Asia/Tokyo?'],
  ['Berlin', 'did you mean Europe/Berlin?'],
  ['New York', 'did you mean America/New_York?'],
  ['Europa/Berlin', 'did you mean Europe/Berlin?'],
  ['Europe/Berln', 'did you mean Europe/Berlin?'],
  ['America/NewYork', 'did you mean America/New_York?'],
  ['Lodnon', 'did you mean Europe/London?'],
  ['Mars/Olympus', 'is not known; write it as Europe/Berlin'],
  ['', 'is not known; write it as Europe/Berlin'],
  ['x'.repeat(10_000), 'is not known; write it as Europe/Berlin'],
])('the time zone %s is refused, with what to write', (name, words) => {
  expect(timeZoneProblem(name)).toContain(words);
});

test('a name of a place is taken, and every name that is proposed', () => {
  expect(timeZoneProblem('Europe/Berlin')).toBeUndefined();
  for (const name of 'ACST AEST AKST ART AST BRT BST CAT CST EET EST GMT GST HKT HST IST JST KST MDT MEZ MSK NST NZST PHT PKT PST SAST SGT SST WAT WET WIB'.split(
    ' ',
  )) {
    const [, names = ''] = /did you mean (.*)\?$/.exec(timeZoneProblem(name) ?? '') ?? [];
    for (const proposed of names.split(/, | or /))
      expect([name, proposed, isTimeZone(proposed)]).toEqual([name, proposed, true]);
  }
});
