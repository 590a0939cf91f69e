import { parseTelephonyWebSocket } from '../../../dist/index.js';

/** Insists on a start message, sooner than usual. */
export async function bot({ websocket }) {
  await parseTelephonyWebSocket(websocket, { timeoutMs: 500 });
}
