/**
 * For bots that build their own pipeline, on the transports of the specification.
 * @module voicebot/pipeline
 */
export { DtmfDetector, type DtmfToneOptions, generateDtmf } from '../base/audio/dtmf.js';
export { type DtmfDigit, isDtmfDigit } from '../base/audio/dtmf-digit.js';
export { type EnergyDetectorOptions, energyDetector } from '../base/audio/energy-detector.js';
export { type FvadDetectorOptions, fvadDetector } from '../base/audio/fvad-detector.js';
export { decodeMulaw, encodeMulaw } from '../base/audio/mulaw.js';
export { Resampler } from '../base/audio/resampler.js';
export { type SileroDetectorOptions, sileroDetector } from '../base/audio/silero-detector.js';
export { ToneSource } from '../base/audio/tones.js';
export type { CreateVoiceDetector, VoiceDetector } from '../base/audio/voice-detector.js';
export { decodeWav, encodeWav, type WavAudio, type WavContent } from '../base/audio/wav.js';
export type { LogFields, LoggerOptions, LogLevel } from '../base/logger.js';
export type { ScreeningOptions } from '../bot/conversation/call-screening.js';
export type { ContextLimit } from '../bot/conversation/context-limit.js';
export {
  Conversation,
  type ConversationEvents,
  type ConversationOptions,
  type FailureOptions,
} from '../bot/conversation/conversation.js';
export { type EndCallToolOptions, endCallTool } from '../bot/conversation/end-call-tool.js';
export type { IdleOptions } from '../bot/conversation/idle-caller.js';
export { LLMContext, type LLMContextOptions } from '../bot/conversation/llm-context.js';
export { LLMContextFrame } from '../bot/conversation/llm-context-frame.js';
export type { KeysOptions } from '../bot/conversation/pressed-keys.js';
export { defineTool, type JsonSchema, type Tool, type ToolContext } from '../bot/conversation/tool.js';
export {
  type ToolTransferResult,
  type TransferringTransport,
  type TransferToolOptions,
  transferTool,
} from '../bot/conversation/transfer-tool.js';
export type { BargeInOptions, TurnOptions } from '../bot/conversation/turn-options.js';
export type { MuteReason } from '../bot/conversation/user-aggregator-options.js';
export type { VoicemailEvidence } from '../bot/conversation/voicemail-detector.js';
export {
  type GateScene,
  type ScreeningStatus,
  VoicemailGate,
  type VoicemailGateOptions,
} from '../bot/conversation/voicemail-gate.js';
export {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  CallerJoinedFrame,
  CancelFrame,
  type CancelReason,
  ControlFrame,
  DataFrame,
  DtmfFrame,
  EndFrame,
  EndOfTurnFrame,
  ErrorFrame,
  Frame,
  type FrameDirection,
  FunctionCallsEndedFrame,
  FunctionCallsStartedFrame,
  InputAudioFrame,
  InterimTranscriptionFrame,
  InterruptionFrame,
  type LateWords,
  type LLMMessage,
  LLMMessagesAppendFrame,
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  LLMRunFrame,
  LLMTextFrame,
  type ModelResponse,
  OutputAudioFrame,
  OutputDtmfFrame,
  type SpeakOptions,
  SpeechHeardFrame,
  SpeechLanguageFrame,
  StartFrame,
  SystemFrame,
  type TimedWord,
  type ToolCall,
  type ToolResult,
  TranscriptionFrame,
  TTSSpeakFrame,
  TTSStartedFrame,
  TTSStoppedFrame,
  TTSTextFrame,
  TTSTimingFrame,
  Turn,
  type TurnTimes,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
  UserWordsFrame,
  type Utterance,
} from '../bot/pipeline/frames/index.js';
export {
  FrameProcessor,
  Pipeline,
  PipelineTask,
  type PipelineTaskEvents,
  type PipelineTaskOptions,
} from '../bot/pipeline/index.js';
export type { Language } from '../bot/pipeline/language.js';
export { type RecordedLine, recordedLine } from '../bot/pipeline/recorded-lines.js';
export type { DialoutRequest } from '../bot/transports/room/dial-target.js';
export type { RoomsEventData } from '../bot/transports/room/rooms-event-data.js';
export type { RoomsParams } from '../bot/transports/room/rooms-params.js';
export { RoomsTransport, type RoomsTransportEvents } from '../bot/transports/room/rooms-transport.js';
export {
  CarrierFrameSerializer,
  type CarrierFrameSerializerOptions,
} from '../bot/transports/stream/carrier-frame-serializer.js';
export {
  type ParseTelephonyOptions,
  parseTelephonyWebSocket,
  type TelephonyCallData,
} from '../bot/transports/stream/parse-telephony-websocket.js';
export { WebSocketTransport, type WebSocketTransportEvents } from '../bot/transports/stream/websocket-transport.js';
export type { WebSocketTransportParams } from '../bot/transports/stream/websocket-transport-params.js';
export type { TransferOptions } from '../bot/transports/transfer-options.js';
export type { ProviderCallId } from '../call/call-id.js';
export type { DialTarget, OutboundCall } from '../call/call-port.js';
export type { HeardEvidence, HeardNotice, NoticeKind } from '../call/disclosure.js';
export type { RoomsDialinSettings } from '../call/rooms-dialin-request.js';
export type { ServiceKind, ServiceModel, ServiceName } from '../call/service-name.js';
export type { BotEntry, CallTimeline, HeardBy, Speaker, TimelineStep, WordTime } from '../call/timeline.js';
export type {
  AcceptedTransferOutcome,
  DialoutAnsweredData,
  FailedTransfer,
  FailedWarmTransfer,
  TransferFailure,
  WarmTransferFailure,
} from '../call/transfer-outcome.js';
export type { TurnReport } from '../call/turn-report.js';
export type { ServiceUsage } from '../call/usage.js';
export type { RoomReception } from '../providers/rooms/reception.js';
export type {
  DialinData,
  DialoutData,
  JoinOptions,
  JoinRoom,
  LegProblem,
  RoomConnection,
  RoomDialout,
  RoomEvents,
  RoomParticipant,
  RoomParticipantKind,
  RoomTranscriptionOptions,
  TranscriptionEvents,
  TranscriptionMessage,
} from '../providers/rooms/room-connection.js';
