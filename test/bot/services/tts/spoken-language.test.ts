import {
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  LLMTextFrame,
  SpeechLanguageFrame,
  TTSSpeakFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { CartesiaTTS } from '../../../../src/bot/services/tts/cartesia-tts.js';
import { DeepgramTTS } from '../../../../src/bot/services/tts/deepgram-tts.js';
import { ElevenLabsTTS } from '../../../../src/bot/services/tts/elevenlabs-tts.js';
import { PhraseCache } from '../../../../src/bot/services/tts/phrase-cache.js';
import type { TtsService } from '../../../../src/bot/services/tts/tts-service.js';
import { FakeCartesia, FakeDeepgramSpeak, FakeElevenLabs } from '../../../../src/lab/kit/index.js';
import { answerOf, Speaking, until } from './speaking.js';

/** Its own voice is refused; its German one works. */
class GermanBeside extends CartesiaTTS {
  constructor(
    baseUrl: string,
    private readonly germanUrl: string,
  ) {
    super({ apiKey: 'test', baseUrl, cache: false });
  }

  override inLanguage(language: string): CartesiaTTS {
    return new CartesiaTTS({ apiKey: 'test', baseUrl: this.germanUrl, cache: false, language });
  }
}

const LANGUAGES = ['en', 'de', 'es', 'fr', 'it'] as const;

/** What each vendor was asked with, in the words of its wire. */
const VENDORS: ReadonlyArray<
  readonly [
    name: string,
    start: () => Promise<{ url: string; asked: () => unknown[]; [Symbol.asyncDispose](): Promise<void> }>,
    tts: (baseUrl: string) => TtsService,
    expected: readonly unknown[],
  ]
> = [
  [
    'Cartesia',
    async () => {
      const fake = await FakeCartesia.start({ characterMs: 1 });
      const asked = () => fake.messages.flatMap(({ transcript, language }) => (transcript ? [language] : []));
      return { url: fake.url, asked, [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose]() };
    },
    (baseUrl) => new CartesiaTTS({ apiKey: 'test', baseUrl, cache: false }),
    ['en', 'en', 'de', 'es', 'fr', 'it'],
  ],
  [
    'ElevenLabs',
    async () => {
      const fake = await FakeElevenLabs.start({ characterMs: 1 });
      const asked = () => fake.connections.map(({ query }) => query.get('language_code'));
      return { url: fake.url, asked, [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose]() };
    },
    (baseUrl) => new ElevenLabsTTS({ apiKey: 'test', baseUrl, cache: false }),
    [null, 'en', 'de', 'es', 'fr', 'it'],
  ],
  [
    'Deepgram',
    async () => {
      const fake = await FakeDeepgramSpeak.start({ characterMs: 1 });
      const asked = () => fake.connections.map(({ query }) => query.get('model'));
      return { url: fake.url, asked, [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose]() };
    },
    (baseUrl) => new DeepgramTTS({ apiKey: 'test', baseUrl, cache: false }),
    ['aura-2-thalia-en', 'aura-2-viktoria-de', 'aura-2-celeste-es', 'aura-2-agathe-fr', 'aura-2-livia-it'],
  ],
];

test.each(VENDORS)('a voice of %s speaks what is spoken from the next text on', async (_name, start, tts, expected) => {
  await using fake = await start();
  using speaking = new Speaking(tts(fake.url));
  await speaking.speak('First.');
  for (const language of LANGUAGES) {
    speaking.queue(new SpeechLanguageFrame(language));
    await speaking.speak(`Press * in ${language}.`);
  }
  expect(fake.asked()).toEqual(expected);
  expect(speaking.texts.map((text) => text.trim())).toEqual([
    'First.',
    'Press star in en.',
    'Press Stern in de.',
    'Press asterisco in es.',
    'Press étoile in fr.',
    'Press asterisco in it.',
  ]);
  expect(speaking.errors).toEqual([]);
});

test('what had arrived before keeps its language: a text that waits, and an answer that is still being written', async () => {
  await using fake = await FakeCartesia.start({ characterMs: 1 });
  using speaking = new Speaking(new CartesiaTTS({ apiKey: 'test', baseUrl: fake.url, cache: false }));
  const response = answerOf();
  speaking.queue(new LLMResponseStartFrame(response), new LLMTextFrame(response, 'One. '));
  speaking.queue(new SpeechLanguageFrame('fr'));
  speaking.queue(new LLMTextFrame(response, 'Two. '), new LLMResponseEndFrame(response), new TTSSpeakFrame('Trois.'));
  speaking.queue(new SpeechLanguageFrame('de'));
  speaking.answer('Vier.');
  await speaking.said();
  const asked = fake.messages.flatMap(({ transcript, language }) =>
    transcript ? [`${language}: ${String(transcript).trim()}`] : [],
  );
  expect(asked).toEqual(['en: One.', 'en: Two.', 'fr: Trois.', 'de: Vier.']);
});

test('what follows a text that is said within an answer has the voice of the answer', async () => {
  await using fake = await FakeCartesia.start({ characterMs: 1 });
  using speaking = new Speaking(new CartesiaTTS({ apiKey: 'test', baseUrl: fake.url, cache: false }));
  const response = answerOf();
  speaking.queue(new LLMResponseStartFrame(response), new LLMTextFrame(response, 'One. '));
  speaking.queue(new SpeechLanguageFrame('fr'), new TTSSpeakFrame('Deux.'));
  speaking.queue(new LLMTextFrame(response, 'Three. '), new LLMResponseEndFrame(response));
  await speaking.speak('Quatre.');
  const asked = fake.messages.flatMap(({ transcript, language }) =>
    transcript ? [`${language}: ${String(transcript).trim()}`] : [],
  );
  expect(asked).toEqual(['en: One.', 'fr: Deux.', 'en: Three.', 'fr: Quatre.']);
});

test('the voice of a language that is spoken no more is let go', async () => {
  await using fake = await FakeCartesia.start({ characterMs: 1 });
  using speaking = new Speaking(new CartesiaTTS({ apiKey: 'test', baseUrl: fake.url, cache: false }));
  await speaking.speak('First.');
  speaking.queue(new SpeechLanguageFrame('de'));
  await speaking.speak('Danach.');
  await until(() => fake.open === 1, 'the end of the first connection');
  speaking.queue(new SpeechLanguageFrame('en'));
  await speaking.speak('Again.');
  expect(speaking.texts.map((text) => text.trim())).toEqual(['First.', 'Danach.', 'Again.']);
});

test('a voice that gives up while another language is spoken ends no call', async () => {
  await using own = await FakeCartesia.start();
  own.refuse(401, 'Invalid API key.');
  await using fake = await FakeCartesia.start({ characterMs: 1 });
  using speaking = new Speaking(new GermanBeside(own.url, fake.url));
  speaking.queue(new SpeechLanguageFrame('de'));
  await until(() => speaking.errors.length > 0, 'the failure of the first');
  await speaking.speak('Guten Tag.');
  expect(speaking.errors.map(({ isFinal }) => isFinal)).toEqual([false]);
  expect([fake.requests.length, speaking.order.includes('End')]).toEqual([1, false]);
});

test('a language the voice does not speak is told once, and spoken as its own', async () => {
  await using fake = await FakeDeepgramSpeak.start({ characterMs: 1 });
  using speaking = new Speaking(new DeepgramTTS({ apiKey: 'test', baseUrl: fake.url, cache: false }));
  for (const language of ['pt-BR', 'de', 'pt-BR']) speaking.queue(new SpeechLanguageFrame(language));
  await speaking.speak('Um.');
  expect(speaking.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining('the call is in Brazilian Portuguese (pt-BR), and the voice speaks English (en)'),
  ]);
  expect(fake.requests.map(({ text }) => text.trim())).toEqual(['Um.']);
});

test('phrases are preloaded in the language of the calls to come', async () => {
  await using fake = await FakeCartesia.start({ characterMs: 1 });
  const tts = new CartesiaTTS({ apiKey: 'test', baseUrl: fake.url, cache: new PhraseCache() });
  await tts.preload(['Guten Tag.'], { language: 'de-AT' });
  using speaking = new Speaking(tts);
  speaking.queue(new SpeechLanguageFrame('de'));
  await speaking.speak('Guten Tag.');
  expect(fake.requests).toHaveLength(1);
  expect(fake.messages.flatMap(({ transcript, language }) => (transcript ? [language] : []))).toEqual(['de']);
});
