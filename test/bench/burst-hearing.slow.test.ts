import { hearBursts } from '../../bench/rooms/burst-hearing.js';
import { BURST_MS, burst, PAUSE_MS } from '../../bench/rooms/bursts.js';
import { OpusCodec } from '../../src/providers/rooms/webrtc/opus-codec.js';

const RATE = 16_000;
const FRAME = 320;
const SEED = 1;
const BURSTS = 10;
const PERIOD = ((BURST_MS + PAUSE_MS) * RATE) / 1_000;
/** From a burst to where something happens to it, and from the beginning of what is heard to the first burst, in samples. */
const IN_ITS_MIDDLE = 2_000;
const LATE = 1_600;

const startedAt = Array.from({ length: BURSTS }, (_, index) => 1_000 + (index * PERIOD * 1_000) / RATE);

/** What is heard 100 ms late. */
function copy(): Int16Array {
  const pcm = new Int16Array((BURSTS + 1) * PERIOD);
  for (let index = 0; index < BURSTS; index += 1) pcm.set(burst(SEED, index, RATE), LATE + index * PERIOD);
  return pcm;
}

/** The same after something has happened to it in the middle of each burst. */
function changed(change: (rest: Int16Array) => void): Int16Array {
  const pcm = copy();
  for (let index = 0; index < BURSTS; index += 1) {
    const from = LATE + index * PERIOD;
    change(pcm.subarray(from + IN_ITS_MIDDLE, from + PERIOD));
  }
  return pcm;
}

function coded(pcm: Int16Array): Int16Array {
  const codec = new OpusCodec(RATE);
  const frames = Array.from({ length: pcm.length / FRAME }, (_, n) => pcm.slice(n * FRAME, (n + 1) * FRAME));
  const heard = Int16Array.from(frames.flatMap((frame) => [...(codec.decode(codec.encode(frame)) ?? [])]));
  codec.close();
  return heard;
}

function hear(pcm: Int16Array) {
  const heardAt = Array.from({ length: pcm.length / FRAME }, (_, n) => 1_000 + 20 * n);
  const { bursts, ...rest } = hearBursts({ seed: SEED, startedAt }, { pcm, heardAt, sampleRate: RATE });
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    ...rest,
    delaysMs: bursts.map(({ delayMs }) => delayMs),
    missingMs: sum(bursts.map(({ missingMs }) => missingMs)),
    insertedMs: sum(bursts.map(({ insertedMs }) => insertedMs)),
  };
}

const WHOLE = { lost: 0, clicks: 0, pauseClicks: 0, missingMs: 0, insertedMs: 0 };

test('nothing is wrong with a copy, and its delay is found to the sample', () => {
  expect(hear(copy())).toEqual({ ...WHOLE, delaysMs: startedAt.map(() => 100) });
});

test('nothing is wrong with what a codec has carried', () => {
  const { delaysMs, ...rest } = hear(coded(copy()));
  expect(rest).toEqual(WHOLE);
  expect(new Set(delaysMs)).toEqual(new Set([106.5])); // the delay of the codec itself
});

test.each([
  [5, 80],
  [20, 320],
])('%i ms that are left out of each burst are missing, with a click', (missingMs, samples) => {
  const heard = hear(changed((rest) => rest.copyWithin(0, samples)));
  expect(heard).toMatchObject({ lost: 0, missingMs: BURSTS * missingMs, insertedMs: 0 });
  expect(heard.clicks).toBeGreaterThanOrEqual(BURSTS);
});

test('10 ms of silence that are put into each burst are found, with a click', () => {
  const heard = hear(
    changed((rest) => {
      rest.copyWithin(160, 0);
      rest.fill(0, 0, 160);
    }),
  );
  expect(heard).toMatchObject({ lost: 0, missingMs: 0, insertedMs: BURSTS * 10 });
  expect(heard.clicks).toBeGreaterThanOrEqual(BURSTS);
});

test('a sample that jumps is a click, in a burst and in a pause, and also after a codec', () => {
  const jump = (rest: Int16Array) => {
    rest[0] = 12_000;
    rest[PERIOD - IN_ITS_MIDDLE - 1_000] = 12_000;
  };
  expect(hear(changed(jump))).toMatchObject({ ...WHOLE, clicks: BURSTS, pauseClicks: BURSTS });
  const afterCodec = hear(coded(changed(jump)));
  expect(afterCodec.clicks).toBeGreaterThanOrEqual(BURSTS);
  expect(afterCodec.pauseClicks).toBeGreaterThanOrEqual(BURSTS);
});

test('a burst that is not heard is lost', () => {
  const pcm = copy().fill(0, LATE, LATE + PERIOD);
  expect(hear(pcm)).toMatchObject({ ...WHOLE, lost: 1 });
});
