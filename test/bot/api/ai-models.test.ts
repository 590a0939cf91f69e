import { createDeepgram } from '@ai-sdk/deepgram';
import { createElevenLabs, elevenLabs } from '@ai-sdk/elevenlabs';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI, openai } from '@ai-sdk/openai';
import { createOpenAI as createOpenAI3 } from '@ai-sdk/openai-3';
import { createXai, xai } from '@ai-sdk/xai';
import { createGateway } from 'ai';
import { type BotOptions, deepgram, defineBot } from '../../../src/bot/api/index.js';
import { kindOf } from '../../../src/bot/services/model-kind.js';
import { definitionOf } from '../../../src/call/bot-definition.js';
import { refusalOf } from './refusal-of.js';
import { withoutKeys } from './without-keys.js';

withoutKeys('ELEVENLABS_API_KEY', 'OPENAI_API_KEY', 'XAI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY');

const apiKey = 'own';
const OpenAI = createOpenAI({ apiKey });
const OpenAI3 = createOpenAI3({ apiKey });
const ElevenLabs = createElevenLabs({ apiKey });
const Google = createGoogle({ apiKey });
const gateway = createGateway({ apiKey });
const Xai = createXai({ apiKey });

const define = (options: object) => defineBot({ onCall: () => {}, ...options } as BotOptions);

const loaded = (options: object): Promise<void> => definitionOf(define(options))?.load() ?? Promise.resolve();

test.each([
  [OpenAI('gpt-4.1'), 'language'],
  [OpenAI.chat('gpt-4.1'), 'language'],
  [OpenAI.transcription('gpt-realtime-whisper'), 'transcription'],
  [OpenAI.speech('tts-1'), 'speech'],
  [OpenAI.embedding('text-embedding-3-small'), 'other'],
  [OpenAI.experimental_realtime('gpt-realtime-2.1', { api: 'realtime' }), 'realtime'],
  [OpenAI.experimental_realtime('gpt-live-1'), 'realtime'],
  [OpenAI3('gpt-4.1'), 'language'],
  [OpenAI3.speech('tts-1'), 'speech'],
  [Google('gemini-2.5-flash'), 'language'],
  [Google.transcription('gemini-3.5-transcribe-live'), 'transcription'],
  [Google.speech('gemini-2.5-flash-preview-tts'), 'speech'],
  [ElevenLabs.transcription('scribe_v2_realtime'), 'transcription'],
  [ElevenLabs.speech('eleven_flash_v2_5'), 'speech'],
  [Xai('grok-4'), 'language'],
  [Xai.transcription(), 'transcription'],
  [Xai.speech(), 'speech'],
  [gateway('openai/gpt-4.1'), 'language'],
  [gateway.transcriptionModel('openai/gpt-realtime-whisper'), 'transcription'],
  [gateway.speechModel('openai/tts-1'), 'speech'],
  [{ specificationVersion: 'v4', provider: 'own', modelId: 'x', doStream: async () => {} }, undefined],
])('tells the kind of a model: %#', (model, kind) => {
  expect(kindOf(model)).toBe(kind);
});

test('names every key that its models lack, at once', () => {
  const options = {
    stt: elevenLabs.transcription('scribe_v2_realtime'),
    llm: openai('gpt-4.1-mini'),
    tts: xai.speech(),
  };
  expect(refusalOf(options)).toMatchObject({
    code: 'VB_CREDENTIALS_MISSING',
    message: expect.stringContaining('ELEVENLABS_API_KEY, OPENAI_API_KEY and XAI_API_KEY are not set'),
  });
});

