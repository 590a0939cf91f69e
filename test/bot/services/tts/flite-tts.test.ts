import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { levelDb } from '../../../../src/base/audio/level.js';
import { OutputAudioFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { FLITE_VOICES } from '../../../../src/bot/services/tts/flite-program.js';
import { FliteThread, speakWithFlite } from '../../../../src/bot/services/tts/flite-thread.js';
import { FliteTTS } from '../../../../src/bot/services/tts/flite-tts.js';
import { PACKAGE_ROOT } from '../../../cli/voicebot.js';
import { Speaking, until } from './speaking.js';

const SENTENCE = 'The weather is fine today, and the bakery opens at nine. ';

test.each([
  [8_000, 'slt'],
  [16_000, 'kal16'],
  [24_000, 'kal'],
  [48_000, 'rms'],
  [8_000, 'awb'],
] as const)('speaks at %d Hz in the voice %s, loud enough and not too long', async (rate, voice) => {
  using speaking = new Speaking(new FliteTTS({ cache: false, voice }), rate);
  await speaking.speak(SENTENCE);
  expect(speaking.errors).toEqual([]);
  expect(speaking.after.of(OutputAudioFrame)[0]?.sampleRate).toBe(rate);
  expect(speaking.audioMs).toBeGreaterThan(2_500);
  expect(speaking.audioMs).toBeLessThan(6_000);
  expect(levelDb(speaking.audio)).toBeGreaterThan(-32);
  expect(levelDb(speaking.audio)).toBeLessThan(-8);
});

test('says sentence after sentence, each text right before its audio, and begins without a pause', async () => {
  using speaking = new Speaking(new FliteTTS({ cache: false }));
  speaking.answer('One. ', 'Two. ', 'Three.');
  await speaking.said();
  const order = speaking.order.filter((kind) => !kind.startsWith('LLM'));
  const spoken = ['One. ', 'Two. ', 'Three.'].flatMap((text) => [text, 'OutputAudio']);
  expect(order).toEqual(['TTSStarted', ...spoken, 'TTSStopped']);
  expect(speaking.audio.findIndex((sample) => Math.abs(sample) > 200)).toBeLessThan(0.05 * 8_000);
});

test('an interruption drops what is being said and what waits, and the next text is said', async () => {
  using speaking = new Speaking(new FliteTTS({ cache: false }));
  speaking.answer(SENTENCE, SENTENCE, SENTENCE);
  await until(() => speaking.audioMs > 0, 'audio');
  speaking.interrupt();
  const before = speaking.audioMs;
  await speaking.said();
  expect(speaking.audioMs).toBe(before);
  await speaking.speak('Hello.');
  expect(speaking.audioMs - before).toBeLessThan(1_500);
});

test('says English letters only, and accented ones without their accents', async () => {
  const [plain, accented, cyrillic, options] = await Promise.all(
    ["It's a cafe, really.", 'It’s a café, really.', 'Привет!', '-o /tmp/x --version %s%n <speak>'].map((text) =>
      speakWithFlite(text, 8_000),
    ),
  );
  expect(accented).toEqual(plain);
  expect(cyrillic).toHaveLength(0);
  expect(options?.length).toBeGreaterThan(8_000);
});

test('refuses a voice that there is not, naming those there are', () => {
  expect(() => new FliteTTS({ voice: 'anna' as 'slt' })).toThrow(
    `voice "anna" is not known: there are ${FLITE_VOICES.join(', ')}`,
  );
});

test('a thread that fails is replaced, and each text is told of', async () => {
  const thread = new FliteThread(() => '/no-such.wasm');
  const say = (text: string) =>
    new Promise((resolve) => {
      thread.say({ voice: 'slt', text, sampleRate: 8_000 }, { audio: () => {}, over: resolve });
    });
  const failure = expect.objectContaining({ isFinal: true, message: expect.stringContaining('no-such.wasm') });
  expect(await Promise.all([say('One.'), say('Two.')])).toEqual([failure, failure]);
});

test('the event loop goes on while it speaks, and a process ends that has nothing else to do', async () => {
  const source = `
    import { FliteTTS } from 'voicebot/services';
    let turns = 0;
    const timer = setInterval(() => { turns += 1; }, 1);
    await FliteTTS.load();
    clearInterval(timer);
    console.log(turns);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], {
    cwd: PACKAGE_ROOT,
  });
  expect(Number(stdout)).toBeGreaterThan(5);
});
