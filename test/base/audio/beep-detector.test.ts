import { BeepDetector } from '../../../src/base/audio/beep-detector.js';
import { DTMF_DIGITS } from '../../../src/base/audio/dtmf-digit.js';
import { generateDtmf } from '../../../src/base/audio/dtmf-generator.js';
import { COLUMN_FREQUENCIES, ROW_FREQUENCIES } from '../../../src/base/audio/dtmf-keypad.js';
import { decodeMulaw, encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { ToneSource } from '../../../src/base/audio/tones.js';
import { speechTest } from '../../e2e/espeak.js';
import { sandboxVoicemail } from './sandbox-voicemail.js';
import { concat, cut, mix, sine } from './signals.js';
import { spoken } from './spoken.js';
import { hiss, silence, vowel } from './voices.js';

/** When beeps were told, in milliseconds. */
function beepsIn(pcm: Int16Array, rate = 8_000): number[] {
  const detector = new BeepDetector(rate);
  return cut(pcm, [rate / 50]).flatMap((piece, i) => (detector.process(piece) ? [(i + 1) * 20] : []));
}

const tone = (hz: number, ms: number, rate = 8_000, amplitude = 6_000) =>
  sine(hz, rate, Math.round((ms * rate) / 1_000), amplitude);
const dual = (low: number, high: number, ms: number) => mix(tone(low, ms, 8_000, 4_000), tone(high, ms, 8_000, 4_000));
const fromNetwork = (pcm: Int16Array, noiseRms: number) =>
  decodeMulaw(encodeMulaw(mix(pcm, hiss(pcm.length / 8, noiseRms))));
const greeting = vowel(900);

test.each([400, 425, 440, 600, 800, 950, 987, 1_000, 1_400, 2_000])('finds a beep of %d Hz, once', (hz) => {
  for (const ms of [200, 2_000]) {
    for (const noiseRms of [0, 1_000]) {
      const beeps = beepsIn(fromNetwork(concat(greeting, silence(300), tone(hz, ms), silence(800)), noiseRms));
      expect(beeps).toHaveLength(1);
      expect(beeps[0]).toBeGreaterThan(1_200 + ms);
      expect(beeps[0]).toBeLessThanOrEqual(1_200 + ms + 200);
    }
  }
});

test.each([
  [425, 850],
  [600, 1_000],
  [950, 1_400],
])('finds a beep of %d and %d Hz together', (low, high) => {
  expect(beepsIn(concat(greeting, silence(200), dual(low, high, 400), silence(500)))).toHaveLength(1);
});

test.each([16_000, 24_000, 48_000])('finds it at %d Hz', (rate) => {
  expect(beepsIn(concat(silence(200, rate), tone(1_000, 400, rate), silence(500, rate)), rate)).toHaveLength(1);
});

test('says the same however the audio is cut', () => {
  const pcm = concat(greeting, silence(200), tone(1_000, 400), silence(500));
  const detector = new BeepDetector();
  expect(cut(pcm, [7, 400, 33]).filter((piece) => detector.process(piece))).toHaveLength(1);
  expect(new BeepDetector().process(pcm)).toBe(true);
});

test('waits until the beep has ended, and wants quiet after it', () => {
  expect(beepsIn(concat(greeting, tone(1_000, 600)))).toEqual([]);
  expect(beepsIn(concat(greeting, tone(1_000, 600), vowel(600, 8_000, 4_000)))).toEqual([]);
});

test('finds the beep of the sandbox', async () => {
  const detector = new BeepDetector();
  let beeps = 0;
  for await (const piece of sandboxVoicemail()) {
    if (detector.process(piece)) beeps += 1;
  }
  expect(beeps).toBe(1);
});

test.each([
  ['is too short', tone(1_000, 100)],
  ['does not end', tone(1_000, 5_000)],
  ['glides', Int16Array.from({ length: 4_000 }, (_, n) => 6_000 * Math.sin(2.5 * n ** 1.1))],
  ['fades', tone(1_000, 600).map((sample, n) => sample * Math.exp(-n / 1_200))],
  ['trembles', tone(1_000, 600).map((sample, n) => sample * (0.6 + 0.4 * Math.sin(n / 40)))],
  ['is hardly there', tone(1_000, 600, 8_000, 60)],
])('is not misled by a tone that %s', (_, sound) => {
  expect(beepsIn(concat(greeting, silence(300), sound, silence(500)))).toEqual([]);
});

test('keys are no beeps, however long they are held', () => {
  const held = ROW_FREQUENCIES.flatMap((row) =>
    COLUMN_FREQUENCIES.map((column) => concat(dual(row, column, 400), silence(300))),
  );
  const pressed = DTMF_DIGITS.map((digit) => concat(generateDtmf(digit), silence(300)));
  expect(beepsIn(concat(greeting, silence(300), ...held, ...pressed))).toEqual([]);
});

test.each(['ringback', 'busy', 'congestion', 'hold'] as const)('%s is no beep', (sound) => {
  expect(beepsIn(ToneSource[sound]().read(12 * 8_000))).toEqual([]);
  expect(beepsIn(concat(greeting, ToneSource[sound]().read(12 * 8_000)))).toEqual([]);
});

test('the ringing of other countries is no beep before anybody has spoken, and the tones of an announcement never', () => {
  const ring = concat(tone(425, 1_000), silence(4_000));
  expect(beepsIn(concat(ring, ring, ring))).toEqual([]);
  const announcement = concat(tone(950, 330), tone(1_400, 330), tone(1_800, 330), silence(1_000));
  expect(beepsIn(concat(greeting, silence(500), announcement))).toEqual([]);
});

const TEXT =
  'Well, I was going to take the train, but then my sister called and said that the weather would turn. Mmm. Ooh no! ' +
  'Hmm. Who knew? Zoo. You too? So we stayed, had another cup of coffee and talked about the house. Hello. Yes. No. Okay.';

speechTest()(
  'raises no false alarm in five minutes of speech (needs espeak-ng)',
  async () => {
    let seconds = 0;
    for (const language of ['en-us', 'en-gb', 'de', 'es', 'fr', 'it', 'pl', 'pt', 'nl', 'sv']) {
      const pcm = spoken(`${TEXT} ${TEXT} ${TEXT}`, language);
      seconds += pcm.length / 8_000;
      expect(beepsIn(pcm)).toEqual([]);
    }
    expect(seconds).toBeGreaterThan(300);
  },
  60_000,
);
