import fc from 'fast-check';
import { JitterBuffer } from '../../../../src/base/audio/line/jitter-buffer.js';

const UNITS_PER_MS = 8;
const FRAME = 160;
const MAX_PACKETS = 120;

/** One after which both the sequence number and the timestamp wrap soon. */
const START = { sequence: 65_530, timestamp: 2 ** 32 - 5 * FRAME };

interface Sent {
  /** Which packet it is, counted from 0. */
  readonly index: number;
  readonly arrivesAtMs: number;
  /** Silence before it that was not sent, in milliseconds. */
  readonly pausedMs?: number;
  readonly durationMs?: number;
}

type Taken = number | 'lost' | 'silence';

const packet = ({ index, pausedMs = 0, durationMs = 20 }: Sent) => {
  const duration = durationMs * UNITS_PER_MS;
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(index);
  return {
    sequence: (START.sequence + index) & 0xffff,
    timestamp: (START.timestamp + index * duration + pausedMs * UNITS_PER_MS) % 2 ** 32,
    duration,
    payload,
  };
};

const indexOf = (payload: Uint8Array) => Buffer.from(payload).readUInt32BE();

interface Playing {
  readonly untilMs: number;
  /** When the first frame is played, and how long after it each of the others. */
  readonly fromMs?: number;
  readonly everyMs?: number;
  readonly buffer?: JitterBuffer;
}

