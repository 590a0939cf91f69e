import { EnergyDetector } from '../../../src/base/audio/energy-detector.js';
import { fvadDetector } from '../../../src/base/audio/fvad-detector.js';
import type { VoiceDetector } from '../../../src/base/audio/voice-detector.js';
import { speechTest } from '../../e2e/espeak.js';
import { speechIn } from './heard.js';
import { concat, mix } from './signals.js';
import { spoken } from './spoken.js';
import { hiss, silence } from './voices.js';

const SENTENCES = [
  'I would like to book a table for four people on Friday.',
  'Yes, please.',
  'No, not really, I am afraid.',
];
const PAUSE_MS = 1_500;
const LEAD_MS = 4_000;

/** Sentences in white noise 10 dB below them, and when each is said. */
function conversation() {
  const pieces: Int16Array[] = [silence(LEAD_MS)];
  const said: Array<{ startMs: number; endMs: number }> = [];
  let atMs = LEAD_MS;
  for (const sentence of SENTENCES) {
    const pcm = trimmed(spoken(sentence));
    const endMs = atMs + pcm.length / 8;
    said.push({ startMs: atMs, endMs });
    pieces.push(pcm, silence(PAUSE_MS));
    atMs = endMs + PAUSE_MS;
  }
  const speech = concat(...pieces);
  const rms = Math.sqrt(
    speech.reduce((sum, sample) => sum + sample ** 2, 0) / (said.reduce((ms, s) => ms + s.endMs - s.startMs, 0) * 8),
  );
  return { pcm: mix(speech, hiss(speech.length / 8, rms / 10 ** (10 / 20))), said };
}

/** Without the silence that the program puts around. */
function trimmed(pcm: Int16Array): Int16Array {
  const isLoud = (sample: number) => Math.abs(sample) > 400;
  return pcm.slice(pcm.findIndex(isLoud), pcm.findLastIndex(isLoud));
}

const detectors: Array<[string, () => VoiceDetector | Promise<VoiceDetector>]> = [
  ['energy', () => new EnergyDetector(8_000)],
  ['fvad', () => fvadDetector()(8_000)],
];

describe.each(detectors)('%s', (name, create) => {
  speechTest()('hears every sentence in noise 10 dB below, without delay (needs espeak-ng)', async () => {
    const { pcm, said } = conversation();
    const stretches = speechIn(pcm, await create());
    for (const { startMs, endMs } of said) {
      expect(stretches.some(([start, end]) => start < startMs + 300 && end > startMs + 300)).toBe(true);
      expect(stretches.some(([start, end]) => start < endMs && end >= endMs - 400)).toBe(true);
    }
    if (name !== 'energy') return; // the other one hears steady noise for a while
    expect(stretches.filter(([start]) => said.every((s) => start < s.startMs - 50 || start > s.endMs))).toEqual(
      stretches.filter(([start]) => start < LEAD_MS - 1_000),
    );
    for (const { endMs } of said) {
      expect(stretches.some(([, end]) => end > endMs - 400 && end < endMs + 400)).toBe(true);
    }
  });
});
