import { filesIn, read } from './repository.js';

const FOLDER = 'docs/reference';
const README = `${FOLDER}/README.md`;
/** Of voicebot itself, and the page that explains the marks. */
const WITHOUT_GRADES = [README, `${FOLDER}/cli-events.md`, `${FOLDER}/sandbox.md`];
const PAGES = filesIn(FOLDER, '.md').filter((path) => !WITHOUT_GRADES.includes(path));

interface Grades {
  readonly names: readonly string[];
  /** `D`, `A` … */
  readonly letters: readonly string[];
}

/** The table of all grades. */
function gradesIn(page: string): Grades {
  const rows = [...page.matchAll(/^\| ([a-z]+) \| (?:`\[([A-Z])[^`]*\]`|none) \|/gm)];
  return { names: rows.map(([, name = '']) => name), letters: rows.flatMap(([, , letter]) => letter ?? []) };
}

interface Section {
  readonly title: string;
  readonly depth: number;
  readonly text: string;
}

/** A page by its headings, first what stands below its title. */
const sectionsOf = (page: string): Section[] =>
  page
    .replaceAll(/```.*?```/gs, '')
    .split(/^(?=#+ )/m)
    .map((part) => {
      const [, marks = '', title = '', text = ''] = /^(#+) ([^\n]+)\n(.*)/s.exec(part) ?? [];
      return { title, depth: marks.length, text: text.trim() };
    });

const GRADE_LINE = /^Grade: (.+)/m;

/** Sections that say something and have no grade, of their own or from above; and lines that name none of `names`. */
function ungraded(page: string, names: readonly string[]): string[] {
  const graded: boolean[] = [];
  return sectionsOf(page).flatMap(({ title, depth, text }) => {
    const line = GRADE_LINE.exec(text)?.[1];
    graded.length = depth;
    graded[depth] = line !== undefined || graded.some(Boolean);
    if (line !== undefined && !names.some((name) => new RegExp(`\\b${name}\\b`).test(line)))
      return [`${title}: ${line}`];
    const isFree = depth === 1 || text === '' || title.endsWith('Sources');
    return graded[depth] || isFree ? [] : [title];
  });
}

/** Each mark, without what is behind its letter. */
const marksIn = (page: string): string[] =>
  [...page.matchAll(/`\[([A-Z])(?:: [^`]*)?\]`/g)].map(([, letter = '']) => letter);

const { names, letters } = gradesIn(read(README));

test('the table of grades has each name and each mark once', () => {
  expect(names).toEqual([...new Set(names)]);
  expect(letters).toEqual([...new Set(letters)]);
  expect(letters).toHaveLength(7);
});

test.each(PAGES)('%s grades every section, by a grade of the table', (path) => {
  expect(ungraded(read(path), names)).toEqual([]);
});

test.each(PAGES)('every mark of %s is in the table', (path) => {
  const marks = marksIn(read(path));
  expect(marks.length).toBeGreaterThan(0);
  expect(marks.filter((mark) => !letters.includes(mark))).toEqual([]);
});

test('what was seen on an account names a folder that is kept', () => {
  const folders = PAGES.flatMap((path) => [...read(path).matchAll(/`\[A: ([^`]*)\]`/g)].map(([, folder]) => folder));
  const kept = filesIn('test', 'certificate.json');
  expect(folders.filter((folder) => !kept.includes(`test/certified/${folder}/certificate.json`))).toEqual([]);
});

test('a section without a grade is found, and so is a grade that is none; what has only sections in it needs none', () => {
  const page =
    '# Title\nWords.\n## 1. One\n### 1.1 First\nGrade: page.\n### 1.2 Second\nText.\n## 2. Two\nGrade: hearsay.\n## Sources\nAll.';
  expect(ungraded(page, ['page'])).toEqual(['1.2 Second', '2. Two: hearsay.']);
  expect(ungraded('# Title\nGrade: page.\n## One\nText.', ['page'])).toEqual([]);
  expect(marksIn('Said `[F]`, seen `[A: plivo/one]`, read `[PCMU]`.')).toEqual(['F', 'A']);
});
