/**
 * What a bot file needs, and the classes of the specification.
 * @module voicebot
 */

export { type ErrorCode, VoicebotError, type VoicebotErrorOptions } from './base/errors.js';
export { createLogger, type Logger } from './base/logger.js';
export {
  acceptCall,
  type BotOptions,
  type BotParts,
  type BoundCall,
  type Bridge,
  type BridgeEnd,
  type BridgeEvents,
  type BridgeOptions,
  type BridgeParty,
  type Call,
  type CallEvents,
  type CallTool,
  type CallTools,
  type CallTransferOptions,
  type CallTransport,
  type ConsultOptions,
  type ConverseOptions,
  cartesia,
  type DoNotCallOptions,
  type DoNotCallToolOptions,
  deepgram,
  deepgramVoice,
  defineBot,
  doNotCall,
  type EarsChoices,
  type EndCallOptions,
  elevenlabs,
  endCall,
  flite,
  type Heard,
  type HoldOptions,
  type HoldSound,
  type Joinable,
  type ListenOptions,
  type LiveChoice,
  type OtherwiseChoice,
  type ReadyTool,
  type Service,
  type ServiceChoice,
  type Sound,
  type SpeakLanguageOptions,
  speakLanguage,
  type Talk,
  type TransferToOptions,
  transferTo,
  type VoiceChoices,
  type VoiceOrList,
  type VoicesByLanguage,
  type WarmBrief,
  type WarmOptions,
  type WhisperOptions,
} from './bot/api/index.js';
export { EndFrame } from './bot/pipeline/frames/index.js';
export { Pipeline, PipelineTask } from './bot/pipeline/index.js';
export type { ModelChoice, ModelChoices } from './bot/services/llm/model-choice.js';
export { requireKeys } from './bot/services/vendor.js';
export type { RoomsParams } from './bot/transports/room/rooms-params.js';
export { RoomsTransport } from './bot/transports/room/rooms-transport.js';
export type { RoomTranscription, RoomTranscriptionOptions } from './bot/transports/room/transcription-options.js';
export { CarrierFrameSerializer } from './bot/transports/stream/carrier-frame-serializer.js';
export { parseTelephonyWebSocket } from './bot/transports/stream/parse-telephony-websocket.js';
export { WebSocketTransport } from './bot/transports/stream/websocket-transport.js';
export type { RecordOptions } from './call/bot-definition.js';
export type { BotEndReason, CallDirection, CallInfo, CallState, EndReason } from './call/call.js';
export type { Disclosure, NeedlessDisclosure, NoticeText, SpokenDisclosure, SpokenNotice } from './call/disclosure.js';
export type { DoNotCallOutcome } from './call/do-not-call.js';
export { operatorNumber } from './call/operator-number.js';
export { parseRoomsDialinRequest, type RoomsDialinRequest } from './call/rooms-dialin-request.js';
export type {
  BotFunction,
  CarrierRunnerArguments,
  RoomsRunnerArguments,
  RunnerArguments,
} from './call/runner-arguments.js';
export type { TransferOutcome } from './call/transfer-outcome.js';
