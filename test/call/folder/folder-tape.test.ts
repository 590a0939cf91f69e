import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeWav } from '../../../src/base/audio/wav.js';
import { DiskThread } from '../../../src/call/folder/disk-thread.js';
import { FolderTape, type FolderTapeOptions } from '../../../src/call/folder/folder-tape.js';
import { until } from '../../e2e/processes.js';
import { HungDisk } from './hung-disk.js';
import { FRAME, TemporaryFolder } from './recorded-line.js';

let folder: TemporaryFolder;
let failures: Error[];

beforeEach(() => {
  folder = new TemporaryFolder();
  failures = [];
});

afterEach(() => folder[Symbol.dispose]());

const thread = new DiskThread();
const path = () => join(folder.path, 'call', 'audio.wav');
const open = (options: Partial<FolderTapeOptions> = {}) =>
  new FolderTape({
    path: path(),
    startedAt: Date.now(),
    delayMs: 0,
    disk: thread,
    onStarted: () => {},
    onFailed: (error) => failures.push(error),
    ...options,
  });
const frame = (value: number) => new Int16Array(FRAME).fill(value);
/** Which values stand in a channel, without repetitions. */
const valuesIn = (pcm: Int16Array | undefined) => [...(pcm ?? [])].filter((value, n, all) => value !== all[n - 1]);

test('the thread records both sides, paused where they are', async () => {
  const rates: number[] = [];
  const tape = open({ startedAt: Date.now() - 100, onStarted: (rate) => rates.push(rate) });
  tape.pause();
  tape.resume();
  for (let n = 1; n <= 5; n += 1) tape.received(frame(n), 8_000);
  tape.sent(frame(-1), 8_000);
  tape.received(frame(6), 8_000);
  tape.sent(frame(-2), 8_000);
  tape.pause();
  tape.received(frame(7), 8_000);
  tape.resume();
  tape.sent(frame(-3), 8_000);
  tape.received(frame(8), 8_000);
  await tape.close();
  tape.received(frame(9), 8_000);
  expect(rates).toEqual([8_000]);
  const { channels, sampleRate } = decodeWav(readFileSync(path()));
  expect(sampleRate).toBe(8_000);
  expect(valuesIn(channels[0]).filter(Boolean)).toEqual([1, 2, 3, 4, 5, 6, 8]);
  expect(valuesIn(channels[1]).filter(Boolean)).toEqual([-1, -3]);
});

test('what is paused before the first audio is silent', async () => {
  const tape = open();
  tape.pause();
  tape.received(frame(1), 8_000);
  await tape.close();
  expect(valuesIn(decodeWav(readFileSync(path())).channels[0]).filter(Boolean)).toEqual([]);
});

test('is on the disk within a second, while the call goes on', async () => {
  const tape = open();
  for (let n = 0; n < 60; n += 1) tape.received(frame(n + 1), 8_000);
  await until(() => failures.length > 0 || sizeOf(path()) > 44 + 1_000, 'the first page is written');
  expect(failures).toEqual([]);
  await tape.close();
});

