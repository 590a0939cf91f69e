import { CarrierFrameSerializer, parseTelephonyWebSocket, WebSocketTransport } from '../../../dist/index.js';

/** Ends its call at the carrier as soon as the stream has introduced itself. */
export async function bot({ websocket, query }) {
  const [carrier, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(websocket);
  const { auth_id: authId, api_url: apiUrl } = query;
  const authToken = process.env.CARRIER_AUTH_TOKEN;
  const serializer = new CarrierFrameSerializer({ streamId, callId, carrier, authId, authToken, apiUrl });
  await new WebSocketTransport(websocket, { serializer }).hangUp();
}
