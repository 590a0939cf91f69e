import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createXai } from '@ai-sdk/xai';
import { defineBot, endCall } from 'voicebot';

const {
  LIVE_OPENAI_URL = '',
  LIVE_XAI_URL = '',
  LIVE_GOOGLE_URL = '',
  LIVE_GPT_LIVE_URL = '',
  DELEGATE_URL = '',
} = process.env;
const apiKey = 'key';

const MODELS = {
  openai: () => createOpenAI({ apiKey, baseURL: LIVE_OPENAI_URL }).experimental_realtime('gpt-realtime-2.1'),
  xai: () => createXai({ apiKey, baseURL: LIVE_XAI_URL }).experimental_realtime('grok-voice-1'),
  google: () => createGoogle({ apiKey, baseURL: LIVE_GOOGLE_URL }).experimental_realtime('gemini-3.8-live'),
  gptLive: () => ({
    model: createOpenAI({ apiKey, baseURL: LIVE_GPT_LIVE_URL }).experimental_realtime('gpt-live-1'),
    delegate: createOpenAI({ apiKey, baseURL: DELEGATE_URL }).chat('gpt-4.1-mini'),
  }),
};

export default defineBot({
  live: MODELS[(process.env.LIVE_MODEL ?? 'openai') as keyof typeof MODELS](),
  async onCall(call) {
    await call.converse({
      system: 'You take reservations for a restaurant.',
      greeting: 'Hello, this is Bluebird Bakery. How can I help you?',
      tools: { end_call: endCall() },
    }).ended;
  },
});
