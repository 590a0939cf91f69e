import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { localDay } from '../../../src/base/process/local-day.js';
import {
  callFolderName,
  callFolderNames,
  callFoldersDirectory,
  findCallFolders,
} from '../../../src/call/folder/folder-name.js';
import { TemporaryFolder } from './recorded-line.js';

const NOON = new Date(2026, 0, 31, 12).getTime();

test('the day by the clock of this machine, and the identifier', () => {
  expect(callFolderName('out_abc-DEF_123', NOON)).toBe('2026-01-31-out_abc-DEF_123');
  expect(callFolderName('x', new Date(2026, 0, 31, 0, 1).getTime())).toBe('2026-01-31-x');
  expect(localDay(new Date(2026, 8, 5))).toBe('2026-09-05');
});

test.each(['..', '../../etc/passwd', 'a/b', 'a\\b', 'v3:abc.def', '', 'a b', 'ä', 'a'.repeat(65), 'a\0b', 'a\nb'])(
  'an identifier that is no name gives its hash: %j',
  (id) => {
    const name = callFolderName(id, NOON);
    expect(name).toMatch(/^2026-01-31-x[0-9a-f]{32}$/);
    expect(callFolderName(`${id}.`, NOON)).not.toBe(name);
  },
);

test('folders are found by the identifier, or by a beginning of it', async () => {
  using directory = new TemporaryFolder();
  const calls = callFoldersDirectory(directory.path);
  const names = ['2026-01-30-abc1', '2026-01-31-abc2', '2026-01-31-abc22', callFolderName('v3:x', NOON)];
  for (const name of [...names, 'notes', '.hidden', '2026-01-31-']) mkdirSync(join(calls, name), { recursive: true });
  const find = async (id: string) => (await findCallFolders(directory.path, id)).map((path) => basename(path)).sort();

  expect((await callFolderNames(calls)).sort()).toEqual([...names].sort());
  expect(await find('abc1')).toEqual(['2026-01-30-abc1']);
  expect(await find('abc2')).toEqual(['2026-01-31-abc2']); // though another begins with it
  expect(await find('abc')).toEqual(names.slice(0, 3));
  expect(await find('v3:x')).toEqual([names[3]]);
  expect(await find('..')).toEqual([]);
  expect(await find('')).toEqual([]);
});

test('a directory that is not there has none', async () => {
  using directory = new TemporaryFolder();
  expect(await callFolderNames(join(directory.path, 'nowhere'))).toEqual([]);
  expect(await findCallFolders(directory.path, 'x')).toEqual([]);
});
