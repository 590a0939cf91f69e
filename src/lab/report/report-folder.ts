import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { firstFew } from '../../base/names/name-list.js';

/** What a test leaves in its folder. */
export const REPORT_FILES = {
  index: 'index.html',
  junit: 'junit.xml',
  results: 'results.jsonl',
  calls: 'calls',
} as const;

/** Stands in every page, and says whose it is. */
export const GENERATOR = '<meta name="generator" content="voicebot test">';

/** Beside them. */
const ALLOWED: ReadonlySet<string> = new Set([...Object.values(REPORT_FILES), '.gitignore', '.gitkeep', '.DS_Store']);
/** What a test replaces: of an earlier test only. */
const REPLACED: ReadonlySet<string> = new Set([REPORT_FILES.index, REPORT_FILES.calls]);
/** So many of the files in the way are named. */
const MOST_NAMED = 3;

/**
 * The value of `--output` as an absolute path: a folder that is not there, is empty, or has what an earlier test has left.
 * @throws Error, for people, when it is a file or holds other things: most of it would be replaced
 */
export const reportFolder =
  (directory: string) =>
  (typed: string): string => {
    const folder = resolve(directory, typed);
    if (!existsSync(folder)) return folder;
    if (!statSync(folder).isDirectory()) throw new Error('must be a folder');
    const names = readdirSync(folder);
    const isTest = names.includes(REPORT_FILES.index) && isOurs(folder);
    const others = names.filter((name) => !ALLOWED.has(name) || (REPLACED.has(name) && !isTest));
    if (others.length === 0) return folder;
    const named = firstFew(others, MOST_NAMED);
    throw new Error(`${folder} holds other things (${named}): name an empty folder, or one of an earlier test`);
  };

/** An empty page is one that a test was about to write: there is nothing in it to lose. */
function isOurs(folder: string): boolean {
  const page = readFileSync(join(folder, REPORT_FILES.index), 'utf8');
  return page === '' || page.includes(GENERATOR);
}
