import { COMPARED_STEPS } from '../../src/lab/certify/tour/tour-steps.js';
import { GUESSES, guessesOf } from '../../src/providers/guesses.js';
import { read } from '../project/repository.js';

const PAGES = { carrier: 'docs/reference/carrier.md', rooms: 'docs/reference/rooms.md' };
const UNUSED = 'no code';

/** What stands behind the `G` of each mark of a page, with its section: `carrier reference 5.1: stream-pings`; an empty name for a bare mark. */
function marksIn(word: string, page: string): string[] {
  let section = '';
  return page.split('\n').flatMap((line) => {
    section = /^#+ (\d+(?:\.\d+)?)\.? /.exec(line)?.[1] ?? section;
    return [...line.matchAll(/`\[G(?:: ([^\]`]*))?\]`/g)].map(
      ([, name = '']) => `${word} reference ${section}: ${name}`,
    );
  });
}

const marks = Object.entries(PAGES).flatMap(([word, path]) => marksIn(word, read(path)));

test('each guess of the table is marked in its section', () => {
  const listed = GUESSES.map(({ section, name }) => `${section}: ${name}`);
  expect(listed.filter((one) => !marks.includes(one))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
});

test('each mark of a guess is in the table, or says that no code rests on it', () => {
  expect(marks.length).toBeGreaterThan(GUESSES.length);
  const known = GUESSES.map(({ section, name }) => `${section}: ${name}`);
  expect(marks.filter((mark) => !mark.endsWith(`: ${UNUSED}`) && !known.includes(mark))).toEqual([]);
});

test('a mark is read with its section; a bare one has no name', () => {
  const page = '## 5. Five\nA `[G]`.\n### 5.1 More\nB `[G: one]`, C `[G: no code]`.';
  expect(marksIn('carrier', page)).toEqual([
    'carrier reference 5: ',
    'carrier reference 5.1: one',
    'carrier reference 5.1: no code',
  ]);
});

test('what settles a guess are steps of the tour', () => {
  expect(GUESSES.flatMap(({ settledBy }) => settledBy).filter((name) => !COMPARED_STEPS.includes(name))).toEqual([]);
});

test('every sentence of a guess is one', () => {
  const sentences = GUESSES.flatMap(({ assumes, otherwise }) => [assumes, otherwise]);
  expect(sentences.filter((one) => !/^[A-Z][^.]+\.$/.test(one))).toEqual([]);
});

const PLIVO = {
  provider: 'plivo',
  transport: 'carrier',
  transfers: false,
  joinsByBrowser: false,
  transcribes: false,
} as const;
const ROOMS = { ...PLIVO, provider: 'daily', transport: 'rooms' } as const;
const namesOf = (...given: Parameters<typeof guessesOf>) => guessesOf(...given).map(({ name }) => name);

test('a carrier rests on the guesses of all carriers and on its own; one from a package on the former', () => {
  expect(namesOf(PLIVO)).toEqual(expect.arrayContaining(['stream-pings', 'plivo-signed-form']));
  const ofAll = namesOf({ ...PLIVO, provider: 'a-carrier-of-a-package' });
  expect(ofAll.length).toBeGreaterThan(0);
  expect(ofAll.filter((name) => !name.startsWith('stream-') && name !== 'playback-lead')).toEqual([]);
});

test('rooms rest on more with a browser, with transfers and with transcription', () => {
  const more = (change: object) => namesOf({ ...ROOMS, ...change }).filter((name) => !namesOf(ROOMS).includes(name));
  expect(more({ joinsByBrowser: true })).toEqual(['daily-browser-sound']);
  expect(more({ transfers: true })).toEqual(['daily-permissions-in-time', 'daily-key-session']);
  expect(more({ transcribes: true })).toEqual(['daily-transcription-refusal', 'daily-transcription-instances']);
  expect(namesOf({ ...PLIVO, transfers: true })).toEqual(namesOf(PLIVO));
});
