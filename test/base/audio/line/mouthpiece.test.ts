import { Mouthpiece } from '../../../../src/base/audio/line/mouthpiece.js';
import { decodeMulaw, encodeMulaw, MULAW_SILENCE } from '../../../../src/base/audio/mulaw.js';
import { returnedShare } from '../../../e2e/recording.js';
import { noise, sine } from '../signals.js';

const PIECE = 80;
const SILENT_FRAME = new Uint8Array(160).fill(MULAW_SILENCE);

/** Words with pauses between them, of a voice that never repeats itself. */
function speech(seconds: number): Int16Array {
  const pcm = noise(seconds * 8_000, 8_000);
  for (let n = 0; n < pcm.length; n += 1) if (n % 12_000 > 8_000) pcm[n] = 0;
  return decodeMulaw(encodeMulaw(pcm));
}

/** The same each time. */
function jitter(most: number): () => number {
  let seed = 1;
  return () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return (seed / 2_147_483_647) * most;
  };
}

interface Conditions {
  /** How much faster the microphone's clock is than the network's, in parts per million. */
  ppm?: number;
  /** Most by which what happens is late, in milliseconds. */
  jitterMs?: number;
  /** When the page does nothing at all: from, to. */
  stall?: readonly [fromMs: number, toMs: number];
}

/** What the network gets of what the microphone hears, with the delay at each end. */
function transmit(pcm: Int16Array, { ppm = 0, jitterMs = 3, stall = [0, 0] }: Conditions = {}): Int16Array {
  const mouthpiece = new Mouthpiece();
  const late = jitter(jitterMs);
  const held = (ms: number) => (ms > stall[0] && ms < stall[1] ? stall[1] : ms);
  const pieceMs = 10 / (1 + ppm / 1e6);
  const acts: Array<{ atMs: number; act: (nowMs: number) => void }> = [];
  for (let n = 0; (n + 1) * PIECE <= pcm.length; n += 1) {
    const payload = encodeMulaw(pcm.subarray(n * PIECE, (n + 1) * PIECE));
    acts.push({ atMs: held((n + 1) * pieceMs + late()), act: (nowMs) => mouthpiece.heard(payload, nowMs) });
  }
  const said: Uint8Array[] = [];
  for (let n = 0; n * 20 < pcm.length / 8; n += 1) {
    acts.push({ atMs: held(n * 20 + late()), act: (nowMs) => said.push(mouthpiece.say(nowMs)) });
  }
  for (const { atMs, act } of acts.toSorted((a, b) => a.atMs - b.atMs)) act(atMs);
  return decodeMulaw(Buffer.concat(said));
}

test('what the microphone hears is said whole, and soon', () => {
  const heard = speech(10);
  const { share, delayMs } = returnedShare(heard, transmit(heard), 200);
  expect(share).toBeGreaterThan(0.97);
  expect(delayMs).toBeLessThanOrEqual(60);
});

test.each([300, -300])('a microphone whose clock is off by %d ppm is not later and later', (ppm) => {
  const heard = speech(120);
  const said = transmit(heard, { ppm });
  const last = 117 * 8_000;
  const shift = Math.round(last * (ppm / 1e6)); // when the microphone was there
  const { share, delayMs = Number.NaN } = returnedShare(heard.subarray(last), said.subarray(last - shift), 200);
  expect(share).toBeGreaterThan(0.9);
  expect(delayMs).toBeGreaterThan(0);
  expect(delayMs).toBeLessThanOrEqual(80);
});

test('after a page that stood still for a while, it is as soon as before', () => {
  const heard = speech(20);
  const said = transmit(heard, { stall: [5_000, 5_400] });
  const last = 15 * 8_000;
  const { share, delayMs } = returnedShare(heard.subarray(last), said.subarray(last), 600);
  expect(share).toBeGreaterThan(0.9);
  expect(delayMs).toBeLessThanOrEqual(80);
});

test('who is muted says nothing at all, and then goes on', () => {
  const mouthpiece = new Mouthpiece();
  const tone = encodeMulaw(sine(500, 8_000, PIECE, 8_000));
  const live = (ms: number) => {
    mouthpiece.heard(tone, ms);
    mouthpiece.heard(tone, ms + 10);
    return mouthpiece.say(ms + 12);
  };
  const frames = Array.from({ length: 60 }, (_, n) => {
    mouthpiece.isMuted = n >= 20 && n < 40;
    const frame = live(n * 20);
    return { frame, level: mouthpiece.levelDb };
  });
  expect(frames[19]?.level).toBeGreaterThan(-20);
  for (const { frame, level } of frames.slice(20, 40)) expect([frame, level]).toEqual([SILENT_FRAME, -Infinity]);
  expect(frames[45]?.level).toBeGreaterThan(-20);
});

test('without a microphone there is silence, and typed sentences are said one after the other, also by who is muted', () => {
  const mouthpiece = new Mouthpiece();
  mouthpiece.isMuted = true;
  expect(mouthpiece.say(0)).toEqual(SILENT_FRAME);
  const [first, second] = [sine(500, 8_000, 240, 8_000), sine(700, 8_000, 240, 8_000)];
  const over: string[] = [];
  mouthpiece.read(first, () => over.push('first'));
  mouthpiece.read(second, () => over.push('second'));
  expect(mouthpiece.isReading).toBe(true);
  const soFar: string[][] = [];
  const frames = [1, 2, 3].map((n) => {
    const frame = mouthpiece.say(n * 20);
    soFar.push([...over]);
    return frame;
  });
  const said = Buffer.concat(frames);
  expect(soFar).toEqual([[], ['first'], ['first', 'second']]);
  expect(said).toEqual(Buffer.concat([encodeMulaw(first), encodeMulaw(second)]));
  expect([mouthpiece.isReading, mouthpiece.say(80)]).toEqual([false, SILENT_FRAME]);
});
