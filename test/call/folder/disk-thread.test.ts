import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DiskThread } from '../../../src/call/folder/disk-thread.js';
import { EventFile } from '../../../src/call/folder/event-file.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { TemporaryFolder } from './recorded-line.js';

let folder: TemporaryFolder;

beforeEach(() => {
  folder = new TemporaryFolder();
});

afterEach(() => folder[Symbol.dispose]());

test('a file that cannot be written to keeps none of the others', async () => {
  const disk = new DiskThread();
  const failures: Error[] = [];
  const onFailed = (error: Error) => failures.push(error);
  const [good, bad] = [join(folder.path, 'good'), join('/dev/null', 'bad')];
  const files = [bad, good].map((path) => new EventFile({ path, disk, onFailed }));
  for (const file of files) file.add({ at: 1, source: 'runner', type: 'output', line: 'a' });
  for (const file of files) await file.close();
  expect(failures).toMatchObject([{ code: 'ENOTDIR' }]);
  expect(JSON.parse(readFileSync(good, 'utf8'))).toMatchObject({ line: 'a' });
});

test('a file that cannot be replaced stays, and leaves no draft', async () => {
  const disk = new DiskThread();
  const path = join(folder.path, 'call.json');
  await disk.run({ do: 'replace', path, text: 'old' });
  await expect(disk.run({ do: 'replace', path: join(path, 'inside'), text: 'new' })).rejects.toMatchObject({
    code: 'ENOTDIR',
  });
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(existsSync(`${path}.${process.pid}.draft`)).toBe(false);
});

test('a thread that cannot start, or dies, fails what it was given', async () => {
  const dead = new DiskThread(new URL('data:text/javascript,throw new Error("no memory")'));
  const nowhere = new DiskThread(new URL('https://nowhere.invalid/'));
  for (const [disk, message] of [
    [dead, 'no memory'],
    [dead, 'no memory'],
    [nowhere, 'scheme file'],
  ] as const) {
    const failures: Error[] = [];
    const file = new EventFile({ path: join(folder.path, 'file'), disk, onFailed: (error) => failures.push(error) });
    file.add({ at: 1, source: 'runner', type: 'output', line: 'a' });
    await file.close();
    expect(failures).toMatchObject([{ message: expect.stringContaining(message) }]);
  }
});

test('a process whose work is done ends with its thread, also when a file is open', async () => {
  const path = join(folder.path, 'file');
  const code = `
    const { DiskThread } = await import(${JSON.stringify(`${PACKAGE_ROOT}dist/call/folder/disk-thread.js`)});
    const disk = new DiskThread();
    void disk.run({ do: 'add_events', file: 1, path: ${JSON.stringify(path)}, journal: new SharedArrayBuffer(1_024) });
    await disk.run({ do: 'replace', path: ${JSON.stringify(path)}, text: 'a' });`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { timeout: 10_000 });
  expect(readFileSync(path, 'utf8')).toBe('a');
});
