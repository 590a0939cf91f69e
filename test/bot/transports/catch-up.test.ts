import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { FRAME_MS } from '../../../src/base/audio/frame.js';
import { decodeWav } from '../../../src/base/audio/wav-decoder.js';
import { Playout } from '../../../src/bot/transports/playout.js';
import { CARRIER_PACE, type Pace } from '../../../src/bot/transports/playout-wire.js';
import { concat, noise, sine } from '../../base/audio/signals.js';

const RATE = 8_000;
const FRAME = (RATE * FRAME_MS) / 1_000;
const ROOM_PACE: Pace = { leadMs: 20, liveLeadMs: 60, bridgedMs: 100, transitMs: 200, acknowledges: false };

const speech = () => {
  const { channels } = decodeWav(readFileSync(path.resolve(import.meta.dirname, '../../fixtures/audio/speech.wav')));
  return channels[0] as Int16Array;
};
/** A voice that glides from 110 to 220 Hz, with three harmonics. */
const voice = Int16Array.from({ length: 8 * RATE }, (_, n) => {
  const phase = 2 * Math.PI * ((110 * n) / RATE + (55 * (n / RATE) ** 2) / 4);
  return Math.round(6_000 * Math.sin(phase) + 3_000 * Math.sin(2 * phase) + 1_500 * Math.sin(3 * phase));
});

const steepest = (pcm: Int16Array) =>
  pcm.reduce((most, sample, at) => Math.max(most, at > 0 ? Math.abs(sample - (pcm[at - 1] as number)) : 0), 0);

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A far end that plays what comes in real time, and a source of live audio that says `pcm` over and over. */
function setUp({ pcm = voice, pace = CARRIER_PACE }: { pcm?: Int16Array; pace?: Pace } = {}) {
  let playedUntil = 0;
  const frames: Int16Array[] = [];
  const playout: Playout = new Playout(
    RATE,
    {
      sendAudio: (frame) => {
        playedUntil = Math.max(performance.now(), playedUntil) + FRAME_MS;
        frames.push(frame);
      },
      sendMark: () => {},
      sendClear: () => {},
      isCongested: () => false,
    },
    { started: () => {}, released: () => {}, late: () => {}, stopped: () => {} },
    pace,
  );
  let said = 0;
  const input: Int16Array[] = [];
  const say = (isSpeech = false) => {
    const at = (said * FRAME) % (pcm.length - FRAME);
    const frame = pcm.slice(at, at + FRAME);
    said += 1;
    input.push(frame);
    playout.write(frame, isSpeech);
  };
  /** What was said last is heard so much later than at once, in milliseconds. */
  const delayMs = () => Math.max(0, playedUntil - performance.now()) + playout.queuedMs - FRAME_MS;
  const talk = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += FRAME_MS) {
      say();
      await jest.advanceTimersByTimeAsync(FRAME_MS);
    }
    say();
    const delay = delayMs();
    await jest.advanceTimersByTimeAsync(FRAME_MS);
    return delay;
  };
  /** Nothing passes for so long, and then all at once. */
  const stall = async (ms: number) => {
    await jest.advanceTimersByTimeAsync(ms);
    for (let missed = 0; missed < ms; missed += FRAME_MS) say();
  };
  return { playout, frames, input, say, talk, stall, delayMs };
}

const SIGNALS: ReadonlyArray<[string, () => Int16Array]> = [
  ['a voice', () => voice],
  ['recorded speech', speech],
  ['a tone', () => sine(440, RATE, 4 * RATE, 8_000)],
  ['noise', () => noise(4 * RATE, 3_000)],
  ['silence', () => new Int16Array(4 * RATE)],
];

describe.each([
  ['a carrier', CARRIER_PACE],
  ['a room', ROOM_PACE],
])('live audio to %s', (_, pace) => {
  test.each(SIGNALS)(
    'is in time again two seconds after a stall of 200 ms, without a click: %s',
    async (_name, signal) => {
      const { talk, stall, delayMs, frames, input } = setUp({ pcm: signal(), pace });
      const before = await talk(1_000);
      await stall(200);
      expect(delayMs()).toBeGreaterThan(before + 150);
      expect(await talk(2_000)).toBeLessThanOrEqual(before + FRAME_MS);
      const heard = concat(...frames);
      expect(steepest(heard)).toBeLessThanOrEqual(1.02 * Math.max(...input.map(steepest), steepest(signal())));
    },
  );

  test('keeps what waits where stalls come again within ten seconds, and tries again later', async () => {
    const { talk, stall } = setUp({ pace });
    await talk(1_000);
    await stall(200);
    const inTime = await talk(3_000);
    await stall(200);
    expect(await talk(3_000)).toBeGreaterThan(inTime + 150);
    expect(await talk(10_000)).toBeLessThanOrEqual(inTime + FRAME_MS);
  });

  test('catches up with a stall as its first frames come, too', async () => {
    const { say, stall, talk } = setUp({ pace });
    say();
    await stall(200);
    expect(await talk(2_000)).toBeLessThanOrEqual(FRAME_MS);
  });

  test('passes frames untouched when it has caught up', async () => {
    const { talk, stall, frames, input } = setUp({ pace });
    await stall(200);
    await talk(3_000);
    const last = input.length;
    await talk(500);
    expect(frames.slice(-20).every((frame) => input.slice(last - 20).includes(frame))).toBe(true);
  });

  test('is left as it is when its frames come up to 40 ms late, again and again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(0, 0, 0, 1, 2), { minLength: 1, maxLength: 8 }), async (lates) => {
        const { say, frames, input } = setUp({ pace });
        let owed = 0;
        for (const late of Array<number[]>(10).fill(lates).flat()) {
          owed += 1;
          if (owed > late) while (owed > 0) [owed] = [owed - 1, say()];
          await jest.advanceTimersByTimeAsync(FRAME_MS);
        }
        await jest.advanceTimersByTimeAsync(1_000);
        expect(frames.every((frame, n) => frame === input[n])).toBe(true);
      }),
      { numRuns: 20 },
    );
  });
});

describe('is never hurried:', () => {
  test('a voice whose audio comes frame by frame, ahead of what is heard', async () => {
    const { say, frames, input } = setUp();
    for (let n = 0; n < 25; n += 1) say(true);
    for (let n = 0; n < 100; n += 1) {
      say(true);
      await jest.advanceTimersByTimeAsync(FRAME_MS);
    }
    await jest.advanceTimersByTimeAsync(2_000);
    expect(concat(...frames)).toEqual(concat(...input));
  });

  test('anything that comes faster than live audio can', async () => {
    const { say, frames, input } = setUp();
    for (let n = 0; n < 200; n += 1) {
      say();
      await jest.advanceTimersByTimeAsync(FRAME_MS / 2);
    }
    await jest.advanceTimersByTimeAsync(4_000);
    expect(concat(...frames)).toEqual(concat(...input));
  });
});
