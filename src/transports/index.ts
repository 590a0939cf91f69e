export type { DialoutAnsweredData, TransferOutcome } from './call-transfer.js';
export { CarrierFrameSerializer, type CarrierFrameSerializerOptions } from './carrier-frame-serializer.js';
export {
  type ParseTelephonyOptions,
  parseTelephonyWebSocket,
  type TelephonyCallData,
} from './parse-telephony-websocket.js';
export {
  WebSocketTransport,
  type WebSocketTransportEvents,
} from './websocket-transport.js';
export type { WebSocketTransportParams } from './websocket-transport-params.js';
