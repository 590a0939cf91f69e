import { appendFileSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Disk, DiskThread } from '../../../src/call/folder/disk-thread.js';
import { EventFile, keptOf } from '../../../src/call/folder/event-file.js';
import type { BotEntry, TimelineEvent } from '../../../src/call/timeline.js';
import { until } from '../../e2e/processes.js';
import { HungDisk } from './hung-disk.js';
import { TemporaryFolder } from './recorded-line.js';

let folder: TemporaryFolder;
let failures: Error[];

beforeEach(() => {
  folder = new TemporaryFolder();
  failures = [];
});

afterEach(() => folder[Symbol.dispose]());

const path = () => join(folder.path, 'call', 'events.ndjson');
const thread = new DiskThread();
const open = (where = path(), disk: Disk = thread) =>
  new EventFile({ path: where, disk, onFailed: (error) => failures.push(error) });
const output = (line: string): TimelineEvent => ({ at: 1, source: 'runner', type: 'output', line });
const lines = () => readFileSync(path(), 'utf8').split('\n');

test('adds a line for each event, in order, less than a second later', async () => {
  const file = open();
  file.add(output('a'));
  file.add(output('b\nc'));
  await until(() => existsSync(path()) && lines().length === 3, 'both are written');
  expect(lines()).toEqual([JSON.stringify(output('a')), JSON.stringify(output('b\nc')), '']);
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder.path, 'call')).mode & 0o777).toBe(0o700);
  await file.close();
});

test('at the end everything is written at once, and nothing after it', async () => {
  const file = open();
  file.add(output('a'));
  await file.close();
  file.add(output('b'));
  await file.close();
  expect(lines()).toEqual([JSON.stringify(output('a')), '']);
});

test('two processes add to it at once, line by line', async () => {
  const files = [open(), open()];
  for (let n = 0; n < 100; n += 1) {
    for (const [process, file] of files.entries()) file.add(output(`${process} ${n} ${'x'.repeat(500)}`));
    if (n % 10 === 0) await Promise.all(files.map((file) => file.flush()));
  }
  await Promise.all(files.map((file) => file.close()));
  const read = lines()
    .slice(0, -1)
    .map((line) => JSON.parse(line).line as string);
  expect(read).toHaveLength(200);
  for (const process of [0, 1]) {
    const own = read.filter((line) => line.startsWith(`${process} `)).map((line) => Number(line.split(' ')[1]));
    expect(own).toEqual(Array.from({ length: 100 }, (_, n) => n));
  }
});

test('what a killed process has cut off stays apart from what follows', async () => {
  const first = open();
  first.add(output('a'));
  await first.flush();
  appendFileSync(path(), '{"at":1,"sou');
  first.otherIsGone();
  first.add(output('b'));
  await first.close();
  appendFileSync(path(), '{"at":2');
  const second = open();
  second.add(output('c'));
  await second.close();
  const whole = ['a', 'b', 'c'].map((line) => JSON.stringify(output(line)));
  expect(lines()).toEqual([whole[0], '{"at":1,"sou', whole[1], '{"at":2', whole[2], '']);
});

test('what a function has returned that is no JSON leaves the rest of its event', async () => {
  const file = open();
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  file.add({ at: 1, source: 'bot', type: 'tool_called', call: '1', name: 'look', input: circle });
  await file.close();
  expect(JSON.parse(lines()[0] as string)).toEqual({ at: 1, source: 'bot', type: 'tool_called', name: 'look' });
});

test('a full disk is told once', async () => {
  symlinkSync('/dev/full', join(folder.path, 'full'));
  const file = open(join(folder.path, 'full'));
  file.add(output('a'));
  await file.flush();
  file.add(output('b'));
  await file.close();
  expect(failures).toMatchObject([{ code: 'ENOSPC' }]);
});

test('of a line that is too long its head is kept', async () => {
  const file = open();
  file.add({ at: 1, source: 'bot', type: 'tool_called', call: '1', name: 'look', input: 'x'.repeat(200_000) });
  file.add(output('a'));
  await file.close();
  expect(
    lines()
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  ).toEqual([{ at: 1, source: 'bot', type: 'tool_called', name: 'look' }, output('a')]);
});

test('a disk that hangs keeps no more than a mebibyte waiting', async () => {
  const disk = new HungDisk(thread);
  const file = open(path(), disk);
  for (let n = 0; n < 20; n += 1) file.add(output('x'.repeat(50_000)));
  expect(failures).toEqual([]);
  for (let n = 0; n < 10; n += 1) file.add(output('x'.repeat(50_000)));
  expect(failures).toMatchObject([{ message: 'the disk is too slow' }]);
  disk.goOn();
  await file.close();
});

describe('what may be kept of an entry', () => {
  const ENTRIES: Readonly<Record<string, BotEntry>> = {
    said: { type: 'said', speaker: 'caller', text: 'My card number is 4111' },
    saying: { type: 'saying', text: 'You said 4111', startsAt: 5 },
    times: { type: 'word_times', utterance: 1, from: 0, words: [{ text: '4111', startsAt: 5, endsAt: 6 }] },
    interim: { type: 'interim_transcript', text: 'My card is 41' },
    keys: { type: 'keys', direction: 'in', keys: '4111' },
    wire: { type: 'wire', direction: 'out', name: 'dtmf', detail: '41' },
    mark: { type: 'wire', direction: 'out', name: 'mark', detail: 'm1' },
    called: { type: 'tool_called', call: '1', name: 'pay', input: { card: '4111' } },
    returned: { type: 'tool_returned', call: '1', name: 'pay', output: 'paid with 4111', isError: false, ms: 5 },
  };
  const kept = (secrecy: Parameters<typeof keptOf>[1]) =>
    Object.fromEntries(Object.entries(ENTRIES).map(([name, entry]) => [name, keptOf(entry, secrecy)]));

  test('everything is kept as it is, unless somebody says otherwise', () => {
    expect(kept({ hidesTalk: false, maskDigits: false })).toEqual(ENTRIES);
  });

  test('where talk is hidden nothing of what is said, pressed, or given to functions is', () => {
    const now = kept({ hidesTalk: true, maskDigits: false });
    expect(JSON.stringify(now)).not.toContain('41');
    expect(now).toMatchObject({
      said: undefined,
      saying: undefined,
      times: undefined,
      interim: undefined,
      keys: undefined,
      wire: undefined,
      mark: ENTRIES.mark,
    });
    expect(now).toMatchObject({ called: { name: 'pay' }, returned: { name: 'pay', isError: false } });
  });

  test('keys can be masked, each by itself', () => {
    const now = kept({ hidesTalk: false, maskDigits: true });
    expect(now).toMatchObject({
      keys: { keys: '••••' },
      wire: { detail: '••' },
      said: ENTRIES.said,
      mark: ENTRIES.mark,
    });
  });
});

test('the documentation names each kind of event', () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const kinds = [...read('src/call/timeline.ts').matchAll(/readonly type: '(\w+)'/g)].map(([, kind]) => kind);
  expect(kinds.length).toBeGreaterThan(20);
  expect(kinds.filter((kind) => !read('docs/calls.md').includes(`\`${kind}\``))).toEqual([]);
});
