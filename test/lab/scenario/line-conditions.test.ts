import { levelDb } from '../../../src/base/audio/level.js';
import { decodeMulaw, encodeMulaw, MULAW_SILENCE } from '../../../src/base/audio/mulaw.js';
import { LineConditions } from '../../../src/lab/scenario/line-conditions.js';

const VOICE = encodeMulaw(Int16Array.from({ length: 160 }, (_, n) => 8_000 * Math.sin(n / 3)));
const isLost = (frame: Uint8Array) => frame.every((byte) => byte === MULAW_SILENCE);
const many = <T>(count: number, of: () => T) => Array.from({ length: count }, of);

test('a line of which nothing is said changes nothing', () => {
  const line = new LineConditions();
  expect(line.said(VOICE)).toBe(VOICE);
  expect(line.heard(VOICE)).toBe(VOICE);
  expect(line.holdMs()).toBe(0);
});

test('loses about as many frames as it is to, the same ones each time', () => {
  const lost = () => {
    const line = new LineConditions({ loss: 0.1, stalls: [] });
    return many(2_000, () => isLost(line.said(VOICE)));
  };
  const first = lost();
  expect(first.filter(Boolean).length / first.length).toBeCloseTo(0.1, 1);
  expect(lost()).toEqual(first);
});

test('puts noise of the level below the voice of a caller', () => {
  const line = new LineConditions({ noise: 20, stalls: [] });
  const silence = new Uint8Array(160).fill(MULAW_SILENCE);
  const noise = Int16Array.from(many(50, () => [...decodeMulaw(line.said(silence))]).flat());
  expect(levelDb(noise)).toBeCloseTo(-38, 0);
});

test('holds the audio of the caller for the length of a stall', () => {
  const line = new LineConditions({ stalls: [{ after: 100, for: 200 }] });
  const held = many(20, () => {
    line.said(VOICE);
    return line.holdMs();
  });
  expect(held.slice(0, 6)).toEqual([0, 0, 0, 0, 200, 180]);
  expect(held.at(-1)).toBe(0);
});

test('is late by at most its jitter', () => {
  const line = new LineConditions({ jitter: 80, stalls: [] });
  const held = many(200, () => line.holdMs());
  expect(Math.max(...held)).toBeLessThanOrEqual(80);
  expect(Math.max(...held)).toBeGreaterThan(60);
});
