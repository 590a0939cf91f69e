/**
 * Speech, voices and models as processors, and providers of one's own.
 * @module voicebot/services
 */

export { ProviderError, type ProviderErrorOptions, type ProviderNames } from '../base/provider-error.js';
export type { LiveOptions } from '../bot/services/live/live-options.js';
export type { RealtimeModel } from '../bot/services/live/realtime-model.js';
export { type LanguageModel, LLMService, type LLMServiceOptions } from '../bot/services/llm/index.js';
export type { AiModel } from '../bot/services/model-kind.js';
export type { AiEarsOptions } from '../bot/services/stt/from-ai.js';
export {
  type AudioFormat,
  DeepgramSTT,
  type DeepgramSTTOptions,
  type Ear,
  type EarListener,
  type EarSource,
  type SttDialect,
  type SttResult,
  SttService,
  type SttServiceOptions,
  type SwitchedEars,
} from '../bot/services/stt/index.js';
export { CartesiaTTS, type CartesiaTTSOptions } from '../bot/services/tts/cartesia-tts.js';
export { DeepgramTTS, type DeepgramTTSOptions } from '../bot/services/tts/deepgram-tts.js';
export { ElevenLabsTTS, type ElevenLabsTTSOptions } from '../bot/services/tts/elevenlabs-tts.js';
export { FliteTTS, type FliteTTSOptions } from '../bot/services/tts/flite-tts.js';
export type { AiVoiceOptions } from '../bot/services/tts/from-ai.js';
export type { PreloadOptions } from '../bot/services/tts/make-phrases.js';
export type { Phrase } from '../bot/services/tts/phrase.js';
export { PhraseCache, type PhraseCacheOptions } from '../bot/services/tts/phrase-cache.js';
export { SocketVoice, type SocketVoiceOptions } from '../bot/services/tts/socket-voice.js';
export type { SpeechFormat, TtsCodec, TtsDialect, TtsEvent } from '../bot/services/tts/tts-dialect.js';
export { TtsService } from '../bot/services/tts/tts-service.js';
export type { TtsServiceOptions } from '../bot/services/tts/tts-service-options.js';
export type {
  Speech,
  SpeechListener,
  Voice,
  VoiceListener,
  VoiceSource,
  VoiceSwitch,
} from '../bot/services/tts/voice.js';
export {
  type AccountOptions,
  requireKeys,
  resolveAccount,
  VENDORS as PROVIDERS,
  type Vendor as Provider,
  type VendorAccount as ProviderAccount,
} from '../bot/services/vendor.js';
export { SERVICE_UNITS, type ServiceUnit, type UnitCounts } from '../call/usage.js';
