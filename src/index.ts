export {
  acceptCall,
  type BotOptions,
  type BotParts,
  type Call,
  type CallEvents,
  type CallTool,
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
export type { BotEndReason, CallDirection, CallInfo, CallState, EndReason } from './call/call.js';
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
export type {
  AcceptedTransferOutcome,
  DialoutAnsweredData,
  FailedTransfer,
  TransferOutcome,
} from './call/transfer-outcome.js';
export * from './doors/pipeline.js';
export * from './doors/services.js';
export { type ErrorCode, VoicebotError } from './errors.js';
export { createLogger, type Logger, type LoggerOptions, type LogLevel } from './logger.js';
export { ProviderError } from './provider-error.js';
