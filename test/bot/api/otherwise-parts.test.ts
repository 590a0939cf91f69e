import { createOpenAI } from '@ai-sdk/openai';
import { type BotOptions, cartesia, deepgram, defineBot } from '../../../src/bot/api/index.js';
import { FrameProcessor } from '../../../src/bot/pipeline/index.js';
import { refusalOf } from './refusal-of.js';

const openai = createOpenAI({ apiKey: 'own' });
const live = openai.experimental_realtime('gpt-realtime-2.1');
const stt = deepgram({ apiKey: 'own' });
const llm = openai('gpt-4.1-mini');
const tts = cartesia({ apiKey: 'own' });

class OwnEars extends FrameProcessor {}

test('a bot may have a cascade beside its realtime model', () => {
  expect(() => defineBot({ onCall: () => {}, live, otherwise: { stt, llm, tts } } as BotOptions)).not.toThrow();
});

test('a model that takes its turns itself may have a model that calls functions for it', () => {
  const model = openai.experimental_realtime('gpt-live-1');
  expect(() => defineBot({ onCall: () => {}, live: { model, delegate: llm } } as BotOptions)).not.toThrow();
  expect(() => defineBot({ onCall: () => {}, live: model } as BotOptions)).not.toThrow();
});

test.each([
  [{ live, otherwise: { stt, llm } }, 'otherwise.tts is missing'],
  [{ live, otherwise: 'cascade' }, 'otherwise must be { stt, llm, tts }'],
  [{ stt, llm, tts, otherwise: { stt, llm, tts } }, 'otherwise stands beside live'],
  [{ live, tts, otherwise: { stt, llm, tts } }, 'leave tts out'],
  [{ live, otherwise: { stt, llm, tts, ears: stt } }, 'otherwise.ears is not known'],
  [{ live, otherwise: { stt: 'deepgram', llm, tts } }, 'otherwise.stt must be a service such as deepgram()'],
  [{ live, otherwise: { stt: () => new OwnEars(), llm, tts } }, 'otherwise.stt must be a service such as deepgram()'],
  [{ live: { model: live, delegate: llm } }, 'gpt-realtime-2.1 calls functions by itself'],
  [
    { live: { model: openai.experimental_realtime('gpt-live-1'), delegate: live } },
    'live.delegate must be a language model',
  ],
])('what cannot go on with a call is refused when the bot loads: %#', (options, problem) => {
  expect(refusalOf(options)).toMatchObject({ code: 'VB_CONFIG_INVALID', message: expect.stringContaining(problem) });
});
