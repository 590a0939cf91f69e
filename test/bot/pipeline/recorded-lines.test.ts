import { levelDb } from '../../../src/base/audio/level.js';
import { recordedLine } from '../../../src/bot/pipeline/recorded-lines.js';

test.each([
  ['apology', 4_000, 8_000],
  ['one-moment', 800, 2_500],
] as const)('%s is speech of a telephone, and is read once', (name, leastMs, mostMs) => {
  const line = recordedLine(name);
  expect(line.sampleRate).toBe(8_000);
  expect(line.pcm.length).toBeGreaterThan(leastMs * 8);
  expect(line.pcm.length).toBeLessThan(mostMs * 8);
  expect(levelDb(line.pcm)).toBeGreaterThan(-25);
  expect(levelDb(line.pcm)).toBeLessThan(-15);
  expect(recordedLine(name)).toBe(line);
});

test('the lines are equally loud', () => {
  const loudness = (name: 'apology' | 'one-moment') => levelDb(recordedLine(name).pcm);
  expect(Math.abs(loudness('apology') - loudness('one-moment'))).toBeLessThan(3);
});
