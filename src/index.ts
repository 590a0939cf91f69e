/**
 * What a bot file needs, and the classes of the specification.
 * @module voicebot
 */

export {
  acceptCall,
  type BotOptions,
  type BotParts,
  type Call,
  type CallEvents,
  type CallTool,
  type CallTools,
  type CallTransferOptions,
  type CallTransport,
  type ConverseOptions,
  cartesia,
  deepgram,
  deepgramVoice,
  defineBot,
  type EndCallOptions,
  elevenlabs,
  endCall,
  espeak,
  flite,
  type Heard,
  type ListenOptions,
  type ReadyTool,
  type Service,
  type ServiceChoice,
  type Sound,
  type Talk,
  type TransferToOptions,
  transferTo,
} from './bot/index.js';
export type { RecordOptions } from './call/bot-definition.js';
export type { BotEndReason, CallDirection, CallInfo, CallState, EndReason } from './call/call.js';
export { operatorNumber } from './call/operator-number.js';
export { parseRoomsDialinRequest, type RoomsDialinRequest } from './call/rooms-dialin-request.js';
export type {
  BotFunction,
  CarrierRunnerArguments,
  RoomsRunnerArguments,
  RunnerArguments,
} from './call/runner-arguments.js';
export type { TransferOutcome } from './call/transfer-outcome.js';
export { type ErrorCode, VoicebotError, type VoicebotErrorOptions } from './errors.js';
export { createLogger, type Logger } from './logger.js';
export { EndFrame } from './pipeline/frames/index.js';
export { Pipeline, PipelineTask } from './pipeline/index.js';
export { requireKeys } from './services/provider.js';
export type { RoomsParams } from './transports/room/rooms-params.js';
export { RoomsTransport } from './transports/room/rooms-transport.js';
export { CarrierFrameSerializer } from './transports/stream/carrier-frame-serializer.js';
export { parseTelephonyWebSocket } from './transports/stream/parse-telephony-websocket.js';
export { WebSocketTransport } from './transports/stream/websocket-transport.js';
