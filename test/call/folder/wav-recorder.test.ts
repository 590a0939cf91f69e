import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { FRAME, RecordedLine, TemporaryFolder } from './recorded-line.js';

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

test('left is the caller as received, right the bot behind what was received before', () => {
  const line = new RecordedLine(folder.path);
  line.hear(100, (frame) => frame === 9 && line.say(3));
  line.end();
  expect(line.read()).toEqual({ caller: '0..99', bot: '-x10 0..2 -x87' });
  expect(statSync(line.path).mode & 0o777).toBe(0o600);
});

test('what the far end still holds is played on, and cut where it is told to drop it', () => {
  const line = new RecordedLine(folder.path);
  line.hear(60, (frame) => {
    if (frame === 9) line.say(20);
    if (frame === 19) line.clear();
    if (frame === 29) line.say(5);
  });
  line.end();
  expect(line.read().bot).toBe('-x10 0..9 -x10 20..24 -x25');
});

test('where the far end is far away, speech begins and is cut later', () => {
  const line = new RecordedLine(folder.path, { delayMs: 100 });
  line.hear(60, (frame) => {
    if (frame === 9) line.say(20);
    if (frame === 19) line.clear();
  });
  line.end();
  expect(line.read().bot).toBe('-x15 0..9 -x35');
});

describe('marks that come back', () => {
  test('say when speech has begun, and where it is cut', () => {
    const line = new RecordedLine(folder.path);
    line.hear(60, (frame) => {
      if (frame === 9) line.say(20);
      if (frame === 13) line.recorder.played('1'); // it plays since 3 frames after it seemed to
      if (frame === 19) line.clear();
      if (frame === 21) line.recorder.dropped();
    });
    line.end();
    expect(line.marks).toBe(1);
    expect(line.read().bot).toBe('-x13 0..8 -x38');
  });

  test('are remembered for what is said next', () => {
    const line = new RecordedLine(folder.path);
    line.hear(160, (frame) => {
      if (frame % 40 === 9) line.say(4);
      if (frame % 40 === 13 && frame < 120) line.recorder.played(`${line.marks}`); // the fourth never comes
    });
    line.end();
    expect(line.marks).toBe(4);
    expect(line.read().bot).toBe('-x13 0..3 -x36 4..7 -x36 8..11 -x35 12..15 -x24');
  });

  test('tell of a gap that only the far end has heard', () => {
    const line = new RecordedLine(folder.path);
    line.hear(100, (frame) => {
      if (frame % 5 === 4 && frame < 50) line.say(5);
      if (frame === 5) line.recorder.played('1');
      if (frame === 24) line.mark(); // behind 25 frames
      if (frame === 34) line.recorder.played('2'); // 5 frames late
    });
    line.end();
    const { bot } = line.read();
    expect(bot).toMatch(/^-x5 0\.\.\d+ -x5 \d+\.\.49 -x40$/);
  });

  test('change nothing that is written, and nothing when they come from an earlier stretch', () => {
    const line = new RecordedLine(folder.path);
    line.hear(150, (frame) => {
      if (frame === 9) line.say(100);
      if (frame === 80) line.recorder.played('1');
      if (frame === 120) line.recorder.played('0');
    });
    line.end();
    expect(line.read().bot).toBe('-x10 0..99 -x40');
  });

  test('in a burst after a stall stand where they came', () => {
    const line = new RecordedLine(folder.path);
    line.hear(20, (frame) => frame === 9 && line.say(20));
    jest.advanceTimersByTime(400);
    line.burst(2);
    line.recorder.played('1');
    line.burst(18);
    line.hear(20);
    line.end();
    expect(line.read()).toEqual({
      caller: '0..59',
      bot: '-x10 0..19 -x30'.replace('-x10', '-x21').replace('x30', 'x19'),
    });
  });
});

test('a burst after a stall is contiguous, and nothing of it counts twice', () => {
  const line = new RecordedLine(folder.path);
  line.hear(20, (frame) => frame === 19 && line.say(5));
  jest.advanceTimersByTime(2_000);
  line.burst(100);
  line.hear(20);
  line.end();
  expect(line.read()).toEqual({ caller: '0..139', bot: '-x20 0..4 -x115' });
});

test('a burst that comes bit by bit is contiguous too', () => {
  const line = new RecordedLine(folder.path);
  line.hear(20);
  jest.advanceTimersByTime(1_000);
  for (let bit = 0; bit < 10; bit += 1) {
    line.burst(6);
    jest.advanceTimersByTime(20);
  }
  line.hear(20);
  line.end();
  expect(line.read().caller).toBe('0..99');
});

