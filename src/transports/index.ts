export { CarrierFrameSerializer, type CarrierFrameSerializerOptions } from './carrier-frame-serializer.js';
export {
  type ParseTelephonyOptions,
  parseTelephonyWebSocket,
  type TelephonyCallData,
} from './parse-telephony-websocket.js';
export {
  WebSocketTransport,
  type WebSocketTransportEvents,
  type WebSocketTransportParams,
} from './websocket-transport.js';
