import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '../../../src/base/audio/wav.js';
import type { BotOptions } from '../../../src/bot/api/define-bot.js';
import { checkNotices, type Notice, wordingIn } from '../../../src/bot/api/parts/notices-part.js';
import { definitionOf } from '../../../src/call/bot-definition.js';
import { cartesia, deepgramVoice, defineBot, elevenlabs, flite } from '../../../src/index.js';

const tts = flite();
const onCall = () => {};

describe('a disclosure is refused', () => {
  const LONG = 'word '.repeat(70);
  test.each([
    [{ text: '', when: 'always' }, ['disclosure.text must have words']],
    [{ text: ' … ', when: 'always' }, ['disclosure.text must have words']],
    [{ text: {}, when: 'always' }, ['disclosure.text must have words']],
    [{ text: 'Hello', when: 'sometimes' }, ["disclosure.when must be 'always' or 'outbound'"]],
    [{ text: 'Hello', when: 'always', wen: 1 }, [expect.stringContaining('disclosure.wen is not known')]],
    [{ text: LONG, when: 'always' }, ['disclosure.text takes about 23 s to say: at most 20 s']],
    [{ notNeeded: '' }, ['disclosure.notNeeded must say why']],
    ['Hello', ["disclosure must be { text, when } or { notNeeded: 'why' }"]],
    [
      { text: { en: 'Hello', german: 'Hallo' }, when: 'always' },
      [expect.stringContaining('a name in disclosure.text')],
    ],
    [
      { text: { en: '', de: LONG }, when: 'always' },
      ['disclosure.text.en must have words', 'disclosure.text.de takes about 23 s to say: at most 20 s'],
    ],
  ])('%j', (disclosure, problems) => {
    expect(checkNotices({ tts, disclosure }).problems).toEqual(problems);
  });

  test('without a voice', () => {
    const [problem] = checkNotices({ disclosure: { text: 'Hello', when: 'always' } }).problems;
    const voice = 'needs a voice that says it word for word: give the bot `tts`, or';
    expect(problem).toBe(`disclosure.text ${voice} disclosure.file, a recording`);
    const notice = { de: 'Es wird aufgezeichnet.' };
    expect(checkNotices({ record: { notice } }).problems).toEqual([
      `record.notice.de ${voice} record.notice.file.de, a recording`,
    ]);
  });

  test('of a bot whose realtime model has others beside it: a voice would be refused, so that a recording is asked for', () => {
    const notices = { disclosure: { text: 'Hello', when: 'always' }, record: { notice: 'It is recorded.' } };
    expect(checkNotices({ ...notices, otherwise: {} }).problems).toEqual([
      'disclosure.text is not said word for word by a bot with otherwise: give disclosure.file, a recording',
      'record.notice is not said word for word by a bot with otherwise: give record.notice.file, a recording',
    ]);
  });

  test('in a language that no voice of the bot speaks', () => {
    const voices = { en: tts, es: tts };
    const text = { en: 'Hello', 'es-MX': 'Hola', de: 'Hallo' };
    expect(checkNotices({ tts: voices, disclosure: { text, when: 'always' } }).problems).toEqual([
      'disclosure.text.de is in a language that no voice of tts speaks',
    ]);
  });

  describe('in a language that the one voice of the bot lacks', () => {
    const told = (tts: BotOptions['tts'], text: Record<string, string>, more: Partial<BotOptions> = {}) => {
      try {
        defineBot({ tts, onCall, disclosure: { text, when: 'always' }, ...more });
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };

    test('as a voice says it that has one language, alone or in a list', () => {
      const text = { 'en-GB': 'Hello', 'de-AT': 'Hallo' };
      const words = "disclosure.text.de-AT is in Austrian German (de-AT), which the bot's voice does not speak";
      expect(told(tts, text)).toContain(words);
      expect(told([elevenlabs({ apiKey: 'k' }), tts], text)).toContain(words);
      expect(told(deepgramVoice({ apiKey: 'k', voice: 'aura-2-viktoria-de' }), text)).toContain(
        "disclosure.text.en-GB is in British English (en-GB), which the bot's voice does not speak",
      );
      const record = { notice: { fr: 'Cet appel est enregistré.' } };
      expect(told(tts, { en: 'Hello' }, { record })).toContain('record.notice.fr is in French (fr)');
    });

    test('and not by a voice that takes the language, whose vendor does not tell, or that a file stands in for', () => {
      const text = { en: 'Hello', de: 'Hallo' };
      for (const voice of [deepgramVoice, cartesia, elevenlabs]) expect(told(voice({ apiKey: 'k' }), text)).toBe('');
      expect(told(cartesia({ apiKey: 'k', language: 'en' }), text)).toContain('disclosure.text.de');
    });
  });

  test('with all other problems of the bot at once', () => {
    const wrong = { tts, onCall, name: '', disclosure: { text: '', when: 'always' }, record: { notice: '' } } as const;
    expect(() => defineBot(wrong)).toThrow(
      /name must be text; disclosure\.text must have words; record\.notice must have words/,
    );
  });
});

describe('a recorded file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'notices-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const recorded = (name: string, seconds: number) => {
    const channels = [new Int16Array(seconds * 8_000)] as const;
    writeFileSync(join(folder, name), encodeWav({ sampleRate: 8_000, channels, encoding: 'L16' }));
    return join(folder, name);
  };

  test('says a text of a bot that has no voice, and is measured', () => {
    const long = 'word '.repeat(70);
    const file = recorded('short.wav', 2);
    const notice = { text: { en: long, de: long }, file: { en: file, de: file } };
    const { disclosure, recording, problems } = checkNotices({
      disclosure: { text: long, file, when: 'always' },
      record: { notice },
      otherwise: {},
    });
    expect(problems).toEqual([]);
    for (const one of [disclosure, recording]) expect(one?.wordings[0]?.sound?.pcm).toHaveLength(16_000);
    expect(recording?.wordings.map(({ language }) => language)).toEqual(['en', 'de']);
  });

  test.each([
    [() => recorded('long.wav', 21), 'disclosure.file lasts 21 s: at most 20 s'],
    [() => join(folder, 'missing.wav'), expect.stringMatching(/^disclosure\.file cannot be read: ENOENT/)],
  ])('is refused: %#', (file, problem) => {
    expect(checkNotices({ disclosure: { text: 'Hello', file: file(), when: 'always' } }).problems).toEqual([problem]);
  });
});

