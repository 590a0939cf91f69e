import { createDeepgram } from '@ai-sdk/deepgram';
import { createElevenLabs } from '@ai-sdk/elevenlabs';
import { createOpenAI } from '@ai-sdk/openai';
import { createXai } from '@ai-sdk/xai';
import { AiTTS } from '../../../../src/bot/services/tts/from-ai.js';
import { PhraseCache } from '../../../../src/bot/services/tts/phrase-cache.js';
import { buzz } from '../../../../src/lab/kit/fake-speech.js';
import { Speaking, until } from '../tts/speaking.js';
import { encoded, FakeOpenAIAudio } from './fake-openai-audio.js';
import { FakeXaiAudio } from './fake-xai-audio.js';
import { requestsOf } from './requests-of.js';

const openaiVoice = (openai: FakeOpenAIAudio, options = {}) => {
  const model = createOpenAI({ apiKey: 'key', baseURL: openai.url }).speech('gpt-4o-mini-tts');
  return new AiTTS({ model, cache: false, ...options });
};

test('a model that gives whole answers is asked sentence by sentence, and heard at the rate of the call', async () => {
  await using openai = await FakeOpenAIAudio.start({ apiKey: 'key' });
  using speaking = new Speaking(openaiVoice(openai, { voice: 'coral', speed: 1.2, instructions: 'Calm.' }));
  speaking.answer('Good morning. ', 'What can I do for you today? ', 'Tell me.');
  await speaking.said();
  const texts = ['Good morning.', 'What can I do for you today?', 'Tell me.'];
  expect(openai.speeches.map(({ body }) => body.input)).toEqual(texts);
  expect(openai.speeches[0]?.body).toEqual({
    model: 'gpt-4o-mini-tts',
    input: 'Good morning.',
    voice: 'coral',
    speed: 1.2,
    instructions: 'Calm.',
    response_format: 'pcm',
  });
  expect(speaking.audioMs).toBeCloseTo(texts.join('').length * 20, 0);
  expect(speaking.words.map(({ text }) => text).join(' ')).toBe(texts.join(' '));
  expect(speaking.errors).toEqual([]);
});

test('xAI is asked for mu-law on the telephone, and for the rate of the call elsewhere', async () => {
  await using xai = await FakeXaiAudio.start({ apiKey: 'key' });
  const model = createXai({ apiKey: 'key', baseURL: xai.url }).speech();
  for (const sampleRate of [8_000, 16_000]) {
    using speaking = new Speaking(new AiTTS({ model, cache: false, language: 'de' }), sampleRate);
    await speaking.speak('Guten Tag.');
    expect(speaking.audioMs).toBeCloseTo(200, 0);
  }
  expect(xai.speeches.map(({ body }) => [body.output_format, body.language])).toEqual([
    [{ codec: 'mulaw', sample_rate: 8_000 }, 'de'],
    [{ codec: 'pcm', sample_rate: 16_000 }, 'de'],
  ]);
});

test.each([
  [8_000, { output_format: 'ulaw_8000' }],
  [16_000, { output_format: 'pcm_16000' }],
])('ElevenLabs is asked for what it has at %i Hz', async (sampleRate, query) => {
  const asked = requestsOf(({ url }) => {
    const isMulaw = url.searchParams.get('output_format') === 'ulaw_8000';
    return encoded(buzz(200, sampleRate), sampleRate, isMulaw ? 'mulaw' : 'pcm');
  });
  const model = createElevenLabs({ apiKey: 'key', fetch: asked.fetch }).speech('eleven_flash_v2_5');
  using speaking = new Speaking(new AiTTS({ model, cache: false, voice: 'v1' }), sampleRate);
  await speaking.speak('Hello.');
  expect(speaking.audioMs).toBeCloseTo(200, 0);
  expect(asked.requests.map(({ url }) => url.pathname)).toEqual(['/v1/text-to-speech/v1']);
  expect(asked.requests.map(({ url }) => Object.fromEntries(url.searchParams))).toEqual([query]);
});

test('Deepgram is asked for samples without a header at the rate of the call', async () => {
  const asked = requestsOf(() => encoded(buzz(200, 8_000), 8_000, 'pcm'));
  const model = createDeepgram({ apiKey: 'key', fetch: asked.fetch }).speech('aura-2-thalia-en');
  using speaking = new Speaking(new AiTTS({ model, cache: false }));
  await speaking.speak('Hello.');
  expect(speaking.audioMs).toBeCloseTo(200, 0);
  const [query] = asked.requests.map(({ url }) => Object.fromEntries(url.searchParams));
  expect(query).toEqual({ model: 'aura-2-thalia-en', encoding: 'linear16', container: 'none', sample_rate: '8000' });
});