test('a stall that no burst follows was silence', () => {
  const line = new RecordedLine(folder.path);
  line.hear(20);
  jest.advanceTimersByTime(1_480);
  line.hear(20);
  line.end();
  expect(line.read().caller).toBe('0..19 -x74 20..39');
});

test('time goes on in a long stall, and what comes of it later is not added to that', () => {
  const line = new RecordedLine(folder.path);
  line.hear(20);
  line.say(5);
  jest.advanceTimersByTime(7_360); // the clock was looked at a moment ago
  line.burst(368);
  line.hear(50);
  line.end();
  expect(line.read()).toEqual({ caller: '0..19 -x366 386..437', bot: '-x20 0..4 -x413' });
});

test('a stream that brings nothing is recorded by the clock', () => {
  const line = new RecordedLine(folder.path);
  jest.advanceTimersByTime(400);
  for (let frame = 0; frame < 10; frame += 1) {
    line.say(1);
    jest.advanceTimersByTime(20);
  }
  jest.advanceTimersByTime(500);
  line.say(1);
  jest.advanceTimersByTime(500);
  line.end();
  expect(line.read().bot).toBe('-x20 0..9 -x25 10..10');
});

test('what came while the bot was on its way comes in a burst, and stands where it was said', () => {
  const line = new RecordedLine(folder.path);
  jest.advanceTimersByTime(1_000);
  line.burst(40);
  line.hear(10, (frame) => frame === 0 && line.say(2));
  line.end();
  expect(line.read()).toEqual({ caller: '-x10 0..49', bot: '-x51 0..1 -x7' });
});

test.each([60, 100])('a mark that comes back %d frames after the speech it stands behind changes nothing', (frames) => {
  const line = new RecordedLine(folder.path);
  line.hear(180, (frame) => {
    if (frame === 5) line.say(60);
    if (frame === 5) line.mark();
    if (frame === 7) line.recorder.played('1');
    if (frame === 66 + frames) line.recorder.played('2');
  });
  line.end();
  expect(line.read()).toEqual({ caller: '0..179', bot: '-x7 0..59 -x113' });
});

test('a mark that comes back later than what can still be changed costs no speech', () => {
  const line = new RecordedLine(folder.path);
  line.hear(250, (frame) => {
    if (frame === 5) line.say(60);
    if (frame === 5) line.mark();
    if (frame === 5) line.say(70);
    if (frame === 7) line.recorder.played('1');
    if (frame === 65 + 50) line.recorder.played('2');
  });
  line.end();
  const { caller, bot } = line.read();
  expect(caller).toBe('0..249');
  const [, until, from] = /^-x7 0\.\.(\d+) -x\d+ (\d+)\.\.129 -x/.exec(bot)?.map(Number) ?? [];
  expect(from).toBe((until as number) + 1);
});

test('between two streams time goes by the clock, and what the first one had not played is never heard', () => {
  const line = new RecordedLine(folder.path);
  line.hear(20);
  line.say(10);
  line.hear(4);
  line.recorder.streamOver();
  jest.advanceTimersByTime(1_980);
  line.hear(20, (frame) => frame === 9 && line.say(2));
  line.end();
  expect(line.read()).toEqual({ caller: '0..23 -x99 24..43', bot: '-x20 0..3 -x109 10..11 -x8' });
});

test('a bot that takes over goes on in the same file, silence between', () => {
  const startedAt = Date.now();
  const first = new RecordedLine(folder.path, { startedAt });
  first.hear(50);
  first.end();
  jest.advanceTimersByTime(2_000);
  const second = new RecordedLine(folder.path, { startedAt });
  second.said = 50;
  jest.advanceTimersByTime(980);
  second.hear(50);
  second.end();
  expect(second.read().caller).toBe('0..49 -x149 50..99');
  const bytes = readFileSync(second.path);
  expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
});

test('a bot that takes over with another rate records nothing', () => {
  const first = new RecordedLine(folder.path);
  first.hear(50);
  first.end();
  const before = readFileSync(first.path);
  const second = new RecordedLine(folder.path, { sampleRate: 16_000 });
  second.hear(10);
  expect(() => second.end()).toThrow('8000 Hz');
  second.recorder.release();
  expect(readFileSync(first.path)).toEqual(before);
});

