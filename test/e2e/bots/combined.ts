import { createElevenLabs } from '@ai-sdk/elevenlabs';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createXai } from '@ai-sdk/xai';
import { cartesia, deepgram, deepgramVoice, defineBot, elevenlabs, endCall } from 'voicebot';

const { OPENAI_AUDIO_URL = '', XAI_URL = '', GOOGLE_URL = '', COMPATIBLE_URL = '' } = process.env;
const apiKey = 'key';
const openaiAudio = createOpenAI({ apiKey, baseURL: OPENAI_AUDIO_URL });
const xai = createXai({ apiKey, baseURL: XAI_URL });

const EARS = {
  deepgram: () => deepgram(),
  elevenlabs: () => createElevenLabs({ apiKey }).transcription('scribe_v2_realtime'),
  openai: () => ({ model: openaiAudio.transcription('gpt-realtime-whisper'), language: 'en' }),
  xai: () => xai.transcription(),
};

const MODELS = {
  openai: () => createOpenAI({ apiKey })('gpt-4.1-mini'),
  google: () => createGoogle({ apiKey, baseURL: GOOGLE_URL })('gemini-2.5-flash'),
  compatible: () => createOpenAICompatible({ name: 'own', apiKey, baseURL: COMPATIBLE_URL })('any'),
};

const VOICES = {
  cartesia: () => cartesia(),
  elevenlabs: () => elevenlabs(),
  deepgram: () => deepgramVoice(),
  openai: () => ({ model: openaiAudio.speech('gpt-4o-mini-tts'), voice: 'coral' }),
  xai: () => xai.speech(),
};

const [ears, model, voice] = (process.env.COMBINATION ?? 'deepgram openai cartesia').split(' ') as [
  keyof typeof EARS,
  keyof typeof MODELS,
  keyof typeof VOICES,
];

export default defineBot({
  stt: EARS[ears](),
  llm: MODELS[model](),
  tts: VOICES[voice](),
  async onCall(call) {
    await call.converse({
      system: 'You take reservations for a restaurant.',
      greeting: 'Hello, this is Bluebird Bakery. How can I help you?',
      tools: { end_call: endCall() },
    }).ended;
  },
});
