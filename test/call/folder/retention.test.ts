import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { thisProcess } from '../../../src/base/process/process-identity.js';
import { callFolderName } from '../../../src/call/folder/folder-name.js';
import { removeOldFolders } from '../../../src/call/folder/retention.js';
import { FolderUnderTest, RECORD } from './folder-under-test.js';
import { TemporaryFolder } from './recorded-line.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** The folder of a call that was so many days ago; each is larger than half a mebibyte. */
function folderOf(directory: string, id: string, daysAgo: number): FolderUnderTest {
  const at = Date.now() - daysAgo * DAY_MS;
  const folder = new FolderUnderTest(directory, callFolderName(id, at));
  folder.write('audio.wav', Buffer.alloc(600_000));
  utimesSync(folder.path, at / 1_000, at / 1_000);
  return folder;
}

const left = (directory: string) =>
  readdirSync(directory)
    .map((name) => name.slice(11))
    .sort();

test('folders go by their day, the rest by size, the oldest first', async () => {
  using directory = new TemporaryFolder();
  for (const [id, daysAgo] of [
    ['a', 9],
    ['b', 3],
    ['c', 2],
    ['d', 1],
    ['e', 0],
  ] as const)
    folderOf(directory.path, id, daysAgo);
  await removeOldFolders(directory.path, { days: 7, mebibytes: 0 });
  expect(left(directory.path)).toEqual(['b', 'c', 'd', 'e']);
  await removeOldFolders(directory.path, { days: 7, mebibytes: 2 });
  expect(left(directory.path)).toEqual(['c', 'd', 'e']);
  await removeOldFolders(directory.path, { days: 0, mebibytes: 1 });
  expect(left(directory.path)).toEqual(['e']);
});

test('that of a live call stays, and so does what is not ours', async () => {
  using directory = new TemporaryFolder();
  const live = folderOf(directory.path, 'live', 20);
  live.write('call.json', JSON.stringify({ version: 1, ...RECORD, state: 'connected', runner: thisProcess() }));
  const growing = folderOf(directory.path, 'growing', 20);
  growing.write('call.json', JSON.stringify({ version: 1, ...RECORD, state: 'connected' }));
  utimesSync(join(growing.path, 'audio.wav'), new Date(), new Date());
  folderOf(directory.path, 'left', 20).write('call.json', '');
  mkdirSync(join(directory.path, 'my notes'));
  await removeOldFolders(directory.path, { days: 7, mebibytes: 1 });
  expect(readdirSync(directory.path)).toContain('my notes');
  expect(left(directory.path)).toEqual(['', 'growing', 'live'].map((name) => name).sort());
});

test('nothing is removed without limits, and where there is nothing', async () => {
  using directory = new TemporaryFolder();
  folderOf(directory.path, 'a', 400);
  await removeOldFolders(directory.path, { days: 0, mebibytes: 0 });
  expect(left(directory.path)).toEqual(['a']);
  await removeOldFolders(join(directory.path, 'nowhere'), { days: 1, mebibytes: 1 });
});
