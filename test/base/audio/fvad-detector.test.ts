import { fvadDetector } from '../../../src/base/audio/fvad-detector.js';
import type { CreateVoiceDetector, VoiceDetector } from '../../../src/base/audio/voice-detector.js';
import { VoicebotError } from '../../../src/base/errors.js';
import { speechIn } from './heard.js';
import { concat, cut } from './signals.js';
import { hiss, silence, vowel } from './voices.js';

test.each([8_000, 16_000, 24_000, 48_000])('at %d Hz tells when a voice begins and ends', async (rate) => {
  const pcm = concat(silence(1_000, rate), vowel(600, rate), silence(800, rate));
  const [first, ...more] = speechIn(pcm, await fvadDetector()(rate), rate);
  expect(more).toEqual([]);
  expect(first?.[0]).toBeGreaterThan(1_000);
  expect(first?.[0]).toBeLessThanOrEqual(1_160);
  expect(first?.[1]).toBeGreaterThan(1_600);
  expect(first?.[1]).toBeLessThanOrEqual(1_860);
});

test('many calls share the module and not what they hear', async () => {
  const create = fvadDetector();
  const detectors = await Promise.all(Array.from({ length: 50 }, () => create(8_000)));
  const speaks = (call: number) => call % 2 === 0;
  let told: boolean[] = [];
  for (const piece of cut(vowel(400), [160])) {
    told = detectors.map((detector, call) => detector.isSpeech(speaks(call) ? piece : silence(20)) === true);
  }
  expect(told).toEqual(detectors.map((_, call) => speaks(call)));
});

test('goes on when the memory of the module has grown under it', async () => {
  const create = fvadDetector();
  const first = await create(8_000);
  await Promise.all(Array.from({ length: 25_000 }, () => create(8_000))); // more than 16 MiB in all
  expect(speechIn(concat(silence(500), vowel(500), silence(500)), first)).toHaveLength(1);
});

test('a higher mode hears less noise', async () => {
  const noisy = concat(silence(500), hiss(3_000, 400), silence(500));
  const speechMs = async (mode: 0 | 3) =>
    speechIn(noisy, await fvadDetector({ mode })(8_000)).reduce((sum, [start, end]) => sum + end - start, 0);
  expect(await speechMs(3)).toBeLessThan(await speechMs(0));
});

test('refuses what it cannot do', async () => {
  expect(() => fvadDetector({ mode: 4 as 3 })).toThrow(
    new VoicebotError('VB_CONFIG_INVALID', 'mode must be 0 to 3, got 4'),
  );
  expect(() => fvadDetector({ hangoverMs: 9_000 })).toThrow(/hangoverMs must be 0 to 2000/);
  await expect(fvadDetector()(11_025)).rejects.toMatchObject({ code: 'VB_AUDIO_INVALID' });
});

/** Stands for a neural network, which answers later than it is asked. */
function slowDetector(judge: (pcm: Int16Array) => Promise<boolean>): CreateVoiceDetector {
  return () => {
    let latest = false;
    let queue = Promise.resolve();
    return {
      isSpeech(pcm) {
        queue = queue.then(async () => {
          latest = await judge(pcm);
        });
        return latest;
      },
    };
  };
}

test("a user's own detector may answer with what it found out last", async () => {
  const create = slowDetector(async (pcm) => pcm.some((sample) => Math.abs(sample) > 500));
  const detector: VoiceDetector = await create(8_000);
  expect(detector.isSpeech(vowel(20))).toBe(false);
  await new Promise(setImmediate);
  expect(detector.isSpeech(silence(20))).toBe(true);
  await new Promise(setImmediate);
  expect(detector.isSpeech(silence(20))).toBe(false);
});
