import { filesIn, joined, read } from './repository.js';

/** The pages that comments cite by number, by the word that stands before "reference". */
const PAGES: Record<string, string> = { carrier: 'docs/reference/carrier.md', rooms: 'docs/reference/rooms.md' };

const CITATION =
  /(?:(carrier|rooms) )?reference,? (?:sections? )?(\d+(?:\.\d+)?(?:(?:,| and| or| to|, and) \d+(?:\.\d+)?)*)/gi;

/** What can be cited: numbered headings (`## 4. …`, `### 4.3 …`) and the numbered items of a section (`14.6`). */
function numbersOf(page: string): Set<string> {
  const numbers = new Set<string>();
  let section = '';
  for (const line of page.replaceAll(/```.*?```/gs, '').split('\n')) {
    const [, heading, item] = /^(?:#+ (\d+(?:\.\d+)?)\.? |(\d+)\. )/.exec(line) ?? [];
    if (heading) section = heading;
    else if (line.startsWith('#')) section = '';
    if (heading) numbers.add(heading);
    else if (item && section) numbers.add(`${section}.${item}`);
  }
  return numbers;
}

/** Each number that `text` cites, with its page; a citation may go on in the next line of a comment. */
const citationsIn = (text: string) =>
  [...joined(text).matchAll(CITATION)].flatMap(([cited, page = 'none', numbers = '']) =>
    (numbers.match(/\d+(?:\.\d+)?/g) ?? []).map((number) => ({ cited, page: page.toLowerCase(), number })),
  );

test('every citation of a reference leads to a section of its page', () => {
  const known = Object.fromEntries(Object.entries(PAGES).map(([name, path]) => [name, numbersOf(read(path))]));
  const cited = ['src', 'test', 'docs', 'templates']
    .flatMap((folder) => filesIn(folder, '.ts', '.mjs', '.md'))
    .flatMap((path) => citationsIn(read(path)).map((citation) => ({ ...citation, path })));
  expect(cited.length).toBeGreaterThan(100);
  const dangling = cited.filter(({ page, number }) => !known[page]?.has(number));
  expect(dangling.map(({ path, cited, number }) => `${path}: ${cited} (${number})`)).toEqual([]);
});

const COMMENT = `
/**
 * @see rooms
 * reference 8.2 and 14.13
 */
// carrier reference 1.5 to 1.7, see there`;

test('a citation is read across lines, with several numbers, and resolved to headings and items', () => {
  expect(citationsIn(COMMENT).map(({ page, number }) => `${page} ${number}`)).toEqual([
    'rooms 8.2',
    'rooms 14.13',
    'carrier 1.5',
    'carrier 1.7',
  ]);
  const page = '## 4. Four\n### 4.3 More\n## 14. Pitfalls\n1. one\n```\n2. no item\n```\n## Sources\n3. no item';
  expect([...numbersOf(page)]).toEqual(['4', '4.3', '14', '14.1']);
});
