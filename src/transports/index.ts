export type {
  AcceptedTransferOutcome,
  DialoutAnsweredData,
  FailedTransfer,
  TransferOutcome,
} from '../call/transfer-outcome.js';
export type { DialoutRequest } from './room/dial-target.js';
export type { RoomsEventData } from './room/rooms-event-data.js';
export type { RoomsParams } from './room/rooms-params.js';
export { RoomsTransport, type RoomsTransportEvents } from './room/rooms-transport.js';
export { CarrierFrameSerializer, type CarrierFrameSerializerOptions } from './stream/carrier-frame-serializer.js';
export {
  type ParseTelephonyOptions,
  parseTelephonyWebSocket,
  type TelephonyCallData,
} from './stream/parse-telephony-websocket.js';
export {
  WebSocketTransport,
  type WebSocketTransportEvents,
} from './stream/websocket-transport.js';
export type { WebSocketTransportParams } from './stream/websocket-transport-params.js';
export type { TransferOptions } from './transfer-options.js';
