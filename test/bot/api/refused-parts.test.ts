import { createElevenLabs, elevenLabs } from '@ai-sdk/elevenlabs';
import { createOpenAI, openai } from '@ai-sdk/openai';
import { createOpenAI as createOpenAI3 } from '@ai-sdk/openai-3';
import { VoicebotError } from '../../../src/base/errors.js';
import {
  type BotOptions,
  cartesia,
  deepgram,
  deepgramVoice,
  defineBot,
  elevenlabs,
} from '../../../src/bot/api/index.js';
import { FrameProcessor } from '../../../src/bot/pipeline/index.js';
import { definitionOf } from '../../../src/call/bot-definition.js';
import { withoutKeys } from './without-keys.js';

withoutKeys('DEEPGRAM_API_KEY', 'CARTESIA_API_KEY', 'ELEVENLABS_API_KEY', 'OPENAI_API_KEY');

const apiKey = 'own';
const OpenAI = createOpenAI({ apiKey });
const OpenAI3 = createOpenAI3({ apiKey });
const ElevenLabs = createElevenLabs({ apiKey });
const ears = deepgram({ apiKey });
const voice = cartesia({ apiKey });

class OwnProcessor extends FrameProcessor {}

/** What a bot of these parts is refused with, when it is defined or else when it is loaded. */
async function refusalOf(parts: object): Promise<VoicebotError> {
  try {
    await definitionOf(defineBot({ onCall: () => {}, ...parts } as BotOptions))?.load();
  } catch (error) {
    if (error instanceof VoicebotError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

const INVALID = 'VB_CONFIG_INVALID';
const MISSING = 'VB_CREDENTIALS_MISSING';

/** Message and hint together: what is wrong, and what to do next. */
test.each<[name: string, parts: object, code: string, words: readonly RegExp[]]>([
  ['no object', { stt: 7 }, INVALID, [/stt must be a service such as deepgram\(\)/]],
  ['null', { stt: null, llm: null, tts: null }, INVALID, [/stt must be/, /llm must be/, /tts must be/]],
  ['no ears in a list', { stt: [] }, INVALID, [/stt must not be an empty list/]],
  ['no model in a list', { llm: [] }, INVALID, [/llm must have a language model at least/]],
  ['no voice in a list', { tts: [] }, INVALID, [/tts must have a voice at least/]],
  [
    'an empty entry',
    { stt: [ears, undefined], tts: [voice, undefined] },
    INVALID,
    [/stt\[1\] must be/, /tts\[1\] must be/],
  ],
  ['an empty entry of models', { llm: [OpenAI('gpt-4.1'), null] }, INVALID, [/llm\[1\] must be a language model/]],
  ['a list in a list', { stt: [ears, [ears]] }, INVALID, [/stt\[1\] must be a service/]],
  [
    'models of other kinds, each by its place',
    {
      stt: [ears, OpenAI('gpt-4.1')],
      llm: [OpenAI('gpt-4.1'), OpenAI.speech('tts-1')],
      tts: [OpenAI.speech('tts-1'), OpenAI('o3')],
    },
    INVALID,
    [
      /stt\[1\] must be a transcription model.*gpt-4.1/,
      /llm\[1\] must be a language model.*tts-1/,
      /tts\[1\] must be a speech.*o3/,
    ],
  ],
  [
    'a model of version 6 of ai, second in a list',
    { stt: [ears, OpenAI3.transcription('whisper-1')] },
    INVALID,
    [/stt\[1\] needs a model of the contract v4/, /npm install ai@7 @ai-sdk\/openai@latest/],
  ],
  [
    'a model that cannot stream, second in a list',
    { stt: [ears, OpenAI.transcription('whisper-1')] },
    INVALID,
    [/needs a model that streams.*whisper-1/],
  ],
  [
    'processors of another kind in a list',
    { stt: [ears, () => new OwnProcessor()] },
    INVALID,
    [/stt\[1\] makes no SttService/],
  ],
  ['voices of another kind', { tts: [voice, () => new OwnProcessor()] }, INVALID, [/tts\[1\] makes no TtsService/]],
  [
    'options of the second',
    { tts: [voice, cartesia({ apiKey, speed: 9 })] },
    INVALID,
    [/tts\[1\]: .*speed must be 0.6 to 1.5/],
  ],
  [
    'voices for languages',
    { tts: { de: OpenAI('gpt-4.1'), es: [voice, undefined], en_US: voice, fr: [] } },
    INVALID,
    [
      /tts\.de must be a speech model.*gpt-4.1/,
      /tts\.es\[1\] must be a service/,
      /a name in tts must be a BCP 47 tag.*"en_US"/,
      /tts\.fr must have a voice at least/,
    ],
  ],
  [
    'voices that speak another language',
    { tts: { de: cartesia({ apiKey, language: 'en' }), pt: deepgramVoice({ apiKey }) } },
    INVALID,
    [/tts\.de speaks en/, /tts\.pt speaks en/],
  ],
  [
    'keys that are missing, of all parts, lists and languages',
    {
      stt: [deepgram(), elevenLabs.transcription('scribe_v2_realtime')],
      llm: [OpenAI('gpt-4.1'), openai('gpt-4.1')],
      tts: { de: cartesia(), es: [elevenlabs(), ElevenLabs.speech('eleven_flash_v2_5')] },
    },
    MISSING,
    [
      /DEEPGRAM_API_KEY/,
      /ELEVENLABS_API_KEY/,
      /OPENAI_API_KEY/,
      /CARTESIA_API_KEY/,
      /get .*https:\/\/console.deepgram.com.* put them into \.env/,
    ],
  ],
  [
    'everything at once',
    { sst: ears, stt: OpenAI('gpt-4.1'), llm: 'gpt-4.1', tts: [], name: '', body: {} },
    INVALID,
    [/sst is not known: there are stt/, /stt must be/, /llm must be/, /tts must have/, /name must be/, /body must be/],
  ],
])('a bot is refused before its first call: %s', async (_name, parts, code, words) => {
  const refusal = await refusalOf(parts);
  expect(refusal.code).toBe(code);
  const told = `${refusal.message} ${refusal.hint ?? ''}`;
  for (const pattern of words) expect(told).toMatch(pattern);
});

test('what is right is taken: one, a list, a list for each language', async () => {
  const taken = {
    stt: [ears, () => ears.create()],
    llm: [OpenAI('gpt-4.1'), { model: OpenAI('gpt-4.1-mini') }],
    tts: { 'de-AT': voice, es: [elevenlabs({ apiKey }), voice] },
  };
  await expect(refusalOf(taken)).rejects.toThrow('it was taken');
});