describe('a notice of the recording is refused', () => {
  test.each([
    [{ notice: '' }, ['record.notice must have words']],
    [{ notice: 'It is recorded.', objectKey: '12' }, ['record.objectKey must be one of 0-9 * #, got "12"']],
    [{ objectKey: '1' }, ['record.objectKey needs record.notice']],
    [{ notise: 'x' }, [expect.stringContaining('record.notise is not known')]],
    [{ notice: { text: 'x', fiel: 'y' } }, [expect.stringContaining('record.notice.fiel is not known')]],
    [{ notice: { file: 'y' } }, ['record.notice.text must have words']],
    [
      { notice: { text: 'x', file: '/missing.wav' } },
      [expect.stringMatching(/^record\.notice\.file cannot be read: ENOENT/)],
    ],
    ['yes', ['record must be true, false, or options']],
  ])('%j', (record, problems) => {
    expect(checkNotices({ tts, record }).problems).toEqual(problems);
  });
});

test('the wording is that of the language that is asked for, else of its language, else the first', () => {
  const text = { en: 'Hello', 'es-MX': 'Bueno', es: 'Hola' };
  const { disclosure } = checkNotices({ tts, disclosure: { text, when: 'always' } });
  const said = (language: unknown) => wordingIn(disclosure as Notice, language).text;
  expect(['es', 'es-MX', 'ES-mx', 'es-AR', 'de', undefined, 7, 'nonsense words'].map(said)).toEqual([
    'Hola',
    'Bueno',
    'Bueno',
    'Bueno',
    'Hello',
    'Hello',
    'Hello',
    'Hello',
  ]);
});

test('the runner is told whether calls begin with it, or why not', () => {
  const told = (disclosure: Parameters<typeof defineBot>[0]['disclosure']) =>
    definitionOf(defineBot({ tts, onCall, disclosure }))?.disclosure;
  expect(told(undefined)).toBeUndefined();
  expect(told({ text: 'Hello', when: 'outbound' })).toEqual({ when: 'outbound' });
  expect(told({ notNeeded: 'obvious' })).toEqual({ notNeeded: 'obvious' });
});
