import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { thisProcess } from '../../../../src/base/process/process-identity.js';
import { lineOf } from '../../../../src/runner/dialing/do-not-call/list-change.js';
import { DoNotCallFile } from '../../../../src/runner/dialing/do-not-call/list-file.js';
import { repairList } from '../../../../src/runner/dialing/do-not-call/repair-list.js';
import { ListFolder } from './list-folder.js';

const [A, B, C] = ['+12025550101', '+442079460958', '+4930901820'] as const;
const DAMAGED = { code: 'VB_DO_NOT_CALL_DAMAGED' };
const listed = (number: string) => ({ number, how: 'said', callId: 'out_1' }) as const;

let folder: ListFolder;
beforeEach(() => {
  folder = new ListFolder();
});
afterEach(() => folder[Symbol.dispose]());
const open = () => new DoNotCallFile(folder.path);

test('keeps who, when and in which call, for the next process too, and for this user alone', async () => {
  await open().add([listed(A), { number: B, how: 'operator' }], 1_000);
  const next = open();
  expect(next.get(A)).toEqual({ number: A, at: 1_000, how: 'said', callId: 'out_1' });
  expect(next.get(B)).toEqual({ number: B, at: 1_000, how: 'operator' });
  expect(next.get(C)).toBeUndefined();
  expect(next.size).toBe(2);
  expect(statSync(folder.path).mode & 0o777).toBe(0o600);
  expect(statSync(folder.folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder.folder)).toEqual(['list.ndjson']); // no lock is left
});

test('a number that is on the list stays as it was, and is written once', async () => {
  const file = open();
  expect(await file.add([listed(A), listed(A)], 1_000)).toHaveLength(1);
  expect(await file.add([{ number: A, how: 'import' }], 2_000)).toEqual([]);
  expect(file.get(A)).toMatchObject({ at: 1_000, how: 'said' });
  expect(folder.text.split('\n')).toHaveLength(2);
});

test('another process sees at its next look what was added and taken off', async () => {
  const [one, other] = [open(), open()];
  expect(other.get(A)).toBeUndefined();
  await one.add([listed(A)]);
  expect(other.get(A)).toMatchObject({ number: A });
  await other.remove([A, B]);
  expect(one.get(A)).toBeUndefined();
  await one.add([listed(A)]);
  expect(other.get(A)).toMatchObject({ number: A });
});

test('many who write at once all find their numbers there', async () => {
  const files = [open(), open(), open()];
  const numberOf = (index: number) => `+1202555${String(index).padStart(4, '0')}`;
  await Promise.all(Array.from({ length: 60 }, (_, index) => files[index % 3]?.add([listed(numberOf(index))])));
  for (const file of files) expect(file.size).toBe(60);
  expect(folder.text.split('\n')).toHaveLength(61);
});

test('a person who asks again is on the list, whatever the clock says that has taken the number off', async () => {
  const file = open();
  await file.add([listed(A)], 5_000);
  await file.remove([A], 1_000);
  expect(file.get(A)).toBeUndefined();
  await file.add([listed(A)], 2_000);
  expect(open().get(A)).toBeDefined();
});

test('an old copy that has a number does not bring it back, and a new one does', async () => {
  const file = open();
  await file.add([listed(A)], 1_000);
  await file.remove([A], 2_000);
  await file.merge([{ ...listed(A), at: 1_000 }]);
  expect(file.get(A)).toBeUndefined();
  await file.merge([{ ...listed(A), at: 3_000 }]);
  expect(file.get(A)).toBeDefined();
  await file.merge([{ number: A, at: 3_000, off: true }]); // of the same time: the person counts
  expect(file.get(A)).toBeDefined();
});

test('a last line that a crash has cut off is no damage, and what is added then is whole', async () => {
  await open().add([listed(A), listed(B)]);
  truncateSync(folder.path, statSync(folder.path).size - 10);
  const next = open();
  expect([next.get(A) !== undefined, next.get(B)]).toEqual([true, undefined]);
  await next.add([listed(C)]);
  expect(
    open()
      .entries()
      .map(({ number }) => number),
  ).toEqual([A, C]);
});

test('a last line without its end, as an editor leaves it, counts', async () => {
  await open().add([listed(A)]);
  appendFileSync(folder.path, lineOf({ ...listed(B), at: 1 }).trimEnd());
  expect(open().get(B)).toBeDefined();
  await open().add([listed(C)]);
  expect(open().size).toBe(3);
});

