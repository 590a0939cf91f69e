import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiskThread } from '../../src/call-folder/disk-thread.js';
import { HungDisk } from './hung-disk.js';
import { RecordedLine, TemporaryFolder } from './recorded-line.js';

let folder: TemporaryFolder;

beforeEach(() => {
  folder = new TemporaryFolder();
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});

afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
  folder[Symbol.dispose]();
});

test('left is the caller as received, right the bot behind what was received before', async () => {
  const line = new RecordedLine(folder.path);
  line.hear(100, (frame) => frame === 9 && line.say(3));
  await line.recorder.close();
  expect(line.read()).toEqual({ caller: '0..99', bot: '-x10 0..2 -x87' });
  expect(line.rates).toEqual([8_000]);
  expect(statSync(line.path).mode & 0o777).toBe(0o600);
});

test('what the far end still holds is played on, and cut where it is told to drop it', async () => {
  const line = new RecordedLine(folder.path);
  line.hear(60, (frame) => {
    if (frame === 9) line.say(20);
    if (frame === 19) line.recorder.cleared();
    if (frame === 29) line.say(5);
  });
  await line.recorder.close();
  expect(line.read().bot).toBe('-x10 0..9 -x10 20..24 -x25');
});

test('where the far end is far away, speech begins and is cut later', async () => {
  const line = new RecordedLine(folder.path, { delayMs: 100 });
  line.hear(60, (frame) => {
    if (frame === 9) line.say(20);
    if (frame === 19) line.recorder.cleared();
  });
  await line.recorder.close();
  expect(line.read().bot).toBe('-x15 0..9 -x35');
});

describe('marks that come back', () => {
  test('say when speech has begun, and where it is cut', async () => {
    const line = new RecordedLine(folder.path);
    line.hear(60, (frame) => {
      if (frame === 9) line.say(20);
      if (frame === 13) line.recorder.played('1'); // it plays since 3 frames after it seemed to
      if (frame === 19) line.recorder.cleared();
      if (frame === 21) line.recorder.dropped();
    });
    await line.recorder.close();
    expect(line.marks).toBe(1);
    expect(line.read().bot).toBe('-x13 0..8 -x38');
  });

  test('are remembered for what is said next', async () => {
    const line = new RecordedLine(folder.path);
    line.hear(160, (frame) => {
      if (frame % 40 === 9) line.say(4);
      if (frame % 40 === 13 && frame < 120) line.recorder.played(`${line.marks}`); // the fourth never comes
    });
    await line.recorder.close();
    expect(line.marks).toBe(4);
    expect(line.read().bot).toBe('-x13 0..3 -x36 4..7 -x36 8..11 -x35 12..15 -x24');
  });

  test('tell of a gap that only the far end has heard', async () => {
    const line = new RecordedLine(folder.path);
    line.hear(100, (frame) => {
      if (frame % 5 === 4 && frame < 50) line.say(5);
      if (frame === 5) line.recorder.played('1');
      if (frame === 24) line.mark(); // behind 25 frames
      if (frame === 34) line.recorder.played('2'); // 5 frames late
    });
    await line.recorder.close();
    const { bot } = line.read();
    expect(bot).toMatch(/^-x5 0\.\.\d+ -x5 \d+\.\.49 -x40$/);
  });

  test('change nothing that is written, and nothing when they come from an earlier stretch', async () => {
    const line = new RecordedLine(folder.path);
    line.hear(150, (frame) => {
      if (frame === 9) line.say(100);
      if (frame === 80) line.recorder.played('1');
      if (frame === 120) line.recorder.played('0');
    });
    await line.recorder.close();
    expect(line.read().bot).toBe('-x10 0..99 -x40');
  });

  test('in a burst after a stall stand where they came', async () => {
    const line = new RecordedLine(folder.path);
    line.hear(20, (frame) => frame === 9 && line.say(20));
    jest.advanceTimersByTime(400);
    line.burst(2);
    line.recorder.played('1');
    line.burst(18);
    line.hear(20);
    await line.recorder.close();
    expect(line.read()).toEqual({
      caller: '0..59',
      bot: '-x10 0..19 -x30'.replace('-x10', '-x21').replace('x30', 'x19'),
    });
  });
});

