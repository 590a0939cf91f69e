/**
 * Speech, voices and models as processors, and providers of one's own.
 * @module voicebot/services
 */

export { ProviderError, type ProviderErrorOptions, type ProviderNames } from '../provider-error.js';
export { type LanguageModel, LLMService, type LLMServiceOptions } from '../services/llm/index.js';
export {
  type AccountOptions,
  PROVIDERS,
  type Provider,
  type ProviderAccount,
  requireKeys,
  resolveAccount,
} from '../services/provider.js';
export {
  type AudioFormat,
  DeepgramSTT,
  type DeepgramSTTOptions,
  type SttDialect,
  type SttResult,
  SttService,
  type SttServiceOptions,
} from '../services/stt/index.js';
export { CartesiaTTS, type CartesiaTTSOptions } from '../services/tts/cartesia-tts.js';
export { DeepgramTTS, type DeepgramTTSOptions } from '../services/tts/deepgram-tts.js';
export { ElevenLabsTTS, type ElevenLabsTTSOptions } from '../services/tts/elevenlabs-tts.js';
export { EspeakTTS, type EspeakTTSOptions } from '../services/tts/espeak-tts.js';
export { FliteTTS, type FliteTTSOptions } from '../services/tts/flite-tts.js';
export type { Phrase } from '../services/tts/phrase.js';
export { PhraseCache, type PhraseCacheOptions } from '../services/tts/phrase-cache.js';
export { SocketVoice, type SocketVoiceOptions } from '../services/tts/socket-voice.js';
export type { SpeechFormat, TtsCodec, TtsDialect, TtsEvent } from '../services/tts/tts-dialect.js';
export { type PreloadOptions, TtsService, type TtsServiceOptions } from '../services/tts/tts-service.js';
export type { Speech, SpeechListener, Voice, VoiceListener } from '../services/tts/voice.js';
