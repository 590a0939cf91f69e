import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { identityOf } from '../../../src/base/process/process-identity.js';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import {
  isRecordingRemoved,
  removedCalls,
  removeRecording,
  removeRecordings,
} from '../../../src/call/folder/removed-recording.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { CALL_ID, FolderUnderTest, RECORD } from './folder-under-test.js';
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
const recordOf = ({ path }: FolderUnderTest) => JSON.parse(readFileSync(join(path, 'call.json'), 'utf8'));
const goneProcess = () => spawnSync(process.execPath, ['--version']).pid;
/** As a runner does at its start. */
const finishRemovals = async () => removeRecordings(directory.path, await removedCalls(directory.path));

test('what tells of what was said goes, with its drafts; the record stays, and says so', async () => {
  folder.write('transcript.json.123.draft', '{}');
  removeRecording(folder.path);
  removeRecording(folder.path);
  expect(names()).toEqual(LEFT);
  const { audio, transcript, missing } = await readCallFolder(folder.path);
  expect([audio, transcript]).toEqual([undefined, []]);
  expect(missing).toEqual(['The recording was removed, since a party has objected to it.']);
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
  expect(await removedCalls(directory.path)).toEqual([CALL_ID]);
  await finishRemovals();
  expect(names()).toEqual(LEFT);
  expect(recordOf(folder)).toMatchObject({ ...RECORD, recordingRemovedAt: expect.any(Number) });
  expect(readdirSync(other.path)).toEqual(before);
});

test('what cannot be removed fails it, and goes at the next try', async () => {
  const stuck = join(folder.path, 'audio.wav.stuck');
  mkdirSync(stuck);
  writeFileSync(join(stuck, 'file'), '');
  expect(() => removeRecording(folder.path)).toThrow();
  await finishRemovals();
  expect(names()).toContain('audio.wav.stuck');
  rmSync(join(stuck, 'file'));
  rmdirSync(stuck);
  await finishRemovals();
  expect(names()).toEqual(LEFT);
});

test('calls that are over, with those linked with them: nothing of what was said is left, and their records say so', async () => {
  const legs = ['leg-1', 'leg-2'].map((id) => new FolderUnderTest(directory.path, `2026-11-23-${id}`));
  const other = new FolderUnderTest(directory.path, '2026-11-23-another-call');
  const summary = { lastWords: { speaker: 'caller', text: 'My name is Ada.' } };
  folder.write(
    'call.json',
    JSON.stringify({ version: 1, ...RECORD, consulted: ['leg-1', 'leg-2'], summary, later: 1 }),
  );
  for (const leg of legs) leg.write('call.json', JSON.stringify({ version: 1, ...RECORD, linkedTo: CALL_ID }));
  const all = await removeRecordings(directory.path, ['leg-2']);
  expect(all.toSorted()).toEqual([CALL_ID, 'leg-1', 'leg-2'].toSorted());
  for (const removed of [folder, ...legs]) {
    expect(readdirSync(removed.path).sort()).toEqual(LEFT);
    expect(recordOf(removed)).toMatchObject({ state: 'ended', recordingRemovedAt: expect.any(Number) });
  }
  expect(recordOf(folder)).toMatchObject({ later: 1 });
  expect(recordOf(folder)).not.toHaveProperty('summary');
  expect(readdirSync(other.path)).toContain('audio.wav');
  const before = recordOf(folder);
  await removeRecordings(directory.path, ['leg-2', 'unknown']);
  expect(recordOf(folder)).toEqual(before);
});

test.each([
  ['another runner that is there', () => process.ppid, false],
  ['this process', () => process.pid, false],
  ['a runner that is gone', () => goneProcess(), true],
])('the record of a linked call that goes on at %s is changed: %#', async (_, pid, isChanged) => {
  const { endedAt: _at, endReason: _why, ...record } = RECORD;
  const live = { version: 1, ...record, state: 'connected', startedAt: Date.now(), linkedTo: 'leg-1' };
  folder.write('call.json', JSON.stringify({ ...live, runner: identityOf(pid()) }));
  const leg = new FolderUnderTest(directory.path, '2026-11-23-leg-1');
  leg.write('call.json', JSON.stringify({ version: 1, ...RECORD, id: 'leg-1', consulted: [CALL_ID] }));
  expect(await removeRecordings(directory.path, ['leg-1'])).toEqual(['leg-1', CALL_ID]);
  expect(names()).toEqual(LEFT);
  expect(recordOf(folder).recordingRemovedAt !== undefined).toBe(isChanged);
});

test('a call that went on at another runner keeps no last words here', async () => {
  const { endedAt: _at, endReason: _why, ...record } = RECORD;
  const summary = { lastWords: { speaker: 'caller', text: 'My name is Ada.' } };
  const left = { version: 1, ...record, state: 'connected', startedAt: Date.now(), summary };
  folder.write('call.json', JSON.stringify({ ...left, runner: identityOf(process.ppid) }));
  await removeRecordings(directory.path, [CALL_ID]);
  expect(recordOf(folder)).toMatchObject({ recordingRemovedAt: expect.any(Number) });
  expect(recordOf(folder)).not.toHaveProperty('summary');
});

test('with thousands of folders the process does other things meanwhile', async () => {
  for (let n = 0; n < 3_000; n += 1) mkdirSync(join(directory.path, `2026-11-24-call-${n}`));
  removeRecording(folder.path);
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 1);
  expect(await removedCalls(directory.path)).toEqual([CALL_ID]);
  clearInterval(others);
  expect(turns).toBeGreaterThan(5);
});
