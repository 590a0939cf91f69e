import { createOpenAI } from '@ai-sdk/openai';
import type { Call } from '../../../src/bot/api/index.js';
import {
  type BotParts,
  type ConverseOptions,
  cartesia,
  deepgram,
  defineBot,
  elevenlabs,
  speakLanguage,
} from '../../../src/bot/api/index.js';
import { FrameProcessor } from '../../../src/bot/pipeline/index.js';
import type { Language } from '../../../src/bot/pipeline/language.js';
import { type LineFrame, recordedLine } from '../../../src/bot/pipeline/recorded-lines.js';
import type { BotEntry } from '../../../src/call/timeline.js';
import {
  buzz,
  FakeCartesia,
  FakeDeepgram,
  FakeElevenLabs,
  FakeLanguageModel,
  type FakeModelScript,
  FakePhone,
} from '../../../src/lab/kit/index.js';
import { HastyClock } from '../../hasty-clock.js';
import { noteIn } from './note-in.js';

class FakeProcessor extends FrameProcessor {}

let clock: HastyClock;

beforeEach(() => {
  clock = new HastyClock();
});

afterEach(() => clock[Symbol.dispose]());

const quiet = { log: () => {} } satisfies ConverseOptions;
const LATE = { withinMs: 60_000 };

interface TalkOptions {
  readonly replies?: FakeModelScript;
  /** What the caller says, by what the ears were asked to understand. */
  readonly texts?: Readonly<Record<string, readonly string[]>>;
  readonly parts?: (urls: { readonly hearing: string; readonly voice: string }) => Partial<BotParts>;
}

/** A call with a bot on fakes of its vendors, and what was noted of it. */
async function talkingTo(
  onCall: (call: Call) => Promise<void> | void,
  { replies = [{ text: 'Yes.' }], texts = {}, parts = () => ({}) }: TalkOptions = {},
) {
  const noted: BotEntry[] = [];
  const warnings: string[] = [];
  const hearing = await FakeDeepgram.start({ texts: ({ query }) => texts[query.get('language') ?? ''] ?? [] });
  const model = await FakeLanguageModel.start({ replies });
  const voice = await FakeCartesia.start({ characterMs: 45 });
  const bot = defineBot({
    stt: deepgram({ apiKey: 'test', baseUrl: hearing.url }),
    llm: createOpenAI({ apiKey: 'test', baseURL: model.url }).chat('gpt-4.1-mini'),
    tts: cartesia({ apiKey: 'test', baseUrl: voice.url, cache: false }),
    ...parts({ hearing: hearing.url, voice: voice.url }),
    onCall: (call) => {
      call.on('warning', ({ error }) => warnings.push(error.message));
      return onCall(call);
    },
  });
  const phone = await FakePhone.call(async (args) => {
    noteIn(noted, args);
    await bot(args);
  });
  const all = <Type extends BotEntry['type']>(type: Type) =>
    noted.filter((entry): entry is Extract<BotEntry, { type: Type }> => entry.type === type);
  return {
    phone,
    model,
    hearing,
    voice,
    all,
    warnings,
    /** What the voice was asked to say, and in which language. */
    spoken: () =>
      voice.messages.flatMap(({ transcript, language }) =>
        transcript ? [`${language}: ${String(transcript).trim()}`] : [],
      ),
    /** What the ears were asked to understand, one connection after the other. */
    understood: () => hearing.sessions.map(({ query }) => query.get('language')),
    async [Symbol.asyncDispose]() {
      for (const one of [phone, hearing, model, voice]) await one[Symbol.asyncDispose]();
    },
  };
}

const GREETING = 'A * B. One, two, three, four, five, six, seven, and so on, without an end, so that it takes long.';

/** What is known of each language: a word for `*`, and one that only shows that the caller listens. */
const LANGUAGES: ReadonlyArray<readonly [language: Language, tag: string, star: string, backchannel: string]> = [
  ['en', 'en-GB', 'star', 'yeah'],
  ['de', 'de-AT', 'Stern', 'genau'],
  ['es', 'es-MX', 'asterisco', 'claro'],
  ['fr', 'fr-CA', 'étoile', "d'accord"],
  ['it', 'it', 'asterisco', 'capisco'],
];

