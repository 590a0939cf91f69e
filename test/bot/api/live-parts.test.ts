import { createOpenAI } from '@ai-sdk/openai';
import { type BotOptions, cartesia, deepgram, defineBot } from '../../../src/bot/api/index.js';
import { definitionOf } from '../../../src/call/bot-definition.js';

const openai = createOpenAI({ apiKey: 'own' });
const live = openai.experimental_realtime('gpt-realtime-2.1');
const apiKey = 'own';

const load = async (parts: object) => definitionOf(defineBot({ onCall: () => {}, ...parts } as BotOptions))?.load();

test.each<[name: string, parts: object, words: RegExp]>([
  ['ears beside it', { live, stt: deepgram({ apiKey }) }, /live hears and answers by itself: leave stt out/],
  ['a model beside it', { live, llm: openai('gpt-4.1') }, /leave llm out/],
  ['a model of another kind', { live: openai('gpt-4.1') }, /live must be a realtime model/],
  [
    'a model of an older contract',
    { live: Object.create(live, { specificationVersion: { value: 'v3' } }) },
    /live needs a realtime model of version 7 of the ai package/,
  ],
  ['an option that is not known', { live: { model: live, speed: 2 } }, /live.speed/],
  ['a time out of range', { live: { model: live, answerTimeoutMs: 10 } }, /live.answerTimeoutMs/],
])('a bot with a live model is refused: %s', async (_, parts, words) => {
  await expect(load(parts)).rejects.toMatchObject({ code: 'VB_CONFIG_INVALID', message: expect.stringMatching(words) });
});

test('a live model is taken alone, and with a voice beside it', async () => {
  await load({ live });
  await load({ live: { model: live, voice: 'marin' }, tts: cartesia({ apiKey }) });
});
