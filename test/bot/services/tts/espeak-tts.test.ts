import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { levelDb } from '../../../../src/base/audio/level.js';
import { OutputAudioFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { EspeakTTS } from '../../../../src/bot/services/tts/espeak-tts.js';
import { speechTest } from '../../../e2e/espeak.js';
import { Speaking, until } from './speaking.js';

const SENTENCE = 'The weather is fine today, and the bakery opens at nine. ';

describe('EspeakTTS', () => {
  speechTest().each([8_000, 16_000, 24_000, 48_000])(
    'speaks at %d Hz, loud enough and not too long (needs espeak-ng)',
    async (rate) => {
      using speaking = new Speaking(new EspeakTTS({ cache: false }), rate);
      await speaking.speak(SENTENCE);
      expect(speaking.errors).toEqual([]);
      expect(speaking.after.of(OutputAudioFrame)[0]?.sampleRate).toBe(rate);
      expect(speaking.audioMs).toBeGreaterThan(2_500);
      expect(speaking.audioMs).toBeLessThan(6_000);
      expect(levelDb(speaking.audio)).toBeGreaterThan(-30);
      expect(levelDb(speaking.audio)).toBeLessThan(-8);
    },
  );

  speechTest()('says sentence after sentence, each text right before its audio (needs espeak-ng)', async () => {
    using speaking = new Speaking(new EspeakTTS({ cache: false }));
    speaking.answer('One. ', 'Two. ', 'Three.');
    await speaking.said();
    const order = speaking.order.filter((kind) => !kind.startsWith('LLM'));
    expect(order).toEqual([
      'TTSStarted',
      'One. ',
      'OutputAudio',
      'Two. ',
      'OutputAudio',
      'Three.',
      'OutputAudio',
      'TTSStopped',
    ]);
  });

  speechTest()('gives the same audio as the program alone, at its own pace (needs espeak-ng)', async () => {
    using slow = new Speaking(new EspeakTTS({ cache: false, speed: 120 }));
    using fast = new Speaking(new EspeakTTS({ cache: false, speed: 300 }));
    await Promise.all([slow.speak(SENTENCE), fast.speak(SENTENCE)]);
    expect(slow.audioMs).toBeGreaterThan(fast.audioMs * 1.7);
  });

  speechTest()('says text that looks like an option, a command or nothing at all (needs espeak-ng)', async () => {
    using speaking = new Speaking(new EspeakTTS({ cache: false }));
    await speaking.speak('--version -f /etc/passwd; $(reboot) `id`');
    expect(speaking.errors).toEqual([]);
    expect(speaking.audioMs).toBeGreaterThan(2_000);
    await speaking.speak('...');
    expect(speaking.stops).toBe(1);
  });

  speechTest()('tells what the program says of a voice that there is not (needs espeak-ng)', async () => {
    using speaking = new Speaking(new EspeakTTS({ cache: false, voice: 'zzq' }));
    await speaking.speak('Hello.');
    expect(speaking.errors).toEqual([expect.objectContaining({ isFinal: true, code: 'VB_PROVIDER_FAILED' })]);
    expect(speaking.texts).toEqual([]);
  });

  test('says how to install the program where it is missing', async () => {
    using speaking = new Speaking(new EspeakTTS({ cache: false, program: 'no-such-program' }));
    await speaking.speak('Hello.');
    expect(speaking.errors).toEqual([
      expect.objectContaining({
        isFinal: true,
        message: expect.stringContaining('no-such-program is not installed'),
        hint: expect.stringContaining('sudo apt install espeak-ng'),
      }),
    ]);
  });

  test('an interruption ends the program, and nothing it had said follows', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'espeak-'));
    const [program, note] = [join(directory, 'speak'), join(directory, 'pid')];
    // Speaks a second of noise, and then for ever nothing.
    const script = `#!/bin/sh\necho $$ > ${note}\nhead -c 44 /dev/zero | tr '\\0' '\\200' > /dev/null\n`;
    const header = `printf 'RIFF\\0\\0\\0\\0WAVEfmt \\020\\0\\0\\0\\001\\0\\001\\0\\100\\037\\0\\0\\200\\076\\0\\0\\002\\0\\020\\0data\\0\\0\\0\\0'\n`;
    await writeFile(program, `${script}${header}head -c 16000 /dev/urandom\nexec sleep 60\n`, { mode: 0o755 });
    try {
      using speaking = new Speaking(new EspeakTTS({ cache: false, program }));
      void speaking.speak('Hello.');
      await until(() => speaking.audioMs > 500, 'audio');
      const pid = Number(await readFile(note, 'utf8'));
      speaking.interrupt();
      const before = speaking.audioMs;
      await until(() => !isAlive(pid), 'the end of the program');
      await speaking.said();
      expect(speaking.audioMs).toBe(before);
      expect(speaking.errors).toEqual([]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test('refuses options that are malformed or out of range, all at once', () => {
    expect(() => new EspeakTTS({ voice: '--stdout', speed: 0, pitch: 100 })).toThrow(/voice.*speed.*pitch/);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
