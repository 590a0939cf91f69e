export { DtmfDetector, generateDtmf } from './audio/dtmf.js';
export { type DtmfDigit, isDtmfDigit } from './audio/dtmf-digit.js';
export { decodeMulaw, encodeMulaw } from './audio/mulaw.js';
export { Resampler } from './audio/resampler.js';
export { ToneSource } from './audio/tones.js';
export { decodeWav, encodeWav, type WavAudio } from './audio/wav.js';
export type { CallDirection, CallInfo, CallState, EndReason } from './call/call.js';
export { operatorNumber } from './call/operator-number.js';
export {
  parseRoomsDialinRequest,
  type RoomsDialinRequest,
  type RoomsDialinSettings,
} from './call/rooms-dialin-request.js';
export type {
  BotFunction,
  CarrierRunnerArguments,
  RoomsRunnerArguments,
  RunnerArguments,
} from './call/runner-arguments.js';
export { type ErrorCode, VoicebotError } from './errors.js';
export {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  CancelFrame,
  type CancelReason,
  ControlFrame,
  DataFrame,
  DtmfFrame,
  EndFrame,
  ErrorFrame,
  Frame,
  type FrameDirection,
  InputAudioFrame,
  InterruptionFrame,
  OutputAudioFrame,
  OutputDtmfFrame,
  StartFrame,
  SystemFrame,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
} from './frames/index.js';
export { createLogger, type Logger, type LoggerOptions, type LogLevel } from './logger.js';
export {
  FrameProcessor,
  Pipeline,
  PipelineTask,
  type PipelineTaskEvents,
  type PipelineTaskOptions,
} from './pipeline/index.js';
export type {
  DialinData,
  DialoutData,
  DialTarget,
  JoinOptions,
  JoinRoom,
  LegProblem,
  RoomConnection,
  RoomEvents,
  RoomParticipant,
  RoomParticipantKind,
} from './rooms/room-connection.js';
export {
  CarrierFrameSerializer,
  type CarrierFrameSerializerOptions,
  type DialoutAnsweredData,
  type DialoutRequest,
  type ParseTelephonyOptions,
  parseTelephonyWebSocket,
  type RoomsEventData,
  type RoomsParams,
  RoomsTransport,
  type RoomsTransportEvents,
  type TelephonyCallData,
  type TransferOptions,
  type TransferOutcome,
  WebSocketTransport,
  type WebSocketTransportEvents,
  type WebSocketTransportParams,
} from './transports/index.js';
