import { EnergyDetector, type EnergyDetectorOptions, energyDetector } from '../../../src/base/audio/energy-detector.js';
import { decodeMulaw, encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { VoicebotError } from '../../../src/base/errors.js';
import { speechIn } from './heard.js';
import { concat, cut, gain, mix, noise, sine } from './signals.js';
import { brown, hiss, pink, silence, vowel } from './voices.js';

const hear = (pcm: Int16Array, options?: EnergyDetectorOptions) => speechIn(pcm, new EnergyDetector(8_000, options));

test('hears nothing in digital silence, in a quiet room and in comfort noise that comes and goes', () => {
  expect(hear(silence(5_000))).toEqual([]);
  expect(hear(hiss(5_000, 20))).toEqual([]);
  const line = [1, 2, 3].flatMap(() => [silence(700), hiss(900, 60)]);
  expect(hear(decodeMulaw(encodeMulaw(concat(...line))))).toEqual([]);
});

test.each([8_000, 16_000, 24_000, 48_000])('at %d Hz tells when a voice begins and ends', (rate) => {
  const pcm = concat(hiss(2_000, 20, rate), mix(vowel(600, rate), hiss(600, 20, rate)), hiss(1_000, 20, rate));
  const [first, ...more] = speechIn(pcm, new EnergyDetector(rate), rate);
  expect(more).toEqual([]);
  expect(first?.[0]).toBeGreaterThan(2_000);
  expect(first?.[0]).toBeLessThanOrEqual(2_100);
  expect(first?.[1]).toBeGreaterThan(2_600);
  expect(first?.[1]).toBeLessThanOrEqual(2_860);
});

test('says the same however the audio is cut', () => {
  const pcm = concat(hiss(1_000, 40), vowel(500), silence(400), vowel(300), hiss(500, 40));
  const whole = (sizes: number[]) => {
    const detector = new EnergyDetector(8_000);
    return cut(pcm, sizes).map((piece) => detector.isSpeech(piece));
  };
  const everyTenMs = whole([80]);
  expect(everyTenMs).toContain(true);
  expect(whole([160])).toEqual(everyTenMs.filter((_, i) => i % 2 === 1));
  expect(whole([7, 73])).toEqual(everyTenMs.flatMap((now, i) => [everyTenMs[i - 1] ?? false, now]));
});

test('hears a caller who speaks from the first sample, and the pause after it', () => {
  const sentence = [1, 2, 3].flatMap(() => [vowel(350), hiss(120, 20)]);
  const [first, ...more] = hear(concat(...sentence, hiss(1_000, 20)));
  expect(first?.[0]).toBeLessThanOrEqual(100);
  expect(first?.[1]).toBeGreaterThan(1_290);
  expect(first?.[1]).toBeLessThanOrEqual(1_530);
  expect(more).toEqual([]);
});

test('does not take clicks for speech', () => {
  const click = concat(noise(40, 20_000), new Int16Array(1_560));
  expect(hear(concat(hiss(1_000, 20), ...new Array<Int16Array>(20).fill(click)))).toEqual([]);
});

test('gaps between words are speech, and pauses are not', () => {
  const said = (gapMs: number) => concat(hiss(1_000, 20), vowel(400), hiss(gapMs, 20), vowel(400), hiss(1_000, 20));
  expect(hear(said(120))).toHaveLength(1);
  expect(hear(said(400))).toHaveLength(2);
  expect(hear(said(400), { hangoverMs: 500 })).toHaveLength(1);
});

test('tells the end of speech within 240 ms also when it stops in noise', () => {
  const pcm = mix(concat(silence(4_000), vowel(1_000), silence(2_000)), hiss(7_000, 300));
  const latest = hear(pcm).at(-1);
  expect(latest?.[0]).toBeGreaterThan(4_000);
  expect(latest?.[1]).toBeLessThanOrEqual(5_240);
});

test('learns a noise that begins, becomes louder and softer again, within three seconds, and hears a voice in it', () => {
  const pcm = concat(hiss(4_000, 30), hiss(6_000, 500), hiss(4_000, 100));
  const voice = concat(silence(8_000), vowel(500, 8_000, 3_000), silence(5_500));
  const stretches = hear(mix(pcm, voice));
  const [step, spoken, ...more] = stretches;
  expect(step?.[0]).toBeGreaterThan(4_000);
  expect(step?.[1]).toBeLessThan(7_000);
  expect(spoken?.[0]).toBeLessThanOrEqual(8_120);
  expect(spoken?.[1]).toBeLessThanOrEqual(8_760);
  expect(more).toEqual([]);
});

test('does not take a hum for speech, however loud, and hears a voice over it', () => {
  const hum = mix(sine(50, 8_000, 40_000, 8_000), sine(100, 8_000, 40_000, 2_000));
  expect(hear(hum)).toEqual([]);
  const over = hear(mix(hum, concat(silence(3_000), vowel(500), silence(1_500))));
  expect(over).toHaveLength(1);
  expect(over[0]?.[0]).toBeLessThanOrEqual(3_120);
});

test('a steady tone is learnt like noise', () => {
  const [tone, ...more] = hear(concat(hiss(500, 20), sine(1_000, 8_000, 64_000, 3_000)));
  expect(tone?.[1]).toBeLessThan(3_800);
  expect(more).toEqual([]);
});

const COLOURS = { white: hiss, pink, brown };
const LOUDNESS = [50, 150, 500, 1_500];
const NOISES = Object.entries(COLOURS).flatMap(([colour, make]) => LOUDNESS.map((rms) => ({ colour, rms, make })));

test.each(NOISES)(
  'does not take steady $colour noise at $rms for speech when a call begins with it',
  ({ rms, make }) => {
    const line = (pcm: Int16Array) => decodeMulaw(encodeMulaw(pcm));
    expect(hear(line(make(4_000, rms)))).toEqual([]);
    expect(hear(line(concat(silence(333), make(4_000, rms))))).toEqual([]);
  },
);

test.each(Object.entries(COLOURS))('hears a voice that begins 300 ms after %s noise, at once', (_, make) => {
  const pcm = mix(concat(silence(300), vowel(600, 8_000, 3_000), silence(2_000)), make(2_900, 300));
  const [first, ...more] = hear(pcm);
  expect(first?.[0]).toBeGreaterThan(300);
  expect(first?.[0]).toBeLessThanOrEqual(420);
  expect(first?.[1]).toBeLessThanOrEqual(1_140);
  expect(more).toEqual([]);
});

test('hears a voice from the first sample within 150 ms, in a noisy place and after digital silence too', () => {
  const voice = concat(vowel(400, 8_000, 3_000), silence(100), vowel(400, 8_000, 3_000), silence(500));
  for (const leadMs of [0, 300]) {
    const pcm = concat(silence(leadMs), mix(voice, pink(1_400, 200)));
    expect(hear(pcm)[0]?.[0]).toBeLessThanOrEqual(leadMs + 160);
  }
});

test('hears the pauses of a caller who speaks from the first sample in a noisy place, soon', () => {
  const voice = concat(vowel(500, 8_000, 3_000), silence(2_500), vowel(500, 8_000, 3_000), silence(1_000));
  const stretches = hear(mix(voice, pink(4_500, 200)));
  expect(stretches[0]?.[1]).toBeLessThan(2_000);
  expect(stretches.at(-1)?.[0]).toBeGreaterThan(3_000);
  expect(stretches.at(-1)?.[1]).toBeLessThanOrEqual(3_740);
});

test('a packet that is lost in steady noise makes it no voice', () => {
  const parts = [hiss(100, 500), silence(20), hiss(100, 500), silence(20), hiss(3_000, 500)];
  expect(hear(concat(...parts))).toEqual([]);
});

test('says for how long it says speech after the last sound, which follows its option', () => {
  const hangoverOf = (options?: EnergyDetectorOptions) => new EnergyDetector(8_000, options).hangoverMs;
  expect(hangoverOf()).toBe(160);
  expect(hangoverOf({ hangoverMs: 400 })).toBe(380);
  expect(hangoverOf({ hangoverMs: 0 })).toBe(0);
});

test('hears very quiet speech, and speech that is clipped', () => {
  const quiet = concat(hiss(1_500, 3), vowel(500, 8_000, 160), hiss(800, 3));
  expect(hear(decodeMulaw(encodeMulaw(quiet)))).toHaveLength(1);
  const clipped = gain(vowel(500, 8_000, 6_000), 20).map((sample) => Math.max(-32_768, Math.min(32_767, sample)));
  expect(hear(concat(hiss(1_500, 20), clipped, hiss(800, 20)))).toHaveLength(1);
});

test('ignores a voice in the background while the caller is much louder, and hears it when it is alone', () => {
  const background = concat(...[1, 2, 3, 4, 5, 6].flatMap(() => [vowel(200, 8_000, 220, 190), hiss(200, 10)]));
  expect(hear(concat(hiss(1_500, 10), vowel(800, 8_000, 3_000), hiss(500, 10), background))).toHaveLength(1);
  expect(hear(concat(hiss(1_500, 10), background)).length).toBeGreaterThan(1);
});

test('a higher threshold wants clearer speech', () => {
  const pcm = mix(concat(silence(4_000), vowel(500, 8_000, 800), silence(500)), hiss(5_000, 250));
  const heard = (thresholdDb: number) => hear(pcm, { thresholdDb }).some(([start]) => start > 4_000);
  expect(heard(8)).toBe(true);
  expect(heard(26)).toBe(false);
});

test('refuses options out of their range, all together, before there is a call', () => {
  expect(() => energyDetector({ thresholdDb: 1, minLevelDb: 0 })).toThrow(
    new VoicebotError('VB_CONFIG_INVALID', 'thresholdDb must be 4 to 30, got 1; minLevelDb must be -80 to -20, got 0'),
  );
  expect(() => energyDetector({ onsetMs: 0, hangoverMs: -1 })).toThrow(/onsetMs must be 10 to 500, got 0; hangoverMs/);
});

test('refuses a rate it cannot resample', () => {
  expect(() => energyDetector()(11_025)).toThrow(expect.objectContaining({ code: 'VB_AUDIO_INVALID' }));
});

test('the detectors of two calls know nothing of each other', async () => {
  const create = energyDetector();
  const [one, other] = [await create(8_000), await create(8_000)];
  for (const piece of cut(vowel(200), [160])) one.isSpeech(piece);
  expect(one.isSpeech(vowel(20))).toBe(true);
  expect(other.isSpeech(silence(20))).toBe(false);
});
