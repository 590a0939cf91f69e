/**
 * For bots that build their own pipeline, on the transports of the specification.
 * @module voicebot/pipeline
 */
export { DtmfDetector, type DtmfToneOptions, generateDtmf } from '../audio/dtmf.js';
export { type DtmfDigit, isDtmfDigit } from '../audio/dtmf-digit.js';
export { type EnergyDetectorOptions, energyDetector } from '../audio/energy-detector.js';
export { type FvadDetectorOptions, fvadDetector } from '../audio/fvad-detector.js';
export { decodeMulaw, encodeMulaw } from '../audio/mulaw.js';
export { Resampler } from '../audio/resampler.js';
export { ToneSource } from '../audio/tones.js';
export type { CreateVoiceDetector, VoiceDetector } from '../audio/voice-detector.js';
export { decodeWav, encodeWav, type WavAudio, type WavContent } from '../audio/wav.js';
export type { ProviderCallId } from '../call/call-id.js';
export type { DialTarget, OutboundCall } from '../call/call-port.js';
export type { RoomsDialinSettings } from '../call/rooms-dialin-request.js';
export type { BotEntry, CallTimeline, Speaker, TimelineStep } from '../call/timeline.js';
export type {
  AcceptedTransferOutcome,
  DialoutAnsweredData,
  FailedTransfer,
  TransferFailure,
} from '../call/transfer-outcome.js';
export type { TurnReport } from '../call/turn-report.js';
export type { ContextLimit } from '../conversation/context-limit.js';
export {
  Conversation,
  type ConversationEvents,
  type ConversationOptions,
  type FailureOptions,
} from '../conversation/conversation.js';
export { type EndCallToolOptions, endCallTool } from '../conversation/end-call-tool.js';
export type { IdleOptions } from '../conversation/idle-caller.js';
export { LLMContext, type LLMContextOptions } from '../conversation/llm-context.js';
export { LLMContextFrame } from '../conversation/llm-context-frame.js';
export { type RecordedLine, recordedLine } from '../conversation/recorded-lines.js';
export { defineTool, type JsonSchema, type Tool, type ToolContext } from '../conversation/tool.js';
export {
  type ToolTransferResult,
  type TransferringTransport,
  type TransferToolOptions,
  transferTool,
} from '../conversation/transfer-tool.js';
export type { BargeInOptions, MuteReason, TurnOptions } from '../conversation/turn-taking.js';
export type { VoicemailEvidence } from '../conversation/voicemail-detector.js';
export { VoicemailGate, type VoicemailGateOptions } from '../conversation/voicemail-gate.js';
export type { LogFields, LoggerOptions, LogLevel } from '../logger.js';
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
  ErrorFrame,
  Frame,
  type FrameDirection,
  FunctionCallsEndedFrame,
  FunctionCallsStartedFrame,
  InputAudioFrame,
  InterimTranscriptionFrame,
  InterruptionFrame,
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
  type Utterance,
} from '../pipeline/frames/index.js';
export {
  FrameProcessor,
  Pipeline,
  PipelineTask,
  type PipelineTaskEvents,
  type PipelineTaskOptions,
} from '../pipeline/index.js';
export type {
  DialinData,
  DialoutData,
  JoinOptions,
  JoinRoom,
  LegProblem,
  RoomConnection,
  RoomEvents,
  RoomParticipant,
  RoomParticipantKind,
} from '../rooms/room-connection.js';
export type { DialoutRequest } from '../transports/room/dial-target.js';
export type { RoomsEventData } from '../transports/room/rooms-event-data.js';
export type { RoomsParams } from '../transports/room/rooms-params.js';
export { RoomsTransport, type RoomsTransportEvents } from '../transports/room/rooms-transport.js';
export {
  CarrierFrameSerializer,
  type CarrierFrameSerializerOptions,
} from '../transports/stream/carrier-frame-serializer.js';
export {
  type ParseTelephonyOptions,
  parseTelephonyWebSocket,
  type TelephonyCallData,
} from '../transports/stream/parse-telephony-websocket.js';
export { WebSocketTransport, type WebSocketTransportEvents } from '../transports/stream/websocket-transport.js';
export type { WebSocketTransportParams } from '../transports/stream/websocket-transport-params.js';
export type { TransferOptions } from '../transports/transfer-options.js';
