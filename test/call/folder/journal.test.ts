import { JournalMemory, JournalReader, JournalWriter, journalSize } from '../../../src/call/folder/journal.js';

const memoryOf = (bytes: number) => new SharedArrayBuffer(journalSize(bytes));

/** What a reader gets, samples as numbers. */
function entriesOf(reader: JournalReader): unknown[] {
  const entries: unknown[] = [];
  reader.read((entry) => {
    const { kind, at } = entry;
    entries.push({ kind, at, content: kind === 1 ? [...reader.samplesOf(entry)] : reader.textOf(entry) });
  });
  return entries;
}

test('gives what was written, in order, once', () => {
  const writer = new JournalWriter(memoryOf(1_024));
  const reader = new JournalReader(writer.buffer);
  expect(reader.isEmpty).toBe(true);
  expect(writer.writeSamples(1, 12.5, Int16Array.of(1, -2, 3))).toBe(true);
  expect(writer.writeText(2, 13, 'zwölf €')).toBe(true);
  expect(writer.writeText(3, 14, '')).toBe(true);
  expect(reader.isEmpty).toBe(false);
  expect(entriesOf(reader)).toEqual([
    { kind: 1, at: 12.5, content: [1, -2, 3] },
    { kind: 2, at: 13, content: 'zwölf €' },
    { kind: 3, at: 14, content: '' },
  ]);
  expect(entriesOf(reader)).toEqual([]);
});

test('takes as much as is free, then nothing, then as much again when all is read', () => {
  const writer = new JournalWriter(memoryOf(1_024));
  const reader = new JournalReader(writer.buffer);
  const fill = () => {
    let count = 0;
    while (writer.writeSamples(1, count, new Int16Array(100))) count += 1; // 216 bytes each
    return count;
  };
  expect(fill()).toBe(4);
  expect(fill()).toBe(0);
  expect(writer.writeText(2, 0, 'x'.repeat(200))).toBe(false);
  expect(entriesOf(reader)).toHaveLength(4);
  expect(fill()).toBe(4);
  expect(entriesOf(reader)).toHaveLength(4);
});

test('what a reader has failed to read is not free', () => {
  const writer = new JournalWriter(memoryOf(100));
  const reader = new JournalReader(writer.buffer);
  writer.writeText(2, 0, 'x'.repeat(60));
  const fail = () => {
    throw new Error('no');
  };
  expect(() => reader.read(fail)).toThrow('no');
  expect(writer.writeText(2, 0, 'y'.repeat(60))).toBe(false);
});

test('goes on when its numbers begin again', () => {
  const writer = new JournalWriter(memoryOf(200), 2 ** 31 - 10);
  const reader = new JournalReader(writer.buffer);
  for (let n = 0; n < 10; n += 1) {
    expect(writer.writeSamples(1, n, Int16Array.of(n))).toBe(true);
    expect(writer.writeText(2, n, 'and more')).toBe(true);
    expect(entriesOf(reader)).toEqual([
      { kind: 1, at: n, content: [n] },
      { kind: 2, at: n, content: 'and more' },
    ]);
  }
});

describe('the memory of journals', () => {
  test('is used again by the next one of the same size, which finds nothing of the former', () => {
    const memory = new JournalMemory();
    const first = memory.take(1_024);
    const former = new JournalWriter(first);
    former.writeText(2, 1, 'of a call before');
    memory.giveBack(first);
    expect(memory.take(2_048)).not.toBe(first);
    const second = memory.take(1_024);
    expect(second).toBe(first);
    const writer = new JournalWriter(second);
    const reader = new JournalReader(second);
    expect(entriesOf(reader)).toEqual([]);
    writer.writeText(2, 5, 'mine');
    expect(entriesOf(reader)).toEqual([{ kind: 2, at: 5, content: 'mine' }]);
  });

  test('is another one while it is in use', () => {
    const memory = new JournalMemory();
    expect(memory.take(1_024)).not.toBe(memory.take(1_024));
  });
});