test('a burst after a stall is contiguous, and nothing of it counts twice', async () => {
  const line = new RecordedLine(folder.path);
  line.hear(20, (frame) => frame === 19 && line.say(5));
  jest.advanceTimersByTime(2_000);
  line.burst(100);
  line.hear(20);
  await line.recorder.close();
  expect(line.read()).toEqual({ caller: '0..139', bot: '-x20 0..4 -x115' });
});

test('a burst that comes bit by bit is contiguous too', async () => {
  const line = new RecordedLine(folder.path);
  line.hear(20);
  jest.advanceTimersByTime(1_000);
  for (let bit = 0; bit < 10; bit += 1) {
    line.burst(6);
    jest.advanceTimersByTime(20);
  }
  line.hear(20);
  await line.recorder.close();
  expect(line.read().caller).toBe('0..99');
});

test('a stall that no burst follows was silence', async () => {
  const line = new RecordedLine(folder.path);
  line.hear(20);
  jest.advanceTimersByTime(1_480);
  line.hear(20);
  await line.recorder.close();
  expect(line.read().caller).toBe('0..19 -x74 20..39');
});

test('time goes on in a long stall, and what comes of it later is not added to that', async () => {
  const line = new RecordedLine(folder.path);
  line.hear(20);
  line.say(5);
  jest.advanceTimersByTime(7_360); // the clock was looked at 240 ms ago
  line.burst(368);
  line.hear(50);
  await line.recorder.close();
  expect(line.read()).toEqual({ caller: '0..19 -x356 376..437', bot: '-x20 0..4 -x413' });
});

test('a stream that brings nothing is recorded by the clock', async () => {
  const line = new RecordedLine(folder.path);
  jest.advanceTimersByTime(400);
  for (let frame = 0; frame < 10; frame += 1) {
    line.say(1);
    jest.advanceTimersByTime(20);
  }
  jest.advanceTimersByTime(500);
  line.say(1);
  jest.advanceTimersByTime(500);
  await line.recorder.close();
  expect(line.read().bot).toBe('-x20 0..9 -x25 10..10');
});

test('what came while the bot was on its way comes in a burst, and stands where it was said', async () => {
  const line = new RecordedLine(folder.path);
  jest.advanceTimersByTime(1_000);
  line.burst(40);
  line.hear(10, (frame) => frame === 0 && line.say(2));
  await line.recorder.close();
  expect(line.read()).toEqual({ caller: '-x10 0..49', bot: '-x51 0..1 -x7' });
});

test.each([60, 100])(
  'a mark that comes back %d frames after the speech it stands behind changes nothing',
  async (frames) => {
    const line = new RecordedLine(folder.path);
    line.hear(180, (frame) => {
      if (frame === 5) line.say(60);
      if (frame === 5) line.mark();
      if (frame === 7) line.recorder.played('1');
      if (frame === 66 + frames) line.recorder.played('2');
    });
    await line.recorder.close();
    expect(line.read()).toEqual({ caller: '0..179', bot: '-x7 0..59 -x113' });
  },
);

test('a mark that comes back later than what can still be changed costs no speech', async () => {
  const line = new RecordedLine(folder.path);
  line.hear(250, (frame) => {
    if (frame === 5) line.say(60);
    if (frame === 5) line.mark();
    if (frame === 5) line.say(70);
    if (frame === 7) line.recorder.played('1');
    if (frame === 65 + 50) line.recorder.played('2');
  });
  await line.recorder.close();
  const { caller, bot } = line.read();
  expect(caller).toBe('0..249');
  const [, until, from] = /^-x7 0\.\.(\d+) -x\d+ (\d+)\.\.129 -x/.exec(bot)?.map(Number) ?? [];
  expect(from).toBe((until as number) + 1);
});

