import { PeerSound } from '../../../../src/bot/transports/stream/peer-sound.js';

const RATE = 8_000;
const FRAME = 160;
/** Between neighbouring samples of the tone, at most. */
const OWN_STEP = 2_800;

/** A frame of a smooth tone, whose last sample is loud. */
const toneAt = (frame: number) =>
  Int16Array.from({ length: FRAME }, (_, at) =>
    Math.round(8_000 * Math.sin((2 * Math.PI * 430 * (frame * FRAME + at)) / RATE)),
  );

let sound: PeerSound;

beforeEach(() => {
  sound = new PeerSound(RATE, RATE, FRAME);
});

/** What the listener hears in so many frames. */
const taken = (frames: number): number[] =>
  Array.from({ length: frames }, () => [...(sound.take(FRAME) ?? new Int16Array(FRAME))]).flat();

const largestStep = (heard: readonly number[]): number =>
  Math.max(...heard.map((sample, at) => Math.abs(sample - (heard[at - 1] ?? sample))));

test('a voice that breaks off, at the end of a frame or within one, fades out; when it comes again it fades in', () => {
  for (const rest of [0, 70]) {
    sound = new PeerSound(RATE, RATE, FRAME);
    for (let frame = 0; frame < 3; frame += 1) sound.push(toneAt(frame));
    if (rest > 0) sound.push(toneAt(3).subarray(0, rest));
    const heard = taken(6);
    for (let frame = 10; frame < 13; frame += 1) sound.push(toneAt(frame));
    heard.push(...taken(4));
    expect(heard.slice(0, 3 * FRAME).some((sample) => Math.abs(sample) > 7_500)).toBe(true);
    expect(heard.slice(6 * FRAME).some((sample) => Math.abs(sample) > 7_500)).toBe(true);
    expect(largestStep(heard)).toBeLessThanOrEqual(OWN_STEP);
  }
});

test('a voice that has passed as it was, and breaks off when others are heard too, fades out', () => {
  const heard = [...sound.passed(toneAt(1)), ...taken(2)];
  expect(Math.abs(heard[FRAME - 1] ?? 0)).toBeGreaterThan(2 * OWN_STEP);
  expect(largestStep(heard)).toBeLessThanOrEqual(OWN_STEP);
});

test('of more than can wait the oldest goes without a click', () => {
  for (let frame = 0; frame < 3; frame += 1) sound.push(toneAt(frame));
  const heard = taken(2);
  for (let frame = 3; frame < 25; frame += 1) sound.push(toneAt(frame));
  expect(sound.length).toBe(10 * FRAME);
  expect(largestStep([...heard, ...taken(9)])).toBeLessThanOrEqual(OWN_STEP);
});

test('what fades is a copy: others hear the same samples', () => {
  const shared = [toneAt(0), toneAt(1)];
  for (const pcm of shared) sound.push(pcm);
  taken(3);
  expect(shared).toEqual([toneAt(0), toneAt(1)]);
});
