import { readFileSync } from 'node:fs';
import { levelDb } from '../../../src/base/audio/level.js';
import type { Language } from '../../../src/bot/pipeline/language.js';
import { type LineFrame, recordedLine } from '../../../src/bot/pipeline/recorded-lines.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';

const LANGUAGES: readonly Language[] = ['en', 'de', 'es', 'fr', 'it'];
const LINES = (['apology', 'one-moment'] as const).flatMap((name) => LANGUAGES.map((of) => [name, of] as const));

test.each(LINES)('%s in %s is speech of a telephone, and is read once', (name, language) => {
  const [leastMs, mostMs] = name === 'apology' ? [4_000, 9_000] : [800, 2_500];
  const line = recordedLine(name, language);
  expect(line.sampleRate).toBe(8_000);
  expect(line.pcm.length).toBeGreaterThan(leastMs * 8);
  expect(line.pcm.length).toBeLessThan(mostMs * 8);
  expect(recordedLine(name, language)).toBe(line);
});

test.each(LINES)('%s in %s is what the script records, in its own sound', (name, language) => {
  const line = recordedLine(name, language);
  const { text } = line as LineFrame;
  expect(readFileSync(`${PACKAGE_ROOT}scripts/make-prompts.sh`, 'utf8')).toContain(text);
  const others = LANGUAGES.filter((one) => one !== language).map((one) => recordedLine(name, one) as LineFrame);
  for (const other of others) {
    expect(other.pcm).not.toEqual(line.pcm);
    expect(other.text).not.toBe(text);
  }
});

test('without a language they are in English', () => {
  expect(recordedLine('apology')).toBe(recordedLine('apology', 'en'));
});

test('the lines are equally loud', () => {
  const loudness = LINES.map(([name, language]) => levelDb(recordedLine(name, language).pcm));
  expect(Math.min(...loudness)).toBeGreaterThan(-25);
  expect(Math.max(...loudness)).toBeLessThan(-15);
  expect(Math.max(...loudness) - Math.min(...loudness)).toBeLessThan(3);
});