test.each(LANGUAGES)(
  'a conversation in %s (%s) is heard, spoken, held and apologised for in it',
  async (language, tag, star, backchannel) => {
    await using it = await talkingTo(
      (call) => {
        call.converse({
          ...quiet,
          language: tag,
          greeting: GREETING,
          holdAfterMs: 1_500,
        });
      },
      { texts: { [language]: [backchannel, 'Seven?'] }, replies: [{ text: 'Eight.', delayMs: 4_000 }, { hang: true }] },
    );
    await it.phone.hears(LATE);
    it.phone.say(new Int16Array(10_000));
    it.phone.say(buzz(600, 8_000)); // only shows that the caller listens
    await it.phone.hearsSilence({ forMs: 1_500 });
    it.phone.say(buzz(1_500, 8_000));
    await it.model.request(0);
    await it.phone.hears(LATE); // the hold line
    await it.phone.hearsSilence({ forMs: 500 });
    await it.phone.hears(LATE); // the answer
    it.hearing.refuse(401, 'Invalid credentials.');
    it.hearing.session.dropConnection();
    const { reason } = await it.phone.ended;
    expect(reason).toBe('provider_error');
    expect(it.understood().at(-1)).toBe(language);
    expect(it.hearing.sessions.slice(0, -1).every(({ isOpen }) => !isOpen)).toBe(true);
    expect(it.spoken().join(' ')).toContain(`${language}: A ${star} B.`);
    expect(it.spoken().every((line) => line.startsWith(`${language}: `))).toBe(true);
    const [greeting] = it.all('said').filter(({ speaker }) => speaker === 'bot');
    expect(greeting).toMatchObject({ text: expect.stringContaining('takes long.') });
    expect(greeting?.wasInterrupted ?? false).toBe(false);
    const lineOf = (name: 'one-moment' | 'apology') => (recordedLine(name, language) as LineFrame).text;
    expect(it.all('line_played').map(({ line, text }) => [line, text])).toEqual([
      ['hold', lineOf('one-moment')],
      ['apology', lineOf('apology')],
    ]);
    expect(it.all('language_changed')).toEqual([{ type: 'language_changed', language: tag }]);
    expect(it.warnings).toEqual([expect.stringContaining('refused the credentials')]);
  },
);

test('the model changes the language by a tool: the ears, the voice and what the model is told follow', async () => {
  await using it = await talkingTo(
    (call) => {
      const tools = { speak_language: speakLanguage(['en', 'es-MX']) };
      call.converse({ ...quiet, language: 'en', greeting: 'Hello.', tools });
    },
    {
      texts: { en: ['Do you speak Spanish?'], es: ['Sí.'] },
      replies: [
        { text: 'Of course.', toolCalls: [{ name: 'speak_language', input: { language: 'es-MX' } }] },
        { text: 'Hablo con gusto.' },
        { text: 'Adiós.' },
      ],
    },
  );
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 1_500 });
  it.phone.say(buzz(1_500, 8_000));
  await it.model.request(1);
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 2_500 });
  it.phone.say(buzz(1_500, 8_000));
  const { messages, body } = await it.model.request(2);
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 2_500 });
  expect(JSON.stringify(body.tools)).toContain('English (en), Mexican Spanish (es-MX)');
  expect(messages.slice(-6).map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'user: Do you speak Spanish?',
    'assistant: Of course.',
    'tool: {"spoken":"Mexican Spanish (es-MX)"}',
    'user: <system>From now on, speak Mexican Spanish (es-MX).</system>',
    'assistant: Hablo con gusto.',
    'user: Sí.',
  ]);
  expect(it.spoken()).toEqual(['en: Hello.', 'en: Of course.', 'es: Hablo con gusto.', 'es: Adiós.']);
  expect(it.understood()).toEqual(['en', 'es']);
  expect(it.all('language_changed')).toEqual([
    { type: 'language_changed', language: 'en' },
    { type: 'language_changed', language: 'es-MX', from: 'en' },
  ]);
  expect(it.warnings).toEqual([]);
});

test('what was said before the language was changed keeps its language, and a conversation begins in the one that is spoken', async () => {
  await using it = await talkingTo(async (call) => {
    void call.say('One.');
    void call.say('Two.');
    call.language = 'IT';
    await call.say('Tre.');
    call.converse({ ...quiet, greeting: 'Quattro.' });
    expect(call.language).toBe('it');
  });
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 3_000 });
  it.phone.hangUp();
  expect((await it.phone.ended).botError).toBeUndefined();
  expect(it.spoken()).toEqual(['en: One.', 'en: Two.', 'it: Tre.', 'it: Quattro.']);
  expect(it.understood().at(-1)).toBe('it');
});

