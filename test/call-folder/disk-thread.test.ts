import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DiskThread } from '../../src/call-folder/disk-thread.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { TemporaryFolder } from './recorded-line.js';

let folder: TemporaryFolder;

beforeEach(() => {
  folder = new TemporaryFolder();
});

afterEach(() => folder[Symbol.dispose]());

const append = (file: number, path: string, text: string) =>
  ({ do: 'append', file, path, text, mayBeCut: false }) as const;

test('what several files get is written in order, and a file that cannot be written to keeps none of the others', async () => {
  const disk = new DiskThread();
  const [good, bad] = [join(folder.path, 'good'), join('/dev/null', 'bad')];
  const jobs = [append(1, good, 'a'), append(2, bad, 'b'), append(1, good, 'c')].map((job) => disk.run(job));
  await disk.flush();
  const outcomes = await Promise.allSettled(jobs);
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'ENOTDIR' } },
    { status: 'fulfilled' },
  ]);
  expect(readFileSync(good, 'utf8')).toBe('ac');
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
    const done = disk.run(append(1, join(folder.path, 'file'), 'a'));
    await disk.flush();
    await expect(done).rejects.toThrow(message);
  }
});

test('a process whose work is done ends with its thread', async () => {
  const path = join(folder.path, 'file');
  const code = `
    const { DiskThread } = await import(${JSON.stringify(`${PACKAGE_ROOT}dist/call-folder/disk-thread.js`)});
    await new DiskThread().run(${JSON.stringify(append(1, path, 'a'))});`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { timeout: 10_000 });
  expect(readFileSync(path, 'utf8')).toBe('a');
});
