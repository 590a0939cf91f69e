import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProjectFile } from '../../../src/cli/init/project.js';
import { filesInTheWay, writeProject } from '../../../src/cli/init/write-project.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-project-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (...path: string[]) => join(directory, ...path);
const everything = () => (readdirSync(directory, { recursive: true }) as string[]).sort();
const file = (path: string, content: ProjectFile['content'] = path): ProjectFile => ({ path, content });
/** Cannot be written: a file cannot have this content. */
const impossible = (path: string) => file(path, 7 as unknown as string);

test('writes files and the folders they are in', () => {
  writeProject(at('new', 'project'), [file('a'), file('b/c'), file('b/d/e', Buffer.from([1, 2]))], false);
  expect(everything()).toEqual([
    'new',
    'new/project',
    ...['a', 'b', 'b/c', 'b/d', 'b/d/e'].map((path) => `new/project/${path}`),
  ]);
  expect(readFileSync(at('new/project/b/d/e'))).toEqual(Buffer.from([1, 2]));
});

test('what fails half-way leaves nothing behind', () => {
  expect(() => writeProject(at('new', 'project'), [file('a'), file('b/c'), impossible('d')], false)).toThrow(
    'must be of type string',
  );
  expect(everything()).toEqual([]);
});

test('what fails half-way gives back what was replaced', () => {
  writeFileSync(at('a'), 'mine', { mode: 0o600 });
  symlinkSync('nowhere', at('b'));
  mkdirSync(at('c'));
  expect(() => writeProject(directory, [file('a'), file('b'), file('c/d'), impossible('e')], true)).toThrow(
    'must be of type string',
  );
  expect(everything()).toEqual(['a', 'b', 'c']);
  expect(readFileSync(at('a'), 'utf8')).toBe('mine');
  expect(readlinkSync(at('b'))).toBe('nowhere');
});

test('a file that appears after the look is not touched', () => {
  writeFileSync(at('b'), 'mine');
  expect(() => writeProject(directory, [file('a'), file('b')], false)).toThrow(
    expect.objectContaining({ code: 'VB_FILE_EXISTS', message: expect.stringContaining(at('b')) }),
  );
  expect(everything()).toEqual(['b']);
  expect(readFileSync(at('b'), 'utf8')).toBe('mine');
});

test('tells what is in the way, and whether it can give way', () => {
  writeFileSync(at('file'), '');
  symlinkSync('nowhere', at('link'));
  mkdirSync(at('folder'));
  symlinkSync('folder', at('linked'));
  const wanted = ['free', 'file', 'link', 'folder', 'folder/free', 'file/below', 'linked/below', 'new/free'];
  expect([
    ...filesInTheWay(
      directory,
      wanted.map((path) => file(path)),
    ),
  ]).toEqual([
    ['file', false], // also because something has to be below it
    ['link', true],
    ['folder', false],
    ['linked', false],
  ]);
});

test('nothing is in the way where nothing is', () => {
  expect(filesInTheWay(at('nowhere', 'at', 'all'), [file('a/b')]).size).toBe(0);
});