test('a service that was given a language keeps it, and says so once', async () => {
  await using it = await talkingTo(
    async (call) => {
      call.converse({ ...quiet, language: 'de', greeting: 'Hello.' });
      call.language = 'fr';
      call.language = 'de';
      await call.ended;
    },
    {
      parts: ({ hearing, voice }) => ({
        stt: deepgram({ apiKey: 'test', baseUrl: hearing, language: 'multi' }),
        tts: cartesia({ apiKey: 'test', baseUrl: voice, cache: false, language: 'en' }),
      }),
    },
  );
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 1_000 });
  it.phone.hangUp();
  await it.phone.ended;
  expect(it.spoken()).toEqual(['en: Hello.']);
  expect(it.understood()).toEqual(['multi']);
  expect(it.warnings).toEqual([
    expect.stringContaining('the call is in German (de), and the voice speaks English (en)'),
    expect.stringContaining('the call is in French (fr), and the voice speaks English (en)'),
  ]);
});

test('each language has its voice, of another vendor, too; the first speaks those that have none', async () => {
  await using spanish = await FakeElevenLabs.start({ characterMs: 45 });
  await using it = await talkingTo(
    async (call) => {
      await call.say('Eins.');
      for (const [language, text] of [
        ['es-AR', 'Dos.'],
        ['en', 'Three.'],
        ['fr', 'Quatre.'],
      ] as const) {
        call.language = language;
        await call.say(text);
      }
    },
    {
      parts: ({ voice }) => ({
        tts: {
          de: cartesia({ apiKey: 'test', baseUrl: voice, cache: false, voice: 'lukas' }),
          en: cartesia({ apiKey: 'test', baseUrl: voice, cache: false, voice: 'kate' }),
          es: elevenlabs({ apiKey: 'test', baseUrl: spanish.url, cache: false, voice: 'sofia' }),
        },
      }),
    },
  );
  expect((await it.phone.ended).botError).toBeUndefined();
  const voices = it.voice.messages.flatMap(({ transcript, voice }) =>
    transcript ? [`${(voice as { id: string }).id}: ${String(transcript).trim()}`] : [],
  );
  expect(voices).toEqual(['lukas: Eins.', 'kate: Three.', 'lukas: Quatre.']);
  expect(it.spoken()).toEqual(['de: Eins.', 'en: Three.', 'de: Quatre.']);
  expect(spanish.requests.map(({ text }) => text.trim())).toEqual(['Dos.']);
  expect(spanish.connections.map(({ query }) => query.get('language_code'))).toEqual(['es']);
  expect(it.warnings).toEqual([
    expect.stringContaining('the call is in French (fr), and the voice speaks German (de)'),
  ]);
});

test('a malformed tag is refused where it is given', async () => {
  expect(() => speakLanguage([])).toThrow('languages must list one language at least');
  expect(() => speakLanguage(['en', 'Spanish!', 'es_MX'])).toThrow(/languages\[1\] must be .*; languages\[2\] must be/);
  expect(() => speakLanguage(['en'], { descripton: 'x' } as object)).toThrow('did you mean description?');
  const refused: unknown[] = [];
  await using it = await talkingTo((call) => {
    try {
      call.language = 'en_US';
    } catch (error) {
      refused.push(error);
    }
    expect(call.language).toBeUndefined();
  });
  expect((await it.phone.ended).botError).toBeUndefined();
  expect(refused).toEqual([
    expect.objectContaining({ code: 'VB_CONFIG_INVALID', message: expect.stringContaining('BCP 47') }),
  ]);
});

test.each<[object, string]>([
  [{ en: cartesia({ apiKey: 'test' }), es: 'sofia' }, 'tts.es must be a service such as cartesia()'],
  [{ en_US: cartesia({ apiKey: 'test' }) }, 'a name in tts must be a BCP 47 tag, such as "en" or "de-AT", got "en_US"'],
  [{ de: cartesia({ apiKey: 'test', language: 'fr' }), es: cartesia({ apiKey: 'test' }) }, 'tts.de speaks fr'],
  [{ de: () => new FakeProcessor() }, 'tts.de makes no TtsService'],
])('voices for languages that are wrong are refused when the bot loads: %#', (tts, problem) => {
  expect(() => defineBot({ tts: tts as never, onCall: () => {} })).toThrow(problem);
});