describe('words that are watched', () => {
  const loud = new Int16Array(FRAME).fill(5_000);
  const startedAt = Date.now() - 1_000;
  /** One frame of each side, fifty of a second. */
  const pass = (tape: FolderTape, frames: number, bot?: Int16Array) => {
    for (let n = 0; n < frames; n += 1) {
      if (bot) tape.sent(bot, 8_000);
      tape.received(frame(1), 8_000);
    }
  };

  test('are found at the times of the recording, and are on the disk then', async () => {
    const tape = open({ startedAt });
    pass(tape, 5, loud);
    tape.watchWords();
    pass(tape, 3, frame(0));
    pass(tape, 10, loud);
    pass(tape, 2, frame(0));
    const found = await tape.findWords();
    const right = decodeWav(readFileSync(path())).channels[1] as Int16Array;
    const begin = right.findIndex((sample, n) => n > 6 * FRAME && Math.abs(sample) > 200);
    expect(found?.from).toBeGreaterThan(startedAt);
    expect((found?.to ?? 0) - (found?.from ?? 0)).toBeCloseTo(200, 5);
    const recordedFrom = right.findLastIndex((sample) => Math.abs(sample) > 200) + 1 - 10 * FRAME;
    expect(begin).toBeGreaterThan(0);
    expect(found?.from).toBeCloseTo(startedAt + recordedFrom / 8, 5);
    await tape.close();
  });

  test('may be watched from before the first audio', async () => {
    const tape = open({ startedAt });
    tape.watchWords();
    pass(tape, 4, loud);
    expect(await tape.findWords()).toMatchObject({ from: expect.any(Number) });
    await tape.close();
  });

  test.each<[string, (tape: FolderTape) => void]>([
    ['that were not watched', (tape) => pass(tape, 5, loud)],
    [
      'of which some is not recorded',
      (tape) => {
        tape.watchWords();
        pass(tape, 5, loud);
        tape.pause();
        pass(tape, 5, loud);
        tape.resume();
        pass(tape, 5, loud);
      },
    ],
    [
      'while nothing is recorded',
      (tape) => {
        tape.watchWords();
        pass(tape, 5, loud);
        tape.pause();
      },
    ],
    [
      'without a sound',
      (tape) => {
        tape.watchWords();
        pass(tape, 5, frame(0));
      },
    ],
    ['before anything was recorded', (tape) => tape.watchWords()],
  ])('are not found %s', async (_what, happen) => {
    const tape = open({ startedAt });
    happen(tape);
    expect(await tape.findWords()).toBeUndefined();
    await tape.close();
  });

  test('are waited for no longer than half a second where the disk hangs, nor when the recording is over', async () => {
    const disk = new HungDisk(thread);
    const tape = open({ disk, startedAt });
    tape.watchWords();
    pass(tape, 5, loud);
    const since = performance.now();
    expect(await tape.findWords()).toBeUndefined();
    expect(performance.now() - since).toBeGreaterThan(400);
    disk.goOn();
    await tape.close();
    expect(await tape.findWords()).toBeUndefined();
  });
});

test('wants a mark where speech begins', () => {
  jest.useFakeTimers();
  const tape = open({ disk: new HungDisk(thread) });
  const say = (frames: number) => Array.from({ length: frames }, () => tape.sent(frame(1), 8_000));
  expect(say(3)).toEqual([true, false, false]);
  jest.advanceTimersByTime(60 + 190);
  expect(say(2)).toEqual([false, false]);
  jest.advanceTimersByTime(40 + 210);
  expect(say(2)).toEqual([true, false]);
  tape.cleared();
  expect(say(2)).toEqual([true, false]);
  tape.streamOver();
  expect(say(2)).toEqual([true, false]);
  jest.useRealTimers();
});

describe('a disk that takes nothing', () => {
  test('ends the recording once', async () => {
    writeFileSync(join(folder.path, 'call'), '');
    const tape = open({ startedAt: Date.now() - 3_000 });
    for (let n = 0; n < 100; n += 1) tape.received(frame(1), 8_000);
    await until(() => failures.length > 0, 'the recording has failed');
    tape.received(frame(1), 8_000);
    tape.sent(frame(1), 8_000);
    tape.cleared();
    await tape.close();
    expect(failures).toMatchObject([{ code: 'ENOTDIR' }]);
  });

  test('and hangs does so when 16 s of both sides wait for it', async () => {
    const disk = new HungDisk(thread);
    const tape = open({ disk });
    const pass = (frames: number) => {
      for (let n = 0; n < frames; n += 1) {
        tape.received(frame(1), 8_000);
        tape.sent(frame(1), 8_000);
      }
    };
    pass(700);
    expect(failures).toEqual([]);
    pass(110);
    expect(failures).toMatchObject([{ message: 'the disk is too slow' }]);
    disk.goOn();
    await tape.close();
  });
});

function sizeOf(file: string): number {
  try {
    return readFileSync(file).length;
  } catch {
    return 0;
  }
}
