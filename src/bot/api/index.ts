export { acceptCall } from './accept-call.js';
export type { BotParts } from './bot-parts.js';
export type {
  Bridge,
  BridgeEnd,
  BridgeEvents,
  BridgeOptions,
  BridgeParty,
  Joinable,
  WhisperOptions,
} from './bridge.js';
export type { Call } from './call.js';
export type { CallEvents } from './call-events.js';
export type { Heard, ListenOptions } from './caller-ear.js';
export type { ConverseOptions, Talk } from './converse.js';
export { type BotOptions, defineBot } from './define-bot.js';
export type { HoldOptions, HoldSound } from './hold-options.js';
export type { CallTransport } from './open-transport.js';
export type { EarsChoices } from './parts/ears-part.js';
export type { VoicesByLanguage } from './parts/languages-part.js';
export type { LiveChoice } from './parts/live-part.js';
export type { OtherwiseChoice } from './parts/otherwise-part.js';
export type { VoiceChoices, VoiceOrList } from './parts/voice-part.js';
export {
  cartesia,
  deepgram,
  deepgramVoice,
  elevenlabs,
  flite,
  type Service,
  type ServiceChoice,
} from './services.js';
export type { Sound } from './sound.js';
export {
  type BoundCall,
  type CallTool,
  type CallTools,
  type EndCallOptions,
  endCall,
  type ReadyTool,
  type SpeakLanguageOptions,
  speakLanguage,
  type TransferToOptions,
  transferTo,
} from './tools.js';
export type { CallTransferOptions, ConsultOptions, WarmBrief, WarmOptions } from './transfer-options.js';