test.each([
  [
    { tts: OpenAI('gpt-4.1') },
    /tts must be a speech model such as .*, not the language model gpt-4.1 \(openai.responses\)/,
  ],
  [{ stt: OpenAI.speech('tts-1') }, /stt must be a transcription model such as .*, not the speech model tts-1/],
  [
    { llm: ElevenLabs.transcription('scribe_v2_realtime') },
    /llm must be a language model such as .*, not the transcription/,
  ],
  [{ llm: { model: OpenAI.speech('tts-1') } }, /llm must be a language model .*, not the speech model tts-1/],
  [{ stt: OpenAI.experimental_realtime('gpt-live-1') }, /stt must be a transcription model .*, not the realtime model/],
  [
    { stt: OpenAI3.transcription('whisper-1') },
    /contract v4, of version 7.*contract v3: npm install ai@7 @ai-sdk\/openai@latest/,
  ],
  [{ tts: OpenAI3.speech('tts-1') }, /tts needs a model of the contract v4.*npm install ai@7/],
  [
    { stt: createDeepgram({ apiKey }).transcription('nova-3') },
    /stt needs a model that streams.*nova-3 \(deepgram.transcription\) does not.*deepgram\(\) of voicebot/,
  ],
  [
    { stt: { model: OpenAI.transcription('gpt-realtime-whisper'), languge: 'en' } },
    /languge is not known: did you mean/,
  ],
  [{ stt: { model: OpenAI.transcription('gpt-realtime-whisper'), keyterms: ['a'] } }, /keyterms are not taken by/],
  [
    { stt: { model: Xai.transcription(), inputAudioFormat: { type: 'audio/pcm', rate: 12_345 } } },
    /inputAudioFormat must be audio\/pcmu at 8000 Hz, or audio\/pcm at 8000.*got audio\/pcm at 12345 Hz/,
  ],
  [{ tts: { model: OpenAI.speech('tts-1'), outputFormat: 'mp3' } }, /outputFormat "mp3" cannot be read: ask for wav/],
  [{ tts: { model: OpenAI.speech('tts-1'), speed: 9 } }, /speed must be 0.25 to 4/],
])('refuses when it is defined: %#', (options, problem) => {
  expect(refusalOf(options)).toMatchObject({ code: 'VB_CONFIG_INVALID', message: expect.stringMatching(problem) });
});

test('says every problem of its models at once', () => {
  const { message } = refusalOf({ stt: OpenAI.speech('tts-1'), llm: Xai.speech(), tts: OpenAI('gpt-4.1') }) as Error;
  expect(message).toMatch(/stt must be .*; llm must be .*; tts must be /);
});

test.each([
  [{ stt: OpenAI.transcription('whisper-1') }, /stt needs a model that streams.*whisper-1/],
  [{ stt: Google.transcription('gemini-3.5-transcribe') }, /stt needs a model that streams.*gemini-3.5-transcribe/],
  [
    {
      stt: {
        model: Google.transcription('gemini-3.5-transcribe-live'),
        inputAudioFormat: { type: 'audio/pcmu', rate: 8_000 },
      },
    },
    /stt: the transcription model gemini-3.5-transcribe-live \(google.*\) does not take this audio/,
  ],
  [{ tts: { model: OpenAI.speech('tts-1'), outputFormat: 'mulaw' } }, /outputFormat is not what .* gives/],
  [{ tts: { model: ElevenLabs.speech('eleven_v3'), instructions: 'Calm.' } }, /instructions is not taken by/],
  [{ tts: createDeepgram({ apiKey }).speech('aura-2') }, /cannot be asked so: .*requires a `voice`/],
])('refuses what only the model knows before the first call, without a network: %#', async (options, problem) => {
  await expect(loaded(options)).rejects.toMatchObject({
    code: 'VB_CONFIG_INVALID',
    message: expect.stringMatching(problem),
  });
});

test('says what all models refuse at once', async () => {
  const stt = OpenAI.transcription('whisper-1');
  const tts = { model: OpenAI.speech('tts-1'), outputFormat: 'mulaw' };
  const { message } = (await loaded({ stt, tts }).catch((error) => error)) as Error;
  expect(message).toMatch(/stt needs a model that streams.*; tts: outputFormat is not what/);
});

test.each([
  [{ stt: ElevenLabs.transcription('scribe_v2_realtime'), llm: OpenAI('gpt-4.1'), tts: OpenAI.speech('tts-1') }],
  [{ stt: { model: Google.transcription('gemini-3.5-transcribe-live'), language: 'de' }, tts: Xai.speech() }],
  [{ stt: deepgram({ apiKey }), llm: { model: Google('gemini-2.5-flash') }, tts: ElevenLabs.speech('eleven_v3') }],
  [{ stt: gateway.transcriptionModel('openai/gpt-realtime-whisper'), tts: gateway.speechModel('openai/tts-1') }],
])('takes models of every vendor, without a network: %#', async (options) => {
  await loaded(options);
});
