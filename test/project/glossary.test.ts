import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { filesIn, joined, read } from './repository.js';

interface Entry {
  readonly word: string;
  /** Names and paths in the code. */
  readonly names: readonly string[];
  /** Words that must not stand for it. */
  readonly refused: readonly string[];
}

/** The rows of the page's tables. */
function entriesOf(page: string): Entry[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Word'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, word = '', , code = '', refused = '']) => ({
      word,
      names: [...code.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
      refused: refused.split(',').flatMap((name) => name.trim() || []),
    }));
}

/** Comments, and texts of more than one word: what people read. */
const proseOf = (source: string) =>
  joined(
    (
      source.match(
        /\/\*.*?\*\/|(?<!:)\/\/[^\n]*|'(?:\\.|[^'\\\n])* (?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])* (?:\\.|[^`\\])*`/gs,
      ) ?? []
    ).join('\n'),
  );

/** A page without its code. */
const wordsOf = (page: string) => page.replaceAll(/```.*?```/gs, '').replaceAll(/`[^`\n]*`/g, '');

const refusedIn = (text: string, words: readonly string[]) =>
  words.filter((word) => new RegExp(`(?<![\\w-])${word.replaceAll(' ', '[ -]')}s?(?![\\w-])`, 'i').test(text));

/** A provider's own words may stand here. */
const isProviders = (path: string) => /^src\/(providers|sandbox)\//.test(path);
/** They name the words of others. */
const OF_OTHERS = ['docs/glossary.md', 'docs/contributing/words.md', 'docs/coming-from-pipecat.md'];

/** A sentence names its subject: the runner, the bot, the caller. */
const SUBJECTS_OF_NOTHING = ['nobody', 'somebody', 'whoever'];

const entries = ['docs/glossary.md', 'docs/contributing/words.md'].flatMap((page) => entriesOf(read(page)));

test('every word of the glossary has one meaning and stands in the code under the name given', () => {
  const words = entries.map(({ word }) => word);
  expect(words.length).toBeGreaterThanOrEqual(40);
  expect(words).toEqual([...new Set(words)]);
  const code = filesIn('src', '.ts', '.tsx').map(read).join('\n');
  const isThere = (name: string) =>
    name.includes('/') ? existsSync(join(PACKAGE_ROOT, name)) : new RegExp(`\\b${name}\\b`).test(code);
  expect(entries.filter(({ names }) => names.length === 0 || !names.every(isThere))).toEqual([]);
});

test('no comment, message or page uses a word that the glossary refuses', () => {
  const refused = [...SUBJECTS_OF_NOTHING, ...entries.flatMap((entry) => entry.refused)];
  expect(refused.length).toBeGreaterThan(10);
  const sources = filesIn('src', '.ts', '.tsx').filter((path) => !isProviders(path));
  const pages = [...filesIn('docs', '.md').filter((path) => !path.startsWith('docs/reference/')), 'README.md'];
  const found = [
    ...sources.map((path) => ({ path, text: proseOf(read(path)) })),
    ...pages.filter((path) => !OF_OTHERS.includes(path)).map((path) => ({ path, text: wordsOf(read(path)) })),
  ].flatMap(({ path, text }) => refusedIn(text, refused).map((word) => `${path}: ${word}`));
  expect(found).toEqual([]);
});

test('a refused word is found in a comment, over two lines, and in a message, but not in code', () => {
  const words = ['barge-in', 'media socket'];
  expect(refusedIn(proseOf('/**\n * The media\n * sockets.\n */'), words)).toEqual(['media socket']);
  expect(refusedIn(proseOf("throw new Error('after a barge-in');"), words)).toEqual(['barge-in']);
  expect(refusedIn(proseOf("on('barge-in', mediaSocket); // a stream"), words)).toEqual([]);
});
