import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createXai } from '@ai-sdk/xai';
import { cartesia, deepgram, defineBot } from 'voicebot';

const { BENCH_BOT = 'openai', BENCH_URL = '', BENCH_EARS_URL = '', BENCH_MODEL_URL = '' } = process.env;
const apiKey = 'bench';
const openai = createOpenAI({ apiKey, baseURL: BENCH_URL });

const PARTS = {
  openai: () => ({ live: openai.experimental_realtime('gpt-realtime-2.1') }),
  xai: () => ({ live: createXai({ apiKey, baseURL: BENCH_URL }).experimental_realtime('grok-voice-1') }),
  google: () => ({ live: createGoogle({ apiKey, baseURL: BENCH_URL }).experimental_realtime('gemini-3.8-live') }),
  'gpt-live': () => ({ live: openai.experimental_realtime('gpt-live-1') }),
  cascade: () => ({
    stt: deepgram({ apiKey, baseUrl: BENCH_EARS_URL }),
    llm: createOpenAI({ apiKey, baseURL: BENCH_MODEL_URL }).chat('fake'),
    tts: cartesia({ apiKey, baseUrl: BENCH_URL, cache: false }),
  }),
};

/** Says what its far end has it say, and takes down who called in what its model is told: that is how calls are told apart there. */
export default defineBot({
  ...PARTS[BENCH_BOT as keyof typeof PARTS](),
  async onCall(call) {
    const system = `You are a bakery. The caller is ${call.from}.`;
    await call.converse({ system, greeting: 'Hello, this is the bakery.', log: () => {} }).ended;
  },
});