test('while it is paused both sides are silent', () => {
  const line = new RecordedLine(folder.path);
  line.hear(10);
  line.say(40);
  line.hear(10);
  line.recorder.pause();
  line.hear(10);
  line.recorder.resume();
  line.hear(10);
  line.end();
  expect(line.read()).toEqual({
    caller: '0..9 10..19 -x10 30..39'.replace('9 10..', ''),
    bot: '-x10 0..9 -x10 20..29',
  });
});

test('a process that is killed loses less than a second, and who reads the file reads to its end', () => {
  const line = new RecordedLine(folder.path);
  line.hear(500);
  const bytes = readFileSync(line.path);
  expect(bytes.length).toBeGreaterThan(44 + 455 * 640);
  for (const size of [4, 40]) expect(bytes.readUInt32LE(size)).toBe(0xffff_ffff);
  expect(line.read().caller).toMatch(/^0\.\.4[5-9]\d( \?\.\.\?)?$/);
  line.end();
});

test('a disk that is full is told with the first page', () => {
  symlinkSync('/dev/full', join(folder.path, 'audio.wav'));
  const line = new RecordedLine(folder.path);
  expect(() => line.hear(100)).toThrow('ENOSPC');
  expect(() => line.end()).toThrow('ENOSPC');
  line.recorder.release();
});

describe('words that are watched', () => {
  /** In frames of the recording: where the first and the last sound of them is. */
  function find(line: RecordedLine) {
    const told: Array<{ from: number; to: number } | undefined> = [];
    line.recorder.findWords((place) =>
      told.push(place && { from: Math.floor(place.from / FRAME), to: Math.floor((place.to - 1) / FRAME) }),
    );
    return told;
  }

  test('are found when the last of them is recorded, behind what was said before', () => {
    const line = new RecordedLine(folder.path);
    let told: unknown[] = [];
    line.hear(60, (frame) => {
      if (frame === 5) line.say(10);
      if (frame === 9) line.recorder.watchWords();
      if (frame === 9) line.say(12);
      if (frame === 12) told = find(line);
      if (frame === 26) expect(told).toEqual([]);
    });
    expect(told).toEqual([{ from: 16, to: 27 }]);
    line.end();
    expect(line.read().bot).toBe('-x6 0..21 -x32');
  });

  test('are where a mark has them moved, at their beginning and in their middle', () => {
    const line = new RecordedLine(folder.path);
    let told: unknown[] = [];
    line.hear(100, (frame) => {
      if (frame === 4) line.recorder.watchWords();
      if (frame % 5 === 4 && frame < 50) line.say(5);
      if (frame === 8) line.recorder.played('1'); // 3 frames late
      if (frame === 24) line.mark(); // behind 25 frames
      if (frame === 36) line.recorder.played('2'); // 4 frames late
      if (frame === 60) told = find(line);
    });
    line.end();
    const { bot } = line.read();
    const last = Number(/(\d+)$/.exec(bot)?.[1]);
    expect(told).toEqual([{ from: 8, to: 99 - last }]);
    expect(bot).toMatch(/^-x8 0\.\./);
  });

  test('in a burst after a stall are found when it is known where that stands', () => {
    const line = new RecordedLine(folder.path);
    line.hear(20, (frame) => {
      if (frame !== 9) return;
      line.recorder.watchWords();
      line.say(20);
    });
    jest.advanceTimersByTime(400);
    line.burst(2);
    line.recorder.played('1');
    const told = find(line);
    line.burst(18);
    expect(told).toEqual([]);
    line.hear(20);
    expect(told).toEqual([{ from: 21, to: 40 }]);
    line.end();
  });

  test('are told of once, also when the recording ends before them', () => {
    const line = new RecordedLine(folder.path);
    line.hear(20, (frame) => {
      if (frame !== 9) return;
      line.recorder.watchWords();
      line.say(100);
    });
    const [first, second] = [find(line), find(line)];
    expect([first, second]).toEqual([[undefined], []]);
    line.end();
    expect([first, second]).toEqual([[undefined], [undefined]]);
  });

  test('that are dropped are found as far as they were heard', () => {
    const line = new RecordedLine(folder.path);
    line.hear(60, (frame) => {
      if (frame === 9) line.recorder.watchWords();
      if (frame === 9) line.say(20);
      if (frame === 19) line.clear();
    });
    expect(find(line)).toEqual([{ from: 10, to: 19 }]);
    line.end();
  });
});
