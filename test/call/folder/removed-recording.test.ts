import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import { finishRemovals, isRecordingRemoved, removeRecording } from '../../../src/call/folder/removed-recording.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { FolderUnderTest } from './folder-under-test.js';
import { TemporaryFolder } from './recorded-line.js';

const LEFT = ['call.json', 'removed.json'];

let directory: TemporaryFolder;
let folder: FolderUnderTest;

beforeEach(() => {
  directory = new TemporaryFolder();
  folder = new FolderUnderTest(directory.path);
});

afterEach(() => directory[Symbol.dispose]());

const names = () => readdirSync(folder.path).sort();

test('what tells of what was said goes, with its drafts; the record stays, and says so', async () => {
  folder.write('transcript.json.123.draft', '{}');
  removeRecording(folder.path);
  removeRecording(folder.path);
  expect(names()).toEqual(LEFT);
  const { audio, transcript, missing } = await readCallFolder(folder.path);
  expect([audio, transcript]).toEqual([undefined, []]);
  expect(missing).toEqual(['The recording was removed, since the other party has objected to it.']);
});

test('a process that is killed in the middle of it: the next one finishes it, and touches no other call', async () => {
  const other = new FolderUnderTest(directory.path, '2026-11-23-another-call');
  const before = readdirSync(other.path);
  const code = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { rmSync } = fs;
    let removed = 0;
    fs.rmSync = (path, options) => {
      if (removed === 1) process.kill(process.pid, 'SIGKILL');
      removed += 1;
      rmSync(path, options);
    };
    syncBuiltinESMExports();
    const { removeRecording } = await import(${JSON.stringify(`${PACKAGE_ROOT}dist/call/folder/removed-recording.js`)});
    removeRecording(${JSON.stringify(folder.path)});`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  await expect(run).rejects.toMatchObject({ signal: 'SIGKILL' });
  expect(isRecordingRemoved(folder.path)).toBe(true);
  expect(names().length).toBeGreaterThan(LEFT.length);
  await finishRemovals(directory.path);
  expect(names()).toEqual(LEFT);
  expect(readdirSync(other.path)).toEqual(before);
});

test('what cannot be removed fails it, and goes at the next try', async () => {
  const stuck = join(folder.path, 'audio.wav.stuck');
  mkdirSync(stuck);
  writeFileSync(join(stuck, 'file'), '');
  expect(() => removeRecording(folder.path)).toThrow();
  await finishRemovals(directory.path);
  expect(names()).toContain('audio.wav.stuck');
  rmSync(join(stuck, 'file'));
  rmdirSync(stuck);
  await finishRemovals(directory.path);
  expect(names()).toEqual(LEFT);
});
