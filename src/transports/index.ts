export type { FailedTransfer } from '../call/call-link.js';
export type { DialoutAnsweredData, TransferOutcome } from './call-transfer.js';
export { CarrierFrameSerializer, type CarrierFrameSerializerOptions } from './carrier-frame-serializer.js';
export type { DialoutRequest } from './dial-target.js';
export {
  type ParseTelephonyOptions,
  parseTelephonyWebSocket,
  type TelephonyCallData,
} from './parse-telephony-websocket.js';
export type { RoomsEventData } from './rooms-event-data.js';
export type { RoomsParams } from './rooms-params.js';
export { RoomsTransport, type RoomsTransportEvents } from './rooms-transport.js';
export type { TransferOptions } from './transfer-options.js';
export {
  WebSocketTransport,
  type WebSocketTransportEvents,
} from './websocket-transport.js';
export type { WebSocketTransportParams } from './websocket-transport-params.js';