test('a WAV file tells its rate itself', async () => {
  const asked = requestsOf(() => encoded(buzz(300, 22_050), 22_050, 'wav'));
  const model = createOpenAI({ apiKey: 'key', fetch: asked.fetch }).speech('tts-1');
  using speaking = new Speaking(new AiTTS({ model, cache: false, outputFormat: 'wav' }));
  await speaking.speak('Hello.');
  expect(speaking.audioMs).toBeCloseTo(300, 0);
});

test('an answer that cannot be read ends the voice, and says what to set', async () => {
  const asked = requestsOf(() => ({ body: Buffer.from('ID3 not for us'), type: 'audio/mpeg' }));
  const model = createOpenAI({ apiKey: 'key', fetch: asked.fetch }).speech('tts-1');
  using speaking = new Speaking(new AiTTS({ model, cache: false, apology: false }));
  await speaking.speak('Hello.');
  expect(asked.requests).toHaveLength(1);
  expect(speaking.errors).toMatchObject([
    {
      code: 'VB_PROVIDER_FAILED',
      isFinal: true,
      message: expect.stringContaining('the speech model tts-1 (openai.speech) gave mp3 audio, which cannot be read'),
      hint: expect.stringContaining("outputFormat: 'wav'"),
    },
  ]);
});

test('the next sentence is asked for while one is made, and never told before it', async () => {
  await using openai = await FakeOpenAIAudio.start();
  openai.failures.push('hang');
  using speaking = new Speaking(openaiVoice(openai));
  speaking.answer('One. ', 'Two. ', 'Three.');
  await openai.until(() => openai.speeches.length === 2);
  expect(openai.speeches.map(({ body }) => body.input)).toEqual(['One.', 'Two.']);
  await until(() => speaking.audioMs === 0, 'silence');
  expect(speaking.texts).toEqual([]);
});

test('an interruption takes back what was asked for', async () => {
  await using openai = await FakeOpenAIAudio.start();
  openai.failures.push('hang', 'hang');
  using speaking = new Speaking(openaiVoice(openai));
  speaking.answer('One. ', 'Two.');
  await openai.until(() => openai.speeches.length === 2);
  speaking.interrupt();
  await openai.until(() => openai.speeches.every(({ isAborted }) => isAborted));
  await speaking.speak('Three.');
  expect(speaking.texts).toEqual(['Three.']);
});

test('a sentence that fails is asked for again, and told once', async () => {
  await using openai = await FakeOpenAIAudio.start();
  openai.failures.push({ status: 503, message: 'overloaded' }, 'drop');
  using speaking = new Speaking(openaiVoice(openai));
  await speaking.speak('Good morning.');
  expect(speaking.audioMs).toBeCloseTo(260, 0);
  expect(speaking.errors.map(({ isFinal }) => isFinal)).not.toContain(true);
  expect(speaking.errors).toMatchObject([{ status: 503, provider: 'OpenAI' }]);
});

test('one that hangs is asked for again', async () => {
  await using openai = await FakeOpenAIAudio.start();
  openai.failures.push('hang');
  using speaking = new Speaking(openaiVoice(openai, { patienceMs: 100 }));
  await speaking.speak('Good morning.');
  expect(speaking.audioMs).toBeCloseTo(260, 0);
  expect(openai.speeches).toHaveLength(2);
});

test('a key that is refused ends the voice, and no error repeats it', async () => {
  await using openai = await FakeOpenAIAudio.start({ apiKey: 'another' });
  using speaking = new Speaking(openaiVoice(openai, { apology: false }));
  await speaking.speak('Good morning.');
  expect(openai.speeches).toHaveLength(1);
  expect(speaking.errors).toMatchObject([{ code: 'VB_CREDENTIALS_REFUSED', isFinal: true, status: 401 }]);
});

test('what was said is kept, by model and manner', async () => {
  await using openai = await FakeOpenAIAudio.start();
  const cache = new PhraseCache();
  for (const voice of ['coral', 'coral', 'ash']) {
    using speaking = new Speaking(openaiVoice(openai, { cache, voice }));
    await speaking.speak('Good morning.');
  }
  expect(openai.speeches.map(({ body }) => body.voice)).toEqual(['coral', 'ash']);
});