test.each([
  ['a line that is no JSON', '{"number":"+12025550101","at":1,"how":"sa\n'],
  ['a line of another kind', '{"number":"+12025550101","at":1,"how":"rumour"}\n'],
  ['a number that is none', '{"number":"12025550101","at":1,"how":"said"}\n'],
  ['zeros, as a lost block leaves them', `${'\0'.repeat(64)}\n`],
])(
  '%s is damage: nothing is looked up or written, and the message names the line and the cure',
  async (_what, line) => {
    await open().add([listed(A)]);
    appendFileSync(folder.path, line);
    await expect(open().add([listed(B)])).rejects.toMatchObject(DAMAGED);
    const file = open();
    for (const look of [() => file.get(A), () => file.get(C), () => file.size]) {
      expect(look).toThrow(
        expect.objectContaining({
          ...DAMAGED,
          message: expect.stringContaining('line 2'),
          hint: expect.stringContaining('npx voicebot do-not-call repair'),
        }),
      );
    }
  },
);

test('damage that comes while the list is in use is seen, and gone when it is repaired', async () => {
  const file = open();
  await file.add([listed(A), listed(B)]);
  const good = folder.text;
  writeFileSync(folder.path, good.replace('"number":"+44', '"numb_r":"+44'));
  expect(() => file.get(A)).toThrow(expect.objectContaining(DAMAGED));
  const { lines, aside, kept } = await repairList(folder.path);
  expect(lines).toEqual([{ line: 2 }]);
  expect(kept).toBe(1);
  expect(aside).toMatch(/list\.ndjson\.damaged-/);
  expect(file.get(A)).toBeDefined();
  expect(file.get(B)).toBeUndefined();
});

test('a repair keeps a number from being called that can still be read in a damaged line', async () => {
  await open().add([listed(A), listed(B)]);
  writeFileSync(folder.path, folder.text.replace('"at"', '"a'));
  const { lines, kept } = await repairList(folder.path);
  expect(lines).toEqual([{ line: 1, number: A }]);
  expect(kept).toBe(2);
  expect(open().get(A)).toMatchObject({ how: 'operator' });
});

test('a repair of a list that is whole, or not there, changes nothing', async () => {
  mkdirSync(folder.folder);
  expect(await repairList(folder.path)).toEqual({ kept: 0, lines: [], aside: undefined });
  await open().add([listed(A)]);
  const before = folder.text;
  expect(await repairList(folder.path)).toEqual({ kept: 1, lines: [], aside: undefined });
  expect(folder.text).toBe(before);
});

test('a list that cannot be read is damaged', () => {
  mkdirSync(folder.path, { recursive: true });
  expect(() => open().get(A)).toThrow(expect.objectContaining(DAMAGED));
});

test('a list that was removed under our hands is still known, and written again', async () => {
  const file = open();
  await file.add([listed(A)]);
  rmSync(folder.path);
  expect(file.get(A)).toBeDefined();
  await file.add([listed(B)]);
  expect(open().size).toBe(2);
});

test('tells what another process has written, and not what it has written itself', async () => {
  const told: string[] = [];
  const file = new DoNotCallFile(folder.path, (changes) => told.push(...changes.map(({ number }) => number)));
  await file.add([listed(A)]);
  await open().add([listed(B)]);
  expect(file.size).toBe(2);
  expect(told).toEqual([B]);
});

test('the lock of a process that is gone holds nothing up', async () => {
  mkdirSync(folder.folder);
  writeFileSync(`${folder.path}.lock`, JSON.stringify({ id: 'a', ...thisProcess(), pid: 999_999_999 }));
  await open().add([listed(A)]);
  expect(open().size).toBe(1);
});

test('100,000 numbers are read, looked up and added to', async () => {
  const numberOf = (index: number) => `+1202${5_550_000 + index}`;
  const count = 100_000;
  const lines = Array.from({ length: count }, (_, index) => lineOf({ ...listed(numberOf(index)), at: index }));
  mkdirSync(folder.folder);
  writeFileSync(folder.path, lines.join(''));
  const file = open();
  expect(file.size).toBe(count);
  for (let index = 0; index < 1_000; index += 1) expect(file.get(numberOf(index * 100))?.at).toBe(index * 100);
  await file.add([listed('+442079460958')]);
  expect(open().size).toBe(count + 1);
}, 30_000);