test('between two streams time goes by the clock, and what the first one had not played is never heard', async () => {
  const line = new RecordedLine(folder.path);
  line.hear(20);
  line.say(10);
  line.hear(4);
  line.recorder.streamOver();
  jest.advanceTimersByTime(1_980);
  line.hear(20, (frame) => frame === 9 && line.say(2));
  await line.recorder.close();
  expect(line.read()).toEqual({ caller: '0..23 -x99 24..43', bot: '-x20 0..3 -x109 10..11 -x8' });
});

test('a bot that takes over goes on in the same file, silence between', async () => {
  const startedAt = Date.now();
  const first = new RecordedLine(folder.path, { startedAt });
  first.hear(50);
  await first.recorder.close();
  jest.advanceTimersByTime(2_000);
  const second = new RecordedLine(folder.path, { startedAt });
  second.said = 50;
  jest.advanceTimersByTime(980);
  second.hear(50);
  await second.recorder.close();
  expect(second.read().caller).toBe('0..49 -x149 50..99');
  const bytes = readFileSync(second.path);
  expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
});

test('a bot that takes over with another rate records nothing', async () => {
  const first = new RecordedLine(folder.path);
  first.hear(50);
  await first.recorder.close();
  const before = readFileSync(first.path);
  const second = new RecordedLine(folder.path);
  second.recorder.received(new Int16Array(320), 16_000);
  await second.recorder.close();
  expect(second.failures).toMatchObject([{ message: expect.stringContaining('8000 Hz') }]);
  expect(readFileSync(first.path)).toEqual(before);
});

test('while it is paused both sides are silent', async () => {
  const line = new RecordedLine(folder.path);
  line.hear(10);
  line.say(40);
  line.hear(10);
  line.recorder.pause();
  line.hear(10);
  line.recorder.resume();
  line.hear(10);
  await line.recorder.close();
  expect(line.read()).toEqual({
    caller: '0..9 10..19 -x10 30..39'.replace('9 10..', ''),
    bot: '-x10 0..9 -x10 20..29',
  });
});

test('a process that is killed loses less than a second, and the header tells the truth', async () => {
  const disk = new DiskThread();
  const line = new RecordedLine(folder.path, { disk });
  for (let second = 0; second < 10; second += 1) {
    line.hear(50);
    await disk.flush();
  }
  const bytes = readFileSync(line.path);
  expect(bytes.length).toBeGreaterThan(44 + 450 * 640);
  expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
  expect(line.read().caller).toMatch(/^0\.\.4[5-9]\d( \?\.\.\?)?$/);
  await line.recorder.close();
});

describe('a disk that takes nothing', () => {
  test('that is full ends the recording once, and the rest goes nowhere', async () => {
    symlinkSync('/dev/full', join(folder.path, 'audio.wav'));
    const disk = new DiskThread();
    const line = new RecordedLine(folder.path, { disk });
    line.hear(100);
    await disk.flush();
    expect(line.failures).toMatchObject([{ code: 'ENOSPC' }]);
    expect(jest.getTimerCount()).toBe(0);
    line.hear(100);
    line.say(5);
    line.recorder.cleared();
    line.recorder.streamOver();
    await line.recorder.close();
    expect(line.failures).toHaveLength(1);
  });

  test('that cannot be opened does so too', async () => {
    writeFileSync(join(folder.path, 'file'), '');
    const line = new RecordedLine(join(folder.path, 'file'));
    line.hear(10);
    await line.recorder.close();
    expect(line.failures).toMatchObject([{ code: 'ENOTDIR' }]);
  });

  test('that hangs does so when many pages wait for it', async () => {
    const disk = new HungDisk(new DiskThread());
    const line = new RecordedLine(folder.path, { disk });
    line.hear(400);
    expect(line.failures).toEqual([]);
    line.hear(100);
    expect(line.failures).toMatchObject([{ message: 'the disk is too slow' }]);
    disk.goOn();
    await line.recorder.close();
  });
});