/** Plays what arrives, one packet at a time. */
function play(sent: readonly Sent[], { untilMs, fromMs = 7, everyMs = 20, buffer = new JitterBuffer(8_000) }: Playing) {
  const arriving = [...sent].sort((a, b) => a.arrivesAtMs - b.arrivesAtMs);
  const taken: Taken[] = [];
  let largest = 0;
  for (let nowMs = fromMs; nowMs < untilMs; nowMs += everyMs) {
    while ((arriving[0]?.arrivesAtMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const next = arriving.shift() as Sent;
      buffer.push(packet(next), next.arrivesAtMs);
      largest = Math.max(largest, buffer.size);
    }
    const frame = buffer.take(nowMs);
    taken.push(typeof frame === 'string' ? frame : indexOf(frame.payload));
  }
  return { taken, largest, heard: taken.filter((frame) => typeof frame === 'number') };
}

/** Packets that are sent every 20 ms and need `delayMs`. */
const steady = (count: number, delayMs: (index: number) => number = () => 30): Sent[] =>
  Array.from({ length: count }, (_, index) => ({ index, arrivesAtMs: index * 20 + delayMs(index) }));

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

const count = (taken: readonly Taken[], what: Taken) => taken.filter((frame) => frame === what).length;

test('gives packets in order, each once, across the wrap of sequence number and timestamp', () => {
  const { taken, heard } = play(steady(100), { untilMs: 2_080 });
  expect(heard).toEqual(range(0, 100));
  expect(taken.slice(taken.indexOf(0), taken.indexOf(99) + 1)).toHaveLength(100);
});

test('waits about 40 ms before the first packet', () => {
  const { taken } = play(steady(10), { untilMs: 200, fromMs: 30 });
  expect(taken.slice(0, 3)).toEqual(['silence', 'silence', 0]);
});

test('puts packets in order that overtake each other', () => {
  const { taken, heard } = play(
    steady(100, (index) => (index % 5 === 3 ? 55 : 30)),
    { untilMs: 2_200 },
  );
  expect(heard).toEqual(range(0, 100));
  expect(count(taken.slice(0, taken.indexOf(99)), 'lost')).toBe(0);
});

test('drops duplicates', () => {
  const twice = steady(50).flatMap((one) => [one, { ...one, arrivesAtMs: one.arrivesAtMs + 3 }]);
  const { heard } = play([...twice, { index: 10, arrivesAtMs: 600 }], { untilMs: 1_200 });
  expect(heard).toEqual(range(0, 50));
});

test('says that a packet is lost where it should have been', () => {
  const { taken } = play(
    steady(50).filter(({ index }) => index !== 20 && index !== 30 && index !== 31),
    { untilMs: 1_080 },
  );
  const at = taken.indexOf(19);
  expect(taken.slice(at, at + 3)).toEqual([19, 'lost', 21]);
  const then = taken.indexOf(29);
  expect(taken.slice(then, then + 4)).toEqual([29, 'lost', 'lost', 32]);
});

test('drops a packet that comes after something was played in its place', () => {
  const late = steady(50, (index) => (index === 20 ? 130 : 30));
  const { taken, heard } = play(late, { untilMs: 1_080 });
  expect(heard).toEqual(range(0, 50).filter((index) => index !== 20));
  expect(count(taken.slice(0, taken.indexOf(49)), 'lost')).toBe(1);
});

test('holds packets longer when they arrive unevenly, and no longer than 120 ms', () => {
  const buffer = new JitterBuffer(8_000);
  play(
    steady(300, (index) => 30 + ((index * 37) % 60)),
    { untilMs: 6_000, buffer },
  );
  expect(buffer.delayMs).toBeGreaterThan(60);
  expect(buffer.delayMs).toBeLessThan(80);
  const worse = new JitterBuffer(8_000);
  play(
    steady(300, (index) => 30 + ((index * 37) % 400)),
    { untilMs: 6_000, buffer: worse },
  );
  expect(worse.delayMs).toBe(120);
});

test('holds packets for 20 ms when the network is calm', () => {
  const buffer = new JitterBuffer(8_000);
  play(steady(1_500), { untilMs: 30_000, buffer });
  expect(buffer.delayMs).toBe(20);
});

test('bridges 60 ms when packets stay away, and then is silent', () => {
  const { taken } = play(steady(10), { untilMs: 600 });
  const end = taken.indexOf(9);
  expect(taken.slice(end + 1, end + 6)).toEqual(['lost', 'lost', 'lost', 'silence', 'silence']);
});

test('begins anew after a pause of the sender', () => {
  const pausedMs = 500;
  const talk = steady(40).map((one) =>
    one.index < 20 ? one : { ...one, arrivesAtMs: one.arrivesAtMs + pausedMs, pausedMs },
  );
  const { taken, heard } = play(talk, { untilMs: 1_400 });
  expect(heard).toEqual(range(0, 40));
  const between = taken.slice(taken.indexOf(19) + 1, taken.indexOf(20));
  expect(between.length * 20).toBeGreaterThanOrEqual(pausedMs - 20);
  expect(between.length * 20).toBeLessThanOrEqual(pausedMs + 40);
  expect(count(between, 'lost')).toBe(3);
  expect(count(taken.slice(taken.indexOf(20), taken.indexOf(39)), 'lost')).toBe(0);
});

test('plays what was held up and came all at once', () => {
  const stalled = steady(60, (index) => (index >= 20 && index < 30 ? 30 + (30 - index) * 20 : 30));
  const { heard } = play(stalled, { untilMs: 2_000 });
  expect(heard).toEqual(range(0, 60));
});

test('keeps the newest 300 ms', () => {
  const { taken, largest } = play(
    steady(100, (index) => (100 - index) * 20),
    { untilMs: 4_000, fromMs: 2_100 },
  );
  expect(largest).toBeLessThanOrEqual(16);
  expect(taken.find((frame) => typeof frame === 'number')).toBe(85);
});

test('follows a source that starts anew with other numbers', () => {
  const buffer = new JitterBuffer(8_000);
  play(steady(20), { untilMs: 500, buffer });
  const taken: Taken[] = [];
  for (let n = 0; n < 30; n += 1) {
    const nowMs = 1_000 + n * 20;
    const restarted = { sequence: 20_000 + n, timestamp: 77 + n * FRAME, duration: FRAME, payload: new Uint8Array(4) };
    buffer.push(restarted, nowMs);
    const frame = buffer.take(nowMs + 5);
    taken.push(typeof frame === 'string' ? frame : 1);
  }
  expect(count(taken, 1)).toBeGreaterThan(24);
});

test('ignores a single packet with a number from nowhere', () => {
  const buffer = new JitterBuffer(8_000);
  buffer.push(packet({ index: 0, arrivesAtMs: 0 }), 0);
  buffer.push({ ...packet({ index: 1, arrivesAtMs: 20 }), sequence: 20_000 }, 20);
  buffer.push(packet({ index: 1, arrivesAtMs: 20 }), 20);
  expect(buffer.size).toBe(2);
});

test.each([10, 40, 60])('plays packets of %i ms', (durationMs) => {
  const sent = Array.from({ length: 50 }, (_, index) => ({ index, durationMs, arrivesAtMs: (index + 1) * durationMs }));
  const { heard, taken } = play(sent, { untilMs: 55 * durationMs + 100, everyMs: durationMs });
  expect(heard).toEqual(range(0, 50));
  expect(count(taken.slice(taken.indexOf(0), taken.indexOf(49)), 'lost')).toBe(0);
});

/** Plays for ten minutes what comes from a clock that is off, and corrects the delay when it is told to. */
function playDrifting(clockRatio: number, isQuiet: (index: number) => boolean) {
  const buffer = new JitterBuffer(8_000);
  const worst = { held: 0, delayMs: 0 };
  const corrections = { skip: 0, insert: 0 };
  let lost = 0;
  let sent = 0;
  let insertedMs = 0;
  for (let nowMs = 0; nowMs < 600_000; nowMs += 20) {
    for (; sent * 20 * clockRatio <= nowMs; sent += 1) {
      const arrivesAtMs = sent * 20 * clockRatio;
      buffer.push(packet({ index: sent, arrivesAtMs }), arrivesAtMs);
    }
    if (insertedMs > 0) {
      insertedMs -= 20;
      continue;
    }
    for (;;) {
      const frame = buffer.take(nowMs);
      if (frame === 'lost') lost += 1;
      if (typeof frame === 'string') break;
      const index = indexOf(frame.payload);
      const correction = buffer.correction(isQuiet(index));
      if (correction) corrections[correction] += 1;
      if (correction === 'insert') insertedMs += 20;
      if (correction === 'skip') continue;
      if (nowMs > 1_000) worst.delayMs = Math.max(worst.delayMs, nowMs - index * 20 * clockRatio);
      break;
    }
    worst.held = Math.max(worst.held, buffer.size);
  }
  return { worst, corrections, lost };
}

test('skips frames when the sender is faster, in quiet moments where there are any', () => {
  const quiet = playDrifting(1 - 0.001, (index) => index % 100 < 30);
  expect(quiet.corrections.skip).toBeGreaterThan(25);
  expect(quiet.worst.delayMs).toBeLessThan(80);
  const busy = playDrifting(1 - 0.001, () => false);
  expect(busy.corrections.skip).toBeGreaterThan(25);
  expect(busy.worst.delayMs).toBeLessThan(110);
});

test('adds frames when the sender is slower', () => {
  const quiet = playDrifting(1.001, (index) => index % 100 < 30);
  expect(quiet.lost + quiet.corrections.insert).toBeGreaterThan(25);
  expect(quiet.lost + quiet.corrections.insert).toBeLessThan(60);
  expect(quiet.worst.delayMs).toBeLessThan(80);
});

test('survives any network: every frame once, in order, with bounded memory', () => {
  const network = fc.array(
    fc.record({
      lossDice: fc.nat(99),
      delayMs: fc.nat(150),
      copies: fc.constantFrom(1, 1, 1, 2, 3),
      burst: fc.nat(60),
    }),
    { minLength: 50, maxLength: 400 },
  );
  fc.assert(
    fc.property(network, fc.nat(19), (fates, fromMs) => {
      const sent = fates.flatMap(({ lossDice, delayMs, copies, burst }, index) => {
        const inBurst = burst === 0 || fates[index - 1]?.burst === 0;
        if (lossDice < 10 || inBurst) return [];
        return Array.from({ length: copies }, (_, copy) => ({ index, arrivesAtMs: index * 20 + delayMs + copy * 15 }));
      });
      const { heard, largest } = play(sent, { untilMs: fates.length * 20 + 1_000, fromMs });
      expect(largest).toBeLessThanOrEqual(16);
      expect(heard).toEqual([...new Set(heard)].sort((a, b) => a - b));
      expect(heard.every((index) => sent.some((one) => one.index === index))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('loses nothing but what the network lost, at 10 % of random loss', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(99), { minLength: 200, maxLength: 200 }), fc.nat(19), (dice, fromMs) => {
      const sent = steady(200).filter(({ index }) => (dice[index] as number) >= 10);
      const { heard } = play(sent, { untilMs: 5_000, fromMs });
      expect(heard).toEqual(sent.map(({ index }) => index));
    }),
    { numRuns: 40 },
  );
});

test('survives packets with any numbers at all', () => {
  const anything = fc.array(
    fc.record({
      sequence: fc.oneof(fc.nat(65_535), fc.nat(30)),
      timestamp: fc.oneof(fc.nat(2 ** 32 - 1), fc.nat(5_000)),
      duration: fc.integer({ min: 1, max: 960 }),
      stepMs: fc.nat(50),
    }),
    { maxLength: 500 },
  );
  fc.assert(
    fc.property(anything, (packets) => {
      const buffer = new JitterBuffer(8_000);
      let nowMs = 0;
      for (const { stepMs, ...fields } of packets) {
        nowMs += stepMs;
        buffer.push({ ...fields, payload: new Uint8Array(1) }, nowMs);
        buffer.take(nowMs);
        buffer.correction(stepMs % 2 === 0);
        expect(buffer.size).toBeLessThanOrEqual(MAX_PACKETS);
        expect(buffer.delayMs).toBeGreaterThanOrEqual(20);
        expect(buffer.delayMs).toBeLessThanOrEqual(120);
      }
    }),
    { numRuns: 60 },
  );
});
