import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFolderFile } from '../../../src/call/folder/folder-file.js';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import { openRecording } from '../../../src/runner/operator/recorded-audio.js';
import { FolderUnderTest } from './folder-under-test.js';
import { TemporaryFolder } from './recorded-line.js';

let directory: TemporaryFolder;
beforeEach(() => {
  directory = new TemporaryFolder();
});
afterEach(() => directory[Symbol.dispose]());

test.each([
  ['a link to another file', (path: string) => symlinkSync(join(directory.path, 'secret'), path), 'ELOOP'],
  ['a link to nothing', (path: string) => symlinkSync(join(directory.path, 'nothing'), path), 'ELOOP'],
  ['a directory', (path: string) => mkdirSync(path), 'EISDIR'],
])('%s is no file of a call folder: a recording is not there, and the rest is shown', async (_what, put, code) => {
  writeFileSync(
    join(directory.path, 'secret'),
    'RIFF and what is nobody’s business, long enough for a header of a file',
  );
  const folder = new FolderUnderTest(directory.path);
  for (const name of ['audio.wav', 'events.ndjson', 'transcript.json']) {
    const path = join(folder.path, name);
    rmSync(path);
    put(path);
    await expect(openFolderFile(path)).rejects.toMatchObject({ code });
  }
  expect(await openRecording(join(folder.path, 'audio.wav'))).toBeUndefined();
  const { record, audio, missing } = await readCallFolder(folder.path);
  expect(audio).toBeUndefined();
  expect(record.endReason).toBe('caller_hung_up');
  expect(missing).toContain(`events.ndjson cannot be read (${code}).`);
});
