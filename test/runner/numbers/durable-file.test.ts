import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { deferred } from '../../../src/base/async/deferred.js';
import { thisProcess } from '../../../src/base/process/process-identity.js';
import { breakLock, LockHeldError, syncFolder, withFileLock } from '../../../src/runner/numbers/durable-file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'voicebot-lock-'));
  path = join(folder, 'number.lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

const LONG = { limitMs: 60_000 };
const DEAD = { id: 'a', pid: 999_999_999, host: hostname() };
const plant = (holder: object | string) =>
  writeFileSync(path, typeof holder === 'string' ? holder : JSON.stringify(holder));

test('lets one after the other in, also when one fails', async () => {
  let inside = 0;
  let most = 0;
  const enter = (n: number) =>
    withFileLock(path, LONG, async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
      if (n % 3 === 0) throw new Error(`failed ${n}`);
      return n;
    });
  const outcomes = await Promise.allSettled(Array.from({ length: 9 }, (_, n) => enter(n)));
  expect(outcomes.map(({ status }) => status)).toEqual(
    Array.from({ length: 9 }, (_, n) => (n % 3 === 0 ? 'rejected' : 'fulfilled')),
  );
  expect(most).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('whoever takes it again and again leaves the others their turns', async () => {
  let taken = 0;
  let hasWaited = false;
  const again = async () => {
    while (!hasWaited && taken < 200) {
      await withFileLock(path, LONG, () => new Promise((resolve) => setTimeout(resolve, 5)));
      taken += 1;
    }
  };
  const busy = again();
  await withFileLock(path, LONG, async () => {});
  hasWaited = true;
  await busy;
  expect(taken).toBeLessThan(100);
});

test('tells who holds it when the wait is over', async () => {
  const done = deferred<void>();
  const first = withFileLock(path, LONG, () => done.promise);
  const late = await withFileLock(path, { limitMs: 0 }, async () => {}).catch((error: unknown) => error);
  expect(late).toBeInstanceOf(LockHeldError);
  expect(late).toMatchObject({ holder: { pid: process.pid, host: hostname() } });
  done.resolve();
  await first;
});

test('stops waiting when it is told to', async () => {
  const done = deferred<void>();
  const first = withFileLock(path, LONG, () => done.promise);
  const giveUp = new AbortController();
  const waiting = withFileLock(path, { ...LONG, signal: giveUp.signal }, async () => {});
  giveUp.abort(new Error('given up'));
  await expect(waiting).rejects.toThrow('given up');
  done.resolve();
  await first;
  expect(readdirSync(folder)).toEqual([]);
});

const old = new Date(Date.now() - 3_600_000);

test.each([
  ['a dead process', DEAD],
  ['a process whose number is ours now', { ...thisProcess(), id: 'a', startTime: 'another' }],
  ['nobody who can be read', '{"id":'],
  ['nobody', ''],
])('is free when it was held by %s', async (_who, holder) => {
  plant(holder);
  if (typeof holder === 'object' && process.platform !== 'linux') utimesSync(path, old, old);
  expect(await withFileLock(path, LONG, async () => 'in')).toBe('in');
  expect(readdirSync(folder)).toEqual([]);
});

test('is held by a process that cannot be seen from here, for a while', async () => {
  plant({ ...DEAD, host: 'another-machine' });
  await expect(withFileLock(path, { limitMs: 0 }, async () => {})).rejects.toThrow(/on another-machine/);
  utimesSync(path, old, old);
  expect(await withFileLock(path, LONG, async () => 'in')).toBe('in');
});

test('of many who find the lock of a dead process, still one at a time gets in', async () => {
  plant(DEAD);
  let inside = 0;
  const enter = () =>
    withFileLock(path, LONG, async () => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise(setImmediate);
      inside -= 1;
    });
  await Promise.all(Array.from({ length: 8 }, enter));
  expect(readdirSync(folder)).toEqual([]);
});

test('is free too when whoever was freeing it was killed', async () => {
  plant(DEAD);
  // What another begins to free it with, whose name comes from what the lock says.
  const { createHash } = await import('node:crypto');
  const breaking = `${path}.${createHash('sha256').update(JSON.stringify(DEAD)).digest('hex').slice(0, 16)}`;
  writeFileSync(breaking, '');
  await expect(withFileLock(path, { limitMs: 0 }, async () => {})).rejects.toBeInstanceOf(LockHeldError);
  utimesSync(breaking, old, old);
  expect(await withFileLock(path, LONG, async () => 'in')).toBe('in');
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock that was taken since it was found to be a dead process's is not broken", () => {
  const found = JSON.stringify(DEAD);
  plant({ ...thisProcess(), id: 'somebody' });
  expect(breakLock(path, found)).toBe(true); // nothing more to do: look again
  expect(readdirSync(folder)).toEqual(['number.lock']);
  plant(found);
  expect(breakLock(path, found)).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

test('does not remove a lock that somebody else has taken from it', async () => {
  const theirs = { ...thisProcess(), id: 'somebody' };
  await withFileLock(path, LONG, async () => plant(theirs));
  expect(readdirSync(folder)).toEqual(['number.lock']);
});

test('a folder is put on the disk, but on Windows, which cannot be asked for that', () => {
  const gone = join(folder, 'gone', 'file');
  expect(() => syncFolder(path, 'linux')).not.toThrow();
  expect(() => syncFolder(gone, 'darwin')).toThrow('ENOENT');
  expect(() => syncFolder(gone, 'win32')).not.toThrow();
});
